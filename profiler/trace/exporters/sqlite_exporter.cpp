// A run as an SQLite database (sqlite_schema.h). The rows go into the database and not to whoever writes
// files.
#include <fmt/ranges.h>
#include <xxhash.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "profiler/trace/database.h"
#include "profiler/trace/exporters/exporter.h"
#include "profiler/trace/sqlite_schema.h"

namespace tidemark::trace {
namespace {

using events::Event;
using events::EventKind;
using timeline::Series;

// Of a moment those that are told: the last ones are what is allocated, and what is reserved for it.
constexpr std::array kMomentColumns = {"id",     "time_ns",   "context", "address", "bytes", "rounded_bytes",
                                       "change", "allocated", "reserved"};
size_t MomentColumnsOf(const Told& told) {
  if (!told.blocks) return kMomentColumns.size() - 3;
  return told.reserved ? kMomentColumns.size() : kMomentColumns.size() - 1;
}
constexpr size_t kContextColumns = 14;

struct HashOfBytes {
  size_t operator()(const Event& event) const { return XXH3_64bits(&event, sizeof event); }
};

class SqliteExporter final : public Exporter {
 public:
  SqliteExporter(const timeline::View& view, const events::RunDescription& description,
                 const std::filesystem::path& file, const std::filesystem::path& shown_name)
      : view_(view),
        told_(view),
        description_(description),
        shown_name_(shown_name),
        database_(Database::Create(file)) {}

  void Begin(std::string&) override {
    Keep(database_ ? database_->Execute(kSqliteSchema) : Status(database_.error()));
    if (failed()) return;
    const auto told = std::span(kMomentColumns).first(moment_columns_);
    moments_ = Rows(fmt::format("moments ({})", fmt::join(told, ", ")), told.size());
    contexts_ = Rows("contexts", kContextColumns);
    SqlStatement run = Prepared("INSERT INTO run VALUES (?, ?)");
    if (failed()) return;
    constexpr int kProcessShift = 24;  // where Nsight Systems puts a process in its global ids
    KeepRun(run.Bind(0, events::ToJson(description_))
                .Bind(1, int64_t{description_.process_id} << kProcessShift)
                .Run());
    PutWords();
  }

  void Add(const Moment& moment, std::string&) override {
    if (failed()) return;
    // Names have a table of their own: what is left of them are their numbers.
    const Event event =
        moment.event.kind == EventKind::kName ? Event{.kind = EventKind::kName} : moment.event;
    const int64_t allocated = ValueOf(moment.values, Series::kAllocated);
    const std::array<int64_t, kMomentColumns.size()> row = {
        static_cast<int64_t>(moment.index),
        moment.time_ns,
        ContextOf(event),
        static_cast<int64_t>(event.address),
        event.bytes,
        event.rounded_bytes,
        allocated - ValueOf(moment.before, Series::kAllocated),
        allocated,
        ValueOf(moment.values, Series::kReserved)};
    KeepRun(moments_->Add(std::span(row).first(moment_columns_)));
  }

  void End(std::string&) override {
    for (const timeline::Step& step : view_.steps()) {
      if (!failed()) PutStep(step);
    }
    if (!failed()) KeepRun(moments_->Flush() && contexts_->Flush());
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

  std::optional<IntegerRows> Rows(const std::string& table, size_t columns) {
    if (failed()) return std::nullopt;
    Result<IntegerRows> rows = IntegerRows::Into(*database_, table, columns);
    if (rows) return std::move(*rows);
    Keep(rows.error());
    return std::nullopt;
  }

  void PutWords() {
    for (const auto& [id, name] : view_.names()) PutName("names", id, name);
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

  // All of an event but what a moment tells.
  int64_t ContextOf(Event event) {
    event.time_ns = 0;
    event.address = 0;
    event.bytes = 0;
    event.rounded_bytes = 0;
    const auto [known, is_new] = context_ids_.try_emplace(event, static_cast<int64_t>(context_ids_.size()));
    if (is_new) PutContext(known->second, event);
    return known->second;
  }

  void PutContext(int64_t id, const Event& event) {
    const std::array<int64_t, kContextColumns> row = {id,
                                                      static_cast<int64_t>(event.kind),
                                                      static_cast<int64_t>(event.category),
                                                      static_cast<int64_t>(event.phase),
                                                      static_cast<int64_t>(event.source),
                                                      event.device,
                                                      event.recompute,
                                                      static_cast<int64_t>(event.level),
                                                      static_cast<int64_t>(event.stream),
                                                      event.thread,
                                                      event.layer,
                                                      event.op,
                                                      event.name,
                                                      event.pool};
    KeepRun(contexts_->Add(row));
  }

  void PutStep(const timeline::Step& step) {
    SqlStatement row = Prepared("INSERT INTO steps VALUES (?,?,?,?,?,?,?,?,?,?)");
    if (failed()) return;
    row.Bind(0, step.number)
        .Bind(1, static_cast<int64_t>(step.begin))
        .Bind(2, static_cast<int64_t>(step.end))
        .Bind(3, step.begin_ns)
        .Bind(4, step.end_ns)
        .Bind(5, static_cast<int64_t>(step.peak));
    if (told_.blocks) row.Bind(6, ValueOf(step.at_peak, Series::kAllocated)).Bind(8, step.requested_peak);
    if (told_.reserved) row.Bind(7, step.reserved_peak);
    if (step.loss) row.Bind(9, *step.loss);
    KeepRun(row.Run());
  }

  const timeline::View& view_;
  const Told told_;
  const size_t moment_columns_ = MomentColumnsOf(told_);
  const events::RunDescription& description_;
  const std::filesystem::path shown_name_;
  Result<Database> database_;
  std::optional<IntegerRows> moments_;
  std::optional<IntegerRows> contexts_;
  std::unordered_map<Event, int64_t, HashOfBytes> context_ids_;
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
