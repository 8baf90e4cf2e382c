// SQLite: our own exports, and those of Nsight Systems.
#include "profiler/trace/database.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "profiler/trace/exporters/export.h"
#include "tests/support/catch.h"
#include "tests/unit/importers/pickles.h"
#include "tests/unit/trace/sample_run.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::trace {
namespace {

using events::EventKind;
using timeline::Series;

bool Mentions(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

ImportedRun ImportedFile(const std::filesystem::path& file) {
  return ImportedBy([&](const auto& sink) { return Import(file, sink); });
}

void Make(const std::filesystem::path& file, const std::string& sql) {
  Result<Database> database = Database::Create(file);
  REQUIRE(database.ok());
  const Status done = database->Execute(sql.c_str());
  INFO(database->failure());
  REQUIRE(done.ok());
  REQUIRE(database->Commit().ok());
}

int64_t FirstNumber(Database& database, const std::string& sql) {
  Result<SqlStatement> row = database.Prepare(sql);
  INFO(database.failure());
  REQUIRE(row.ok());
  REQUIRE(row->Step());
  return row->Integer(0);
}

constexpr const char* kNsightTable =
    "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER NOT NULL, globalPid INTEGER NOT NULL, deviceId "
    "INTEGER "
    "NOT NULL, contextId INTEGER NOT NULL, address INTEGER NOT NULL, pc INTEGER NOT NULL, bytes INTEGER NOT "
    "NULL, "
    "memKind INTEGER NOT NULL, memoryOperationType INTEGER NOT NULL, name INTEGER, correlationId INTEGER);";

TEST_CASE("of a run whose blocks nobody told a database holds no sizes of them", "[import]") {
  const Scratch scratch;
  const auto nulls_of = [&](const timeline::View& view, const std::string& table, const char* column) {
    const std::filesystem::path file = scratch / "run.sqlite";
    std::filesystem::remove(file);
    REQUIRE(Export(view, {}, ExportFormat::kSqlite, file).ok());
    Result<Database> database = Database::Open(file, [] { return true; });
    REQUIRE(database.ok());
    CHECK(FirstNumber(*database, "SELECT COUNT(*) FROM " + table) > 0);
    return FirstNumber(*database, "SELECT COUNT(*) FROM " + table + " WHERE " + column + " IS NOT NULL") == 0;
  };
  const auto untold = UntoldRun().View();
  for (const char* column : {"change", "allocated", "reserved"}) CHECK(nulls_of(*untold, "moments", column));
  for (const char* column : {"allocated_peak", "reserved_peak", "requested_peak"})
    CHECK(nulls_of(*untold, "steps", column));
  CHECK_FALSE(nulls_of(*untold, "moments", "bytes"));
  Stream without_segments;
  without_segments.Allocate(1 << 20, 1000, events::Category::kActivation);
  const auto view = without_segments.View();
  CHECK_FALSE(nulls_of(*view, "moments", "allocated"));
  CHECK(nulls_of(*view, "moments", "reserved"));
}

TEST_CASE("our own databases read back event by event", "[importers]") {
  const auto view = SampleRun().View();
  events::RunDescription description;
  description.title = "sample";
  description.producer = "us";
  const Scratch scratch;
  REQUIRE(Export(*view, description, ExportFormat::kSqlite, scratch / "out.sqlite").ok());
  const ImportedRun run = ImportedFile(scratch / "out.sqlite");
  REQUIRE(run.error.empty());
  CHECK(run.summary.complete);
  CHECK(run.summary.warning.empty());
  CHECK(run.summary.description.producer == "us");
  std::vector<events::Event> expected;
  std::vector<events::Event> found;
  const auto take = [](const timeline::View& from, std::vector<events::Event>& into) {
    for (timeline::EventIndex i = from.first(); i < from.end(); ++i) {
      if (from.event(i).kind != EventKind::kName) into.push_back(from.event(i));
    }
  };
  take(*view, expected);
  take(*run.view, found);
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    INFO(i);
    CHECK(run.view->name(found[i].name) == view->name(expected[i].name));
    CHECK(run.view->name(found[i].op) == view->name(expected[i].op));
    CHECK(run.view->name(found[i].layer) == view->name(expected[i].layer));
    found[i].name = expected[i].name;
    found[i].op = expected[i].op;
    found[i].layer = expected[i].layer;
    CHECK(found[i] == expected[i]);
  }
  CHECK(run.view->steps().size() == 2);
}

TEST_CASE("an export of Nsight Systems: what the driver gave", "[importers]") {
  const Scratch scratch;
  Make(scratch / "nsys.sqlite",
       std::string(kNsightTable) +
           "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (300, 7, 0, 1, 4096, 0, 2097152, 2, 1, NULL, 0),"
           " (100, 7, 0, 1, 4096, 0, 2097152, 2, 0, NULL, 0), (200, 7, 1, 1, 8192, 0, 512, 4, 0, NULL, 0),"
           " (250, 9, 1, 1, 8192, 0, 512, 2, 0, NULL, 0), (150, 7, 0, 1, 99, 0, 64, 1, 0, NULL, 0);"
           "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, totalMemory INTEGER);"
           "INSERT INTO TARGET_INFO_GPU VALUES (2, 'NVIDIA T4', 1000), (0, 'NVIDIA H200', 1000000000);"
           "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);"
           "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1790857026000000000);");
  const ImportedRun run = ImportedFile(scratch / "nsys.sqlite");
  REQUIRE(run.error.empty());
  CHECK(run.summary.description.producer == "Nsight Systems");
  CHECK_FALSE(run.summary.description.tells_pools);
  CHECK(run.summary.description.device == "cuda:0, cuda:1");
  CHECK(run.summary.description.device_name == "NVIDIA H200");
  CHECK(run.view->start_ns() == 1790857026000000100);
  REQUIRE(run.Of(EventKind::kAllocate).size() == 3);
  CHECK(run.Of(EventKind::kFreeCompleted).size() == 1);
  CHECK(ValueOf(run.view->PeakIn(Series::kAllocated, 0, run.view->end()).values, Series::kAllocated) ==
        2098176);
  CHECK(ValueOf(run.Last(), Series::kAllocated) == 1024);
  REQUIRE(run.summary.description.notes.size() == 2);
  CHECK(Mentions(run.summary.description.notes[1], "1 allocations and frees of the host's memory"));
}

TEST_CASE("an export of Nsight Systems tells of the card that CUDA's number means", "[importers]") {
  const std::string t400_and_rtx =
      std::string(kNsightTable) +
      "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES"
      " (100, 7, 0, 1, 4096, 0, 2097152, 2, 0, NULL, 0);"
      "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, totalMemory INTEGER);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0, 'T400', 4), (1, 'RTX 4090', 24);";
  const std::string numbers =
      "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES ";
  const Scratch scratch;
  // With CUDA_VISIBLE_DEVICES=1, in two processes.
  Make(scratch / "second.sqlite", t400_and_rtx + numbers + "(1, 0, 7), (1, 0, 8);");
  const ImportedRun second = ImportedFile(scratch / "second.sqlite");
  CHECK(second.summary.description.device_name == "RTX 4090");
  CHECK(second.summary.description.device_bytes == 24);
  // Each of two processes has one of its own.
  Make(scratch / "both.sqlite", t400_and_rtx + numbers + "(1, 0, 7), (0, 0, 8);");
  CHECK(ImportedFile(scratch / "both.sqlite").summary.description.device_name.empty());
}

TEST_CASE("our own databases serve those who read Nsight's", "[importers]") {
  const auto view = SampleRun().View();
  const Scratch scratch;
  REQUIRE(Export(*view, {}, ExportFormat::kSqlite, scratch / "out.sqlite").ok());
  Result<Database> database = Database::Create(scratch / "out.sqlite");  // as others open it: with its views
  REQUIRE(database.ok());
  const int64_t last = ValueOf(view->ValuesAt(view->end() - 1), Series::kAllocated);
  CHECK(FirstNumber(*database,
                    "SELECT sum(CASE memoryOperationType WHEN 0 THEN bytes ELSE -bytes END) FROM "
                    "CUDA_GPU_MEMORY_USAGE_EVENTS") == last);
  CHECK(FirstNumber(*database, "SELECT sum(change) FROM events") == last);
  CHECK(FirstNumber(*database, "SELECT max(id) + 1 FROM events") == static_cast<int64_t>(view->end()));
  CHECK(FirstNumber(*database,
                    "SELECT count(*) FROM CUDA_GPU_MEMORY_USAGE_EVENTS JOIN StringIds ON name = id") ==
        FirstNumber(*database, "SELECT count(*) FROM events WHERE change <> 0 AND op <> 0"));
}

TEST_CASE("rows of integers go in many at a time and are numbered on", "[importers]") {
  constexpr int64_t kRows = 250;
  constexpr int64_t kFirst = 7;
  const Scratch scratch;
  Make(scratch / "rows.sqlite", "CREATE TABLE r (id INTEGER PRIMARY KEY, square INTEGER)");
  Result<Database> database = Database::Create(scratch / "rows.sqlite");
  REQUIRE(database.ok());
  Result<IntegerRows> rows = IntegerRows::Into(*database, "r", 2);
  REQUIRE(rows.ok());
  for (int64_t id = kFirst; id < kFirst + kRows; ++id) REQUIRE(rows->Add(std::array{id, id * id}));
  REQUIRE(rows->Flush());
  CHECK(FirstNumber(*database, "SELECT count(*) FROM r WHERE square = id * id") == kRows);
  CHECK(FirstNumber(*database, "SELECT min(id) FROM r") == kFirst);
  CHECK(FirstNumber(*database, "SELECT max(id) FROM r") == kFirst + kRows - 1);
  CHECK_FALSE(IntegerRows::Into(*database, "none", 2).ok());
}

TEST_CASE("a database of ours without a context, or from before there were any, tells what it has",
          "[importers]") {
  const auto view = SampleRun().View();
  const Scratch scratch;
  REQUIRE(Export(*view, {}, ExportFormat::kSqlite, scratch / "out.sqlite").ok());
  {
    Result<Database> database = Database::Create(scratch / "out.sqlite");
    REQUIRE(database.ok());
    REQUIRE(database->Execute("DELETE FROM contexts WHERE kind = 1").ok());
    REQUIRE(database->Commit().ok());
  }
  const ImportedRun damaged = ImportedFile(scratch / "out.sqlite");
  CHECK(Mentions(damaged.summary.warning, "of its rows are no events that this version knows"));
  CHECK(damaged.Of(EventKind::kFreeRequested).empty());
  CHECK_FALSE(damaged.Of(EventKind::kAllocate).empty());
  Make(scratch / "before.sqlite",
       "CREATE TABLE run (description TEXT); CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT);"
       "CREATE TABLE events (id INTEGER PRIMARY KEY, time_ns, kind, address, bytes, rounded_bytes, stream, "
       "layer, op, name, thread, category, phase, source, device, recompute, level, allocated, reserved);"
       "INSERT INTO events VALUES (5, 100, 0, 4096, 500, 512, 0, 0, 0, 0, 1, 4, 0, 1, 0, 0, 0, 512, 0)");
  const ImportedRun before = ImportedFile(scratch / "before.sqlite");
  CHECK(before.error.empty());
  REQUIRE(before.Of(EventKind::kAllocate).size() == 1);
  CHECK(ValueOf(before.Last(), Series::kAllocated) == 512);
}

TEST_CASE("databases that are none, or were made to hurt", "[importers]") {
  const Scratch scratch;
  Make(scratch / "other.sqlite", "CREATE TABLE a (b)");
  CHECK(Mentions(ImportedFile(scratch / "other.sqlite").error, "a database without a run in it"));
  Make(scratch / "view.sqlite",
       "CREATE VIEW CUDA_GPU_MEMORY_USAGE_EVENTS AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 "
       "FROM n) "
       "SELECT x AS start FROM n");
  CHECK(Mentions(ImportedFile(scratch / "view.sqlite").error, "a database without a run in it"));
  std::ofstream(scratch / "cut.sqlite", std::ios::binary) << std::string("SQLite format 3\0oh", 18);
  CHECK(Mentions(ImportedFile(scratch / "cut.sqlite").error, "cannot be read: file is not a database"));
  CHECK(Mentions(ImportedFrom(Gzipped(ReadFile(scratch / "other.sqlite"))).error, "Unpack it first"));
}

TEST_CASE("a database that is cut off is read up to there", "[importers]") {
  Stream stream;
  for (uint64_t i = 0; i < 3000; ++i) stream.Allocate((i + 1) << 20, 512, events::Category::kTemporary);
  const Scratch scratch;
  REQUIRE(Export(*stream.View(), {}, ExportFormat::kSqlite, scratch / "out.sqlite").ok());
  const std::string whole = ReadFile(scratch / "out.sqlite");
  std::ofstream(scratch / "cut.sqlite", std::ios::binary) << whole.substr(0, whole.size() * 2 / 3);
  const ImportedRun run = ImportedFile(scratch / "cut.sqlite");
  REQUIRE(run.error.empty());
  CHECK_FALSE(run.summary.complete);
  CHECK(Mentions(run.summary.warning, "it ends at byte"));
  CHECK(run.Of(EventKind::kAllocate).size() > 1000);
}

TEST_CASE("a database that is cut off at any page, or has a byte changed, ends in a sentence",
          "[importers]") {
  const auto view = SampleRun().View();
  const Scratch scratch;
  REQUIRE(Export(*view, {}, ExportFormat::kSqlite, scratch / "out.sqlite").ok());
  const std::string whole = ReadFile(scratch / "out.sqlite");
  const auto check = [&](const std::string& bytes) {
    std::ofstream(scratch / "bad.sqlite", std::ios::binary) << bytes;
    const ImportedRun run = ImportedFile(scratch / "bad.sqlite");
    // A changed row may be no event any more, which is told of a whole file, too; nothing else is.
    const bool leaves_rows_out = run.summary.complete && Mentions(run.summary.warning, "they were left out");
    CHECK((!run.error.empty() || leaves_rows_out || run.summary.complete == run.summary.warning.empty()));
  };
  for (size_t size = 16; size < whole.size(); size += 1024) check(whole.substr(0, size));
  for (size_t at = 16; at < whole.size(); at += 331) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x5a);
    check(changed);
  }
}

}  // namespace
}  // namespace tidemark::trace
