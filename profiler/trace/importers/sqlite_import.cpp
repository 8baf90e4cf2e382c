#include "profiler/trace/importers/sqlite_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <system_error>
#include <unordered_map>

#include "profiler/base/format.h"
#include "profiler/trace/database.h"
#include "profiler/trace/importers/trace_import.h"
#include "profiler/trace/importers/trace_records.h"

namespace tidemark::trace {
namespace {

using events::Event;
using events::EventKind;

// Nsight Systems' memKind (its ENUM_CUDA_MEM_KIND) and memoryOperationType (ENUM_CUDA_DEV_MEM_EVENT_OPER).
enum NsightMemory : int64_t { kPageable = 0, kPinned = 1 };
constexpr int64_t kNsightFree = 1;

struct FileSize {
  uint64_t bytes = 0;
  uint64_t told_bytes = 0;  // by the file itself; 0 if it does not
};

class SqliteReader {
 public:
  SqliteReader(std::string name, FileSize size, Database& database, const AcceptEvents& accept,
               const Progress& progress, const bool& cancelled)
      : name_(std::move(name)),
        size_(size),
        most_rows_(size.bytes / kLeastRowBytes + 1),
        database_(database),
        accept_(accept),
        progress_(progress),
        cancelled_(cancelled) {}

  Result<TideSummary> Run() {
    if (database_.HasTable("moments") && database_.HasTable("contexts"))
      return ReadOwn("moments LEFT JOIN contexts ON contexts.id = context ORDER BY moments.id");
    // As they were written before contexts had a table of their own.
    if (database_.HasTable("events") && database_.HasTable("run")) return ReadOwn("events ORDER BY id");
    if (database_.HasTable("CUDA_GPU_MEMORY_USAGE_EVENTS")) return ReadNsight();
    if (const std::string failure = database_.failure(); !failure.empty()) return Failed(failure);
    return Error{name_ +
                 " is a database without a run in it. Export one with \"nsys export --type sqlite\" from a "
                 "profile that was taken with --cuda-memory-usage=true."};
  }

 private:
  // A row takes at least two bytes for each of its values but the first; a damaged tree may lead to one
  // again and again.
  static constexpr uint64_t kLeastRowBytes = 10;

  Error Failed(const std::string& why) const {
    if (cancelled_) return Error{"Reading " + name_ + " was cancelled."};
    return Error{name_ + " cannot be read: " + why + "."};
  }
  // Why the rows ended; "" at the end of a whole file's.
  std::string Damage(uint64_t rows) const {
    if (size_.told_bytes > size_.bytes) {
      return fmt::format("it ends at byte {} of {}", FormatNumber(static_cast<int64_t>(size_.bytes)),
                         FormatNumber(static_cast<int64_t>(size_.told_bytes)));
    }
    return rows > most_rows_ ? "it tells of more rows than its size explains" : database_.failure();
  }
  bool Report(uint64_t row, double from, double to) const {
    constexpr uint64_t kBetweenReports = 1 << 15;
    if (row % kBetweenReports != 0 || !progress_) return true;
    return progress_(from +
                     (to - from) * std::min(1.0, static_cast<double>(row) / static_cast<double>(most_rows_)));
  }

  // `rows_of_events`: the events, in order, behind FROM.
  Result<TideSummary> ReadOwn(const std::string& rows_of_events) {
    TideSummary summary;
    Result<SqlStatement> run = database_.Prepare("SELECT description FROM run");
    if (!run) return Failed(run.error().message);
    if (run->Step()) {
      if (auto description = events::DescriptionFromJson(run->Text(0)))
        summary.description = std::move(*description);
    }
    std::unordered_map<int64_t, std::string> names;
    Result<SqlStatement> rows = database_.Prepare("SELECT id, name FROM names");
    if (!rows) return Failed(rows.error().message);
    uint64_t count = 0;
    while (count++ <= most_rows_ && rows->Step()) names[rows->Integer(0)] = rows->Text(1);
    EventWriter writer(accept_);
    const std::string damage = ReadEvents(rows_of_events, names, writer);
    if (cancelled_) return Failed("");
    summary.events = writer.events();
    summary.complete = damage.empty();
    if (!damage.empty())
      summary.warning = fmt::format("{} is damaged: {}. What came before is shown.", name_, damage);
    if (malformed_ > 0) {
      summary.warning +=
          fmt::format("{}{} of its rows are no events that this version knows; they were left out.",
                      summary.warning.empty() ? "" : " ", FormatNumber(malformed_));
    }
    return summary;
  }

