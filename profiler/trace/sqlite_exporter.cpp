// A run as an SQLite database (sqlite_schema.h). The rows go into the database and not to whoever writes
// files.
#include <array>
#include <optional>
#include <string>

#include "profiler/trace/database.h"
#include "profiler/trace/exporters.h"
#include "profiler/trace/sqlite_schema.h"
#include "profiler/trace/sqlite_table.h"

namespace tidemark::trace {
namespace {

using events::EventKind;
using timeline::Series;

class SqliteExporter final : public Exporter {
 public:
  SqliteExporter(const timeline::View& view, const events::RunDescription& description,
                 const std::filesystem::path& file, const std::filesystem::path& shown_name)
      : view_(view),
        description_(description),
        file_(file),
        shown_name_(shown_name),
        database_(Database::Create(file)) {}

  // All but the rows of events, which are laid into the file when the database is closed.
  void Begin(std::string&) override {
    Keep(database_ ? database_->Execute(kSqliteSchema) : Status(database_.error()));
    if (failed()) return;
    PutDescription();
    PutWords();
    for (const timeline::Step& step : view_.steps()) {
      if (!failed()) PutStep(step);
    }
    const uint32_t events_root = RootOf("events");
    const uint32_t usage_root = RootOf("CUDA_GPU_MEMORY_USAGE_EVENTS");
    if (!failed()) Keep(database_->Commit());
    database_ = Error{""};
    if (failed()) return;
    pages_.emplace(SqlitePages::Open(file_));
    if (!*pages_) return Keep(pages_->error());
    rows_.emplace(**pages_, events_root, true);
    usage_.emplace(**pages_, usage_root, false);
  }

  void Add(const Moment& moment, std::string&) override {
    if (failed()) return;
    // Names have a table of their own.
    if (moment.event.kind != EventKind::kName) PutEvent(moment);
    const int64_t change =
        ValueOf(moment.values, Series::kAllocated) - ValueOf(moment.before, Series::kAllocated);
    if (change != 0 && moment.event.kind <= EventKind::kFreeCompleted) PutUsage(moment);
  }

  void End(std::string&) override {
    if (failed()) return;
    rows_->Finish();
    usage_->Finish();
    Keep((*pages_)->Finish());
  }

  Status Outcome() const override {
    if (!failed()) return Done{};
    return Error{shown_name_.string() + " cannot be written: " + *failure_ +
                 ". Free some space or choose another folder."};
  }

 private:
  bool failed() const { return failure_.has_value(); }
  void Keep(const Status& status) {
    if (!status && !failed()) failure_ = status.error().message;
  }
  void KeepRun(bool done) {
    if (!done && !failed()) failure_ = database_->failure();
  }
  SqlStatement Prepared(const std::string& sql) {
    Result<SqlStatement> statement = database_->Prepare(sql);
    if (statement) return std::move(*statement);
    Keep(statement.error());
    return {};
  }

  void PutDescription() {
    SqlStatement run = Prepared("INSERT INTO run VALUES (?)");
    if (!failed()) KeepRun(run.Bind(0, events::ToJson(description_)).Run());
  }
  void PutWords() {
    for (const auto& [id, name] : view_.names()) {
      PutName("names", id, name);
      PutName("StringIds", id, name);
    }
    for (int i = 0; i < events::kEventKindCount; ++i) PutName("kinds", i, NameOf(static_cast<EventKind>(i)));
    for (int i = 0; i < events::kCategoryCount; ++i)
      PutName("categories", i, NameOf(static_cast<events::Category>(i)));
    for (int i = 0; i < events::kPhaseCount; ++i) PutName("phases", i, NameOf(static_cast<events::Phase>(i)));
  }
  void PutName(const std::string& table, int64_t id, std::string_view name) {
    if (failed()) return;
    SqlStatement statement = Prepared("INSERT OR REPLACE INTO " + table + " VALUES (?, ?)");
    if (!failed()) KeepRun(statement.Bind(0, id).Bind(1, name).Run());
  }

  // The page where a table begins.
  uint32_t RootOf(std::string_view table) {
    SqlStatement root = Prepared("SELECT rootpage FROM sqlite_master WHERE name = ?");
    if (failed()) return 0;
    if (!root.Bind(0, table).Step()) Keep(Error{"it has lost a table"});
    return static_cast<uint32_t>(root.Integer(0));
  }

  void PutEvent(const Moment& moment) {
    const events::Event& event = moment.event;
    rows_->Add(
        static_cast<int64_t>(moment.index),
        std::array{moment.time_ns, static_cast<int64_t>(event.kind), static_cast<int64_t>(event.address),
                   event.bytes, event.rounded_bytes, static_cast<int64_t>(event.stream), int64_t{event.layer},
                   int64_t{event.op}, int64_t{event.name}, int64_t{event.thread},
                   static_cast<int64_t>(event.category), static_cast<int64_t>(event.phase),
                   static_cast<int64_t>(event.source), int64_t{event.device}, int64_t{event.recompute},
                   static_cast<int64_t>(event.level), ValueOf(moment.values, Series::kAllocated),
                   ValueOf(moment.values, Series::kReserved)});
    if ((*pages_)->failed()) Keep((*pages_)->Finish());  // a full disk need not be met at the end
  }

  void PutUsage(const Moment& moment) {
    constexpr int kProcessShift = 24;  // where Nsight Systems puts a process in its global ids
    constexpr int64_t kDeviceMemory = 2;
    const events::Event& event = moment.event;
    const int64_t operation = event.kind == EventKind::kAllocate ? 0 : 1;
    usage_->Add(++usages_, std::array{moment.time_ns, int64_t{description_.process_id} << kProcessShift,
                                      int64_t{event.device}, int64_t{0}, static_cast<int64_t>(event.address),
                                      int64_t{0}, event.rounded_bytes, kDeviceMemory, operation,
                                      int64_t{event.op}, int64_t{0}, static_cast<int64_t>(event.stream)});
  }

  void PutStep(const timeline::Step& step) {
    SqlStatement row = Prepared("INSERT INTO steps VALUES (?,?,?,?,?,?,?,?,?,?)");
    if (failed()) return;
    row.Bind(0, step.number)
        .Bind(1, static_cast<int64_t>(step.begin))
        .Bind(2, static_cast<int64_t>(step.end))
        .Bind(3, step.begin_ns)
        .Bind(4, step.end_ns)
        .Bind(5, static_cast<int64_t>(step.peak))
        .Bind(6, ValueOf(step.at_peak, Series::kAllocated))
        .Bind(7, step.reserved_peak)
        .Bind(8, step.requested_peak);
    if (step.loss) row.Bind(9, *step.loss);
    KeepRun(row.Run());
  }

  const timeline::View& view_;
  const events::RunDescription& description_;
  const std::filesystem::path file_;
  const std::filesystem::path shown_name_;
  Result<Database> database_;
  std::optional<Result<SqlitePages>> pages_;
  std::optional<SqliteTable> rows_;
  std::optional<SqliteTable> usage_;
  int64_t usages_ = 0;
  std::optional<std::string> failure_;
};

}  // namespace

std::unique_ptr<Exporter> MakeSqliteExporter(const timeline::View& view,
                                             const events::RunDescription& description,
                                             const std::filesystem::path& file,
                                             const std::filesystem::path& shown_name) {
  return std::make_unique<SqliteExporter>(view, description, file, shown_name);
}

}  // namespace tidemark::trace
