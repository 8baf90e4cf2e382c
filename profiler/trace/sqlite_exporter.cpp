// A run as an SQLite database (sqlite_schema.h). The rows go into the database and not to whoever writes
// files.
#include <optional>
#include <string>

#include "profiler/trace/database.h"
#include "profiler/trace/exporters.h"
#include "profiler/trace/sqlite_schema.h"

namespace tidemark::trace {
namespace {

using events::EventKind;
using timeline::Series;

class SqliteExporter final : public Exporter {
 public:
  SqliteExporter(const timeline::View& view, const events::RunDescription& description,
                 const std::filesystem::path& file, const std::filesystem::path& shown_name)
      : view_(view), description_(description), shown_name_(shown_name), database_(Database::Create(file)) {}

  void Begin(std::string&) override {
    Keep(database_ ? database_->Execute(kSqliteSchema) : Status(database_.error()));
    if (failed()) return;
    rows_ = Prepared("INSERT INTO events VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    usage_ = Prepared("INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (?,?,?,0,?,0,?,2,?,?,0,?)");
    SqlStatement run = Prepared("INSERT INTO run VALUES (?)");
    if (failed()) return;
    KeepRun(run.Bind(0, events::ToJson(description_)).Run());
    PutWords();
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
    for (const timeline::Step& step : view_.steps()) {
      if (!failed()) PutStep(step);
    }
    if (!failed()) Keep(database_->Commit());
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

  void PutEvent(const Moment& moment) {
    const events::Event& event = moment.event;
    KeepRun(rows_.Bind(0, static_cast<int64_t>(moment.index))
                .Bind(1, moment.time_ns)
                .Bind(2, static_cast<int64_t>(event.kind))
                .Bind(3, static_cast<int64_t>(event.address))
                .Bind(4, event.bytes)
                .Bind(5, event.rounded_bytes)
                .Bind(6, static_cast<int64_t>(event.stream))
                .Bind(7, int64_t{event.layer})
                .Bind(8, int64_t{event.op})
                .Bind(9, int64_t{event.name})
                .Bind(10, int64_t{event.thread})
                .Bind(11, static_cast<int64_t>(event.category))
                .Bind(12, static_cast<int64_t>(event.phase))
                .Bind(13, static_cast<int64_t>(event.source))
                .Bind(14, int64_t{event.device})
                .Bind(15, int64_t{event.recompute})
                .Bind(16, static_cast<int64_t>(event.level))
                .Bind(17, ValueOf(moment.values, Series::kAllocated))
                .Bind(18, ValueOf(moment.values, Series::kReserved))
                .Run());
  }

  void PutUsage(const Moment& moment) {
    constexpr int kProcessShift = 24;  // where Nsight Systems puts a process in its global ids
    const events::Event& event = moment.event;
    KeepRun(usage_.Bind(0, moment.time_ns)
                .Bind(1, int64_t{description_.process_id} << kProcessShift)
                .Bind(2, int64_t{event.device})
                .Bind(3, static_cast<int64_t>(event.address))
                .Bind(4, event.rounded_bytes)
                .Bind(5, int64_t{event.kind == EventKind::kAllocate ? 0 : 1})
                .Bind(6, int64_t{event.op})
                .Bind(7, static_cast<int64_t>(event.stream))
                .Run());
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
  const std::filesystem::path shown_name_;
  Result<Database> database_;
  SqlStatement rows_;
  SqlStatement usage_;
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