  std::string ReadEvents(const std::string& rows_of_events,
                         const std::unordered_map<int64_t, std::string>& names, EventWriter& writer) {
    const std::string pool = database_.HasColumn("events", "pool") ? "pool" : "0";  // before there were any
    Result<SqlStatement> rows = database_.Prepare(
        "SELECT time_ns, kind, address, bytes, rounded_bytes, stream, layer, op, name, thread, category, "
        "phase, source, device, recompute, level, " +
        pool + " FROM " + rows_of_events);
    if (!rows) return rows.error().message;
    uint64_t count = 0;
    while (++count <= most_rows_ && rows->Step()) {
      const auto byte = [&](int column) {
        return static_cast<uint8_t>(std::clamp<int64_t>(rows->Integer(column), 0, 255));
      };
      const int64_t time_ns = rows->Integer(0);
      const auto name = [&](int column) {
        const auto found = names.find(rows->Integer(column));
        return found == names.end() ? 0 : writer.Name(found->second, time_ns);
      };
      Event event;
      event.time_ns = time_ns;
      event.kind = static_cast<EventKind>(byte(1));
      event.address = static_cast<uint64_t>(rows->Integer(2));
      event.bytes = rows->Integer(3);
      event.rounded_bytes = rows->Integer(4);
      event.stream = static_cast<uint64_t>(rows->Integer(5));
      event.layer = name(6);
      event.op = name(7);
      event.name = name(8);
      event.thread = static_cast<uint32_t>(rows->Integer(9));
      event.category = static_cast<events::Category>(byte(10));
      event.phase = static_cast<events::Phase>(byte(11));
      event.source = static_cast<events::Source>(byte(12));
      event.device = byte(13);
      event.recompute = byte(14);
      event.level = static_cast<events::Level>(byte(15));
      event.pool = byte(16);
      const bool is_known = !rows->IsNull(1) && IsWellFormed(event);  // null: its context is missing
      if (is_known && event.kind != EventKind::kName) writer.Add(event);
      malformed_ += is_known ? 0 : 1;
      if (!Report(count, 0, 1)) return "it was cancelled";
    }
    writer.Flush();
    return Damage(count);
  }

  Result<TideSummary> ReadNsight() {
    TraceRecords records;
    TraceOrigin origin;
    origin.description.producer = "Nsight Systems";
    origin.damage = ReadUsage(records);
    if (cancelled_) return Failed("");
    ReadTarget(records, origin);
    origin.description.notes.emplace_back(
        "Nsight Systems tells what the program got from the CUDA driver. Of a program with PyTorch these are "
        "the segments of its allocator, and what lies in them is not told.");
    if (host_rows_ > 0) {
      origin.description.notes.push_back(fmt::format(
          "{} allocations and frees of the host's memory are left out.", FormatNumber(host_rows_)));
    }
    return ImportTrace(records, std::move(origin), name_, accept_, progress_);
  }

  std::string ReadUsage(TraceRecords& records) {
    const bool has_streams = database_.HasColumn("CUDA_GPU_MEMORY_USAGE_EVENTS", "streamId");
    Result<SqlStatement> rows = database_.Prepare(
        std::string("SELECT start, globalPid, deviceId, address, bytes, memKind, memoryOperationType") +
        (has_streams ? ", streamId" : "") + " FROM CUDA_GPU_MEMORY_USAGE_EVENTS ORDER BY start");
    if (!rows) return rows.error().message;
    std::map<int64_t, uint64_t> processes;  // their addresses are kept apart
    uint64_t count = 0;
    while (++count <= most_rows_ && rows->Step()) {
      const int64_t kind = rows->Integer(5);
      if (kind == kPageable || kind == kPinned) {
        ++host_rows_;
        continue;
      }
      constexpr int kProcessShift = 50;  // above what a process can address
      const uint64_t process = processes.try_emplace(rows->Integer(1), processes.size()).first->second;
      TraceInstant record;
      record.time_ns = rows->Integer(0);
      record.device = static_cast<uint8_t>(std::clamp<int64_t>(rows->Integer(2), 0, 255));
      record.address = static_cast<uint64_t>(rows->Integer(3)) ^ process << kProcessShift;
      record.bytes = std::max<int64_t>(rows->Integer(4), 0);
      if (rows->Integer(6) == kNsightFree) record.kind = EventKind::kFreeCompleted;
      if (has_streams) record.stream = static_cast<uint64_t>(rows->Integer(7));
      if (record.bytes > 0) records.instants.push_back(record);
      if (record.bytes == 0) ++records.unreadable;
      if (!Report(count, 0, 0.5)) return "it was cancelled";
    }
    return Damage(count);
  }

