// What SQLite itself says of the databases whose rows were laid into them.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/trace/database.h"
#include "profiler/trace/export.h"
#include "profiler/trace/sqlite_table.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/sample_run.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::trace {
namespace {

std::string Answer(const std::filesystem::path& file, const std::string& sql) {
  Result<Database> database = Database::Open(file, [] { return true; });
  REQUIRE(database);
  Result<SqlStatement> statement = database->Prepare(sql);
  if (!statement) FAIL(statement.error().message);
  REQUIRE(statement->Step());
  return std::string(statement->Text(0));
}

// A table of an id and two numbers, and one without an id, with that many rows each, laid in side by side.
void MakeTables(const std::filesystem::path& file, int64_t rows, const std::string& page_bytes = "4096") {
  std::array<uint32_t, 2> roots{};
  {
    Result<Database> database = Database::Create(file);
    REQUIRE(database);
    REQUIRE(database->Execute(("COMMIT; PRAGMA page_size = " + page_bytes + "; BEGIN").c_str()));
    REQUIRE(
        database->Execute("CREATE TABLE a (id INTEGER PRIMARY KEY, x INTEGER, y INTEGER);"
                          "CREATE TABLE b (x INTEGER)"));
    for (size_t i = 0; i < roots.size(); ++i) {
      Result<SqlStatement> root = database->Prepare("SELECT rootpage FROM sqlite_master WHERE name = ?");
      REQUIRE(root);
      REQUIRE(root->Bind(0, std::string_view(i == 0 ? "a" : "b")).Step());
      roots[i] = static_cast<uint32_t>(root->Integer(0));
    }
    REQUIRE(database->Commit());
  }
  Result<SqlitePages> pages = SqlitePages::Open(file);
  REQUIRE(pages);
  SqliteTable a(*pages, roots[0], true);
  SqliteTable b(*pages, roots[1], false);
  for (int64_t i = 1; i <= rows; ++i) {
    a.Add(3 * i, std::array{i * i, -i});
    b.Add(i, std::array{i});
  }
  a.Finish();
  b.Finish();
  REQUIRE(pages->Finish());
}

TEST_CASE("SQLite: rows laid into a database are whole to SQLite, whatever the height of the tree",
          "[export]") {
  const Scratch scratch;
  for (const int64_t rows : {0, 1, 100, 400, 1000, 30'000}) {
    const std::string file = "rows-" + std::to_string(rows);
    MakeTables(scratch / file, rows, rows == 1000 ? "512" : "4096");
    CAPTURE(rows);
    CHECK(Answer(scratch / file, "PRAGMA integrity_check") == "ok");
    CHECK(Answer(scratch / file, "SELECT count(*) FROM a WHERE x = id * id / 9 AND y = -id / 3") ==
          std::to_string(rows));
    CHECK(Answer(scratch / file, "SELECT count(*) || ' ' || total(x = rowid) FROM b") ==
          std::to_string(rows) + " " + std::to_string(rows) + ".0");
  }
  CHECK(Answer(scratch / "rows-30000", "SELECT y FROM a WHERE id = 60000") == "-20000");
}

TEST_CASE("SQLite: every integer comes back", "[export]") {
  const Scratch scratch;
  std::vector<int64_t> values = {0, 1, -1, INT64_MAX, INT64_MIN};
  for (int bits = 1; bits < 63; ++bits) {
    const int64_t power = int64_t{1} << bits;
    for (const int64_t value : {power - 1, power, -power, -power - 1}) values.push_back(value);
  }
  {
    Result<Database> database = Database::Create(scratch / "integers");
    REQUIRE(database);
    REQUIRE(database->Execute("CREATE TABLE t (x INTEGER)"));
    REQUIRE(database->Commit());
  }
  Result<SqlitePages> pages = SqlitePages::Open(scratch / "integers");
  REQUIRE(pages);
  SqliteTable table(*pages, 2, false);  // after the first page, which holds the schema
  // Ids of every length, too.
  for (size_t i = 0; i < values.size(); ++i)
    table.Add(static_cast<int64_t>(i) << (i / 5 + 1), std::span(values).subspan(i, 1));
  table.Finish();
  REQUIRE(pages->Finish());
  CHECK(Answer(scratch / "integers", "PRAGMA integrity_check") == "ok");
  Result<Database> database = Database::Open(scratch / "integers", [] { return true; });
  REQUIRE(database);
  Result<SqlStatement> statement = database->Prepare("SELECT x, rowid, typeof(x) FROM t");
  REQUIRE(statement);
  for (size_t i = 0; i < values.size(); ++i) {
    REQUIRE(statement->Step());
    CHECK(statement->Integer(0) == values[i]);
    CHECK(statement->Integer(1) == static_cast<int64_t>(i) << (i / 5 + 1));
    CHECK(statement->Text(2) == "integer");
  }
  CHECK_FALSE(statement->Step());
}

TEST_CASE("SQLite: a run's database is whole, and its tables are those of the schema", "[export]") {
  const Scratch scratch;
  const Stream run = SampleRun();
  REQUIRE(Export(*run.View(), {}, ExportFormat::kSqlite, scratch / "run"));
  CHECK(Answer(scratch / "run", "PRAGMA integrity_check") == "ok");
  CHECK(Answer(scratch / "run",
               "SELECT count(*) FROM events JOIN kinds ON kinds.id = kind "
               "WHERE kinds.name = 'allocate'") == Answer(scratch / "run",
                                                          "SELECT count(*) FROM CUDA_GPU_MEMORY_USAGE_EVENTS "
                                                          "WHERE memoryOperationType = 0 AND memKind = 2"));
  CHECK(Answer(scratch / "run", "SELECT max(allocated) FROM events") ==
        Answer(scratch / "run", "SELECT max(allocated_peak) FROM steps"));
}

}  // namespace
}  // namespace tidemark::trace