  // The cards in CUDA's numbers, which the records have: CUDA_VISIBLE_DEVICES and CUDA's own order make them
  // others than the machine's. As the columns and rows of a SELECT.
  std::string NumberedCards() {
    const bool has_number = database_.HasColumn("TARGET_INFO_GPU", "id");
    if (has_number && database_.HasColumn("TARGET_INFO_CUDA_DEVICE", "gpuId") &&
        database_.HasColumn("TARGET_INFO_CUDA_DEVICE", "cudaId")) {
      return "cuda.cudaId, card.name, card.totalMemory FROM TARGET_INFO_GPU card JOIN "
             "TARGET_INFO_CUDA_DEVICE cuda ON cuda.gpuId = card.id";
    }
    return (has_number ? "id" : "rowid - 1") + std::string(", name, totalMemory FROM TARGET_INFO_GPU");
  }

  // Tables that not every version has.
  void ReadTarget(const TraceRecords& records, TraceOrigin& origin) {
    const bool lists_cards = database_.HasColumn("TARGET_INFO_GPU", "name") &&
                             database_.HasColumn("TARGET_INFO_GPU", "totalMemory");
    if (lists_cards) {
      std::vector<ListedCard> cards;
      Result<SqlStatement> row = database_.Prepare("SELECT " + NumberedCards());
      while (row && cards.size() < most_rows_ && row->Step())
        cards.push_back({row->Integer(0), std::string(row->Text(1)), row->Integer(2)});
      DescribeCard(records, cards, origin.description);
    }
    if (database_.HasColumn("TARGET_INFO_SESSION_START_TIME", "utcEpochNs")) {
      Result<SqlStatement> start = database_.Prepare("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME");
      if (start && start->Step()) origin.base_ns = start->Integer(0);
    }
  }

  const std::string name_;
  const FileSize size_;
  const uint64_t most_rows_;
  Database& database_;
  const AcceptEvents& accept_;
  const Progress& progress_;
  const bool& cancelled_;
  int64_t host_rows_ = 0;
  int64_t malformed_ = 0;
};

// How long the file says that it is (SQLite's file format, 1.3: the database header). 0: it does not.
uint64_t BytesTold(const std::filesystem::path& file) {
  constexpr size_t kPageSizeAt = 16;
  constexpr size_t kChangesAt = 24;
  constexpr size_t kPageCountAt = 28;
  constexpr size_t kValidForChangesAt = 92;  // the count was written with them
  std::array<char, 100> header{};
  std::ifstream in(file, std::ios::binary);
  if (!in.read(header.data(), header.size())) return 0;
  const auto number = [&header](size_t at) {  // big endian, of four bytes
    uint64_t value = 0;
    for (size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<unsigned char>(header[i]);
    return value;
  };
  if (number(kChangesAt) != number(kValidForChangesAt)) return 0;
  const uint64_t page_bytes = number(kPageSizeAt) >> 16;
  return (page_bytes == 1 ? 65536 : page_bytes) * number(kPageCountAt);
}

}  // namespace

Result<TideSummary> ImportSqlite(const std::filesystem::path& file, const AcceptEvents& accept,
                                 const Progress& progress) {
  // Sorting may take long before there is a first row to report.
  bool cancelled = false;
  double told = 0;
  const Progress ask = [&](double share) {
    told = std::max(told, share);
    cancelled = cancelled || (progress && !progress(told));
    return !cancelled;
  };
  Result<Database> database = Database::Open(file, [&] { return ask(told); });
  if (!database) return Error{file.string() + " cannot be read: " + database.error().message + "."};
  std::error_code unknown;
  FileSize size{std::filesystem::file_size(file, unknown), BytesTold(file)};
  if (unknown) size = {};
  return SqliteReader(file.string(), size, *database, accept, ask, cancelled).Run();
}

}  // namespace tidemark::trace
