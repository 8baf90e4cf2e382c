// Trace Event JSON. Tracks: one process; threads of the traced program with their scopes; three threads of
// our own for steps, micro-batches and phases, which do not nest in each other.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiler/networks/training_settings.h"
#include "profiler/trace/exporters/chrome_structure.h"
#include "profiler/trace/exporters/device_work_slices.h"
#include "profiler/trace/exporters/exporter.h"
#include "profiler/trace/exporters/formatted_text.h"
#include "profiler/trace/exporters/scope_slices.h"
#include "profiler/trace/trace_words.h"

namespace tidemark::trace {
namespace {

using events::Event;
using events::EventKind;
using timeline::Series;
using Json = nlohmann::json;

std::string Quoted(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

class ChromeExporter final : public Exporter {
 public:
  ChromeExporter(const timeline::View& view, const events::RunDescription& description)
      : view_(view),
        told_(view),
        description_(description),
        process_id_(description.process_id > 0 ? description.process_id : 1),
        base_ns_(Earliest()),
        structure_(process_id_, base_ns_) {
    for (int category = 0; category < events::kCategoryCount; ++category) {
      const auto series = timeline::SeriesOf(static_cast<events::Category>(category));
      if (ValueOf(view.PeakIn(series, view.first(), view.end()).values, series) > 0) used_.push_back(series);
    }
  }

  void Begin(std::string& out) override {
    out += "{\"schemaVersion\": 1, \"displayTimeUnit\": \"ms\",\n";
    AppendFormatted(out, FMT_COMPILE("\"baseTimeNanoseconds\": {},\n\"traceName\": {},\n"), base_ns_,
                    Quoted(description_.title));
    const Json device = {
        {"id", 0}, {"name", description_.device_name}, {"totalGlobalMem", description_.device_bytes}};
    out += "\"deviceProperties\": [" + Dumped(device) + "],\n\"otherData\": " + Dumped(OtherData());
    out += ",\n\"traceEvents\": [\n";
    AppendFormatted(out, FMT_COMPILE(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})"),
                    process_id_, Quoted(description_.title));
    NameTrack(out, kStepTrack, "steps", -3);
    NameTrack(out, kMicroBatchTrack, "micro-batches", -2);
    NameTrack(out, kPhaseTrack, "phases", -1);
    if (!view_.empty())
      structure_.EnterPhase(view_.event(view_.first()).phase, view_.TimeOf(view_.first()), out);
  }

  void Add(const Moment& moment, std::string& out) override {
    last_ns_ = moment.time_ns;
    AddCounters(moment, out);
    if (IsOfMemory(moment.event.kind)) {
      AddMemory(moment, out);
    } else {
      AddStructure(moment, out);
    }
  }

  void AddBookmark(const Bookmark& bookmark, std::string& out) override {
    AppendFormatted(out,
                    FMT_COMPILE(",\n"
                                R"({{"ph":"i","s":"g","cat":"{}","pid":{},"tid":{},"ts":{},"name":{},)"
                                R"("args":{{}}}})"),
                    kBookmarkCategory, process_id_, kStepTrack, At(bookmark.time_ns).text(),
                    Quoted(bookmark.text));
  }

  void AddWork(const timeline::DeviceWorkPage& page, std::string& out) override {
    for (const timeline::DeviceWork& work : ByBeginning(page)) AddSlice(work, out);
  }

  void End(std::string& out) override {
    for (auto& [thread, scopes] : scopes_) {
      scopes.CutAll(last_ns_);
      WriteScopes(thread, scopes, out);
    }
    structure_.End(last_ns_, out);
    out += "\n]}\n";
  }

 private:
  // Kernels may have begun before the first event.
  int64_t Earliest() const {
    constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
    int64_t earliest_ns = view_.empty() ? kNone : view_.TimeOf(view_.first());
    for (const timeline::DeviceWorkPage& page : view_.device_work())
      earliest_ns = std::min(earliest_ns, page.begin_ns);
    return earliest_ns == kNone ? description_.start_time_ns : earliest_ns;
  }

  static std::string Dumped(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  MicrosecondText At(int64_t time_ns) const { return MicrosecondText(time_ns - base_ns_); }

  Json OtherData() const {
    // Read as settings and not as any JSON: a file may hold one that is nested deeper than a stack can take.
    const auto settings = networks::SettingsFromJson(description_.settings_json);
    return {
        {"device", description_.device},
        {"device_name", description_.device_name},
        {"device_bytes", description_.device_bytes},
        {"settings", settings ? Json::parse(networks::ToJson(*settings)) : Json(description_.settings_json)},
        {"producer", description_.producer},
        {"run", events::ToJson(description_)},
        {"start_time_ns", description_.start_time_ns},
        {"events", view_.end() - view_.first()},
        {"events_lost", view_.health().lost},
        {"events_let_go", view_.health().let_go},
        {"health", timeline::DescribeHealth(view_)}};
  }

  void NameTrack(std::string& out, uint32_t track, std::string_view name, int order) {
    AppendFormatted(
        out,
        FMT_COMPILE(",\n"
                    R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})"),
        process_id_, track, name);
    AppendFormatted(
        out,
        FMT_COMPILE(
            ",\n"
            R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})"),
        process_id_, track, order);
  }

  // The JSON string of a name, made once.
  const std::string& Name(events::NameId id) {
    auto [entry, is_new] = names_.try_emplace(id);
    if (is_new) entry->second = Quoted(view_.name(id));
    return entry->second;
  }

  // Chrome (catapult) takes a category that a counter leaves out for 0, Perfetto for what it was: so only one
  // that is and was 0 is left out, and none at first, from which Chrome knows them.
  void AddCounters(const Moment& moment, std::string& out) {
    if (moment.values == moment.before && counted_) return;
    const auto changed = [&](Series series) {
      return ValueOf(moment.values, series) != ValueOf(moment.before, series);
    };
    const MicrosecondText now = At(moment.time_ns);
    const std::string_view at = now.text();
    if (!used_.empty() && (!counted_ || std::ranges::any_of(used_, changed))) {
      AppendFormatted(out,
                      FMT_COMPILE(",\n"
                                  R"({{"ph":"C","pid":{},"ts":{},"name":"memory by category","args":{{)"),
                      process_id_, at);
      std::string_view separator;
      for (const Series series : used_) {
        const int64_t bytes = ValueOf(moment.values, series);
        if (counted_ && bytes == 0 && !changed(series)) continue;
        AppendFormatted(out, FMT_COMPILE(R"({}"{}":{})"), separator,
                        NameOf(static_cast<events::Category>(series)), bytes);
        separator = ",";
      }
      out += "}}";
    }
    counted_ = true;
    static constexpr std::pair<Series, std::string_view> kLevels[] = {{Series::kAllocated, "allocated"},
                                                                      {Series::kRequested, "requested"},
                                                                      {Series::kReserved, "reserved"}};
    for (const auto& [series, name] : kLevels) {
      if (!(series == Series::kReserved ? told_.reserved : told_.blocks)) continue;
      if (!changed(series) && moment.index != view_.first()) continue;
      AppendFormatted(out,
                      FMT_COMPILE(",\n"
                                  R"({{"ph":"C","pid":{},"ts":{},"name":"{}","args":{{"bytes":{}}}}})"),
                      process_id_, at, name, ValueOf(moment.values, series));
    }
  }

  // Up to its arguments.
  void BeginInstant(const Moment& moment, char scope, std::string_view category, std::string_view quoted_name,
                    std::string& out) {
    AppendFormatted(
        out,
        FMT_COMPILE(",\n"
                    R"({{"ph":"i","s":"{}","cat":"{}","pid":{},"tid":{},"ts":{},"name":{},"args":{{)"),
        scope, category, process_id_, moment.event.thread, At(moment.time_ns).text(), quoted_name);
  }

  // Closes them.
  void Instant(const Moment& moment, char scope, std::string_view quoted_name, std::string_view arguments,
               std::string& out) {
    BeginInstant(moment, scope, InstantCategoryOf(moment.event.kind), quoted_name, out);
    out += arguments;
    out += "}}";
  }

  void AddMemory(const Moment& moment, std::string& out) {
    switch (moment.event.kind) {
      case EventKind::kAllocate:
      case EventKind::kFreeRequested:
      case EventKind::kFreeCompleted:
        return AddMemoryInstant(moment, out);
      default:
        return AddOtherMemory(moment, out);
    }
  }

  // As torch.profiler writes them (kineto, output_json.cpp), with what we know besides. A block counts until
  // the first of its two frees; the other is told beside it.
  void AddMemoryInstant(const Moment& moment, std::string& out) {
    const Event& event = moment.event;
    const int64_t allocated = ValueOf(moment.values, Series::kAllocated);
    const bool is_free = event.kind != EventKind::kAllocate;
    if (is_free && allocated == ValueOf(moment.before, Series::kAllocated))
      return AddOtherMemory(moment, out);
    BeginInstant(moment, 't', "cpu_instant_event", memory_instant_, out);
    AppendFormatted(
        out,
        FMT_COMPILE(
            R"("Total Reserved":{},"Total Allocated":{},"Bytes":{},"Addr":{},"Device Id":{},"Device Type":{},"Ev Idx":{})"
            R"(,"Requested":{},"Category":"{}")"),
        ValueOf(moment.values, Series::kReserved), allocated,
        is_free ? -event.rounded_bytes : event.rounded_bytes, event.address, event.device,
        DeviceTypeOf(description_.device), moment.index, event.bytes, NameOf(event.category));
    if (event.kind == EventKind::kFreeRequested)
      AppendFormatted(out, FMT_COMPILE(R"(,"Kind":"{}")"), NameOf(event.kind));
    AppendName(R"(,"Shape":)", view_.ShapeOf(moment.index), out);
    EndMemory(event, out);
  }

  // What leaves the blocks' total as it is: a block's second free, its category, segments, out of memory.
  void AddOtherMemory(const Moment& moment, std::string& out) {
    const Event& event = moment.event;
    const bool is_shortage = event.kind == EventKind::kOutOfMemory;
    BeginInstant(moment, is_shortage ? 'g' : 't', InstantCategoryOf(event.kind),
                 fmt::format(FMT_COMPILE(R"("{}")"), is_shortage ? kShortageInstant : NameOf(event.kind)),
                 out);
    AppendFormatted(out, FMT_COMPILE(R"("Addr":{},"Device Id":{},"Device Type":{})"), event.address,
                    event.device, DeviceTypeOf(description_.device));
    if (is_shortage) {
      AppendFormatted(out, FMT_COMPILE(R"(,"Bytes":{},"Free":{})"), event.bytes, event.rounded_bytes);
    } else if (event.kind == EventKind::kCategorize) {
      AppendFormatted(out, FMT_COMPILE(R"(,"Category":"{}")"), NameOf(event.category));
    } else if (!IsOfBlock(event.kind)) {
      AppendFormatted(out, FMT_COMPILE(R"(,"Bytes":{})"), event.bytes);
    }
    EndMemory(event, out);
  }

  // What any event of memory says last.
  void EndMemory(const Event& event, std::string& out) {
    if (event.stream != 0) AppendFormatted(out, FMT_COMPILE(R"(,"Stream":{})"), event.stream);
    if (event.recompute != 0) out += R"(,"Recompute":true)";
    if (event.pool != 0) AppendFormatted(out, FMT_COMPILE(R"(,"Pool":{})"), event.pool);
    AppendName(R"(,"Layer":)", event.layer, out);
    AppendName(R"(,"Operator":)", event.op, out);
    AppendName(event.kind == EventKind::kTensorShape ? R"(,"Shape":)" : R"(,"Tensor":)", event.name, out);
    out += "}}";
  }

  void AppendName(std::string_view key, events::NameId name, std::string& out) {
    if (name == 0) return;
    out += key;
    out += Name(name);
  }

  void AddStructure(const Moment& moment, std::string& out) {
    const Event& event = moment.event;
    switch (event.kind) {
      case EventKind::kPhase:
        return structure_.Add(event, moment.time_ns, out);
      case EventKind::kStepBegin:
      case EventKind::kStepEnd:
      case EventKind::kMicroBatchBegin:
        if (!moment.is_no_edge || event.kind == EventKind::kMicroBatchBegin)
          structure_.Add(event, moment.time_ns, out);
        return;
      case EventKind::kScopeBegin:
      case EventKind::kScopeEnd:
        AddScope(moment, out);
        return;
      case EventKind::kMarker:
        return AddMarker(moment, out);
      case EventKind::kLoss:
        return Instant(
            moment, 'g', "\"events lost\"",
            fmt::format(FMT_COMPILE(R"("Events":{},"Source":"{}")"), event.bytes, NameOf(event.source)), out);
      case EventKind::kMetric:
        return AddMetric(moment, out);
      case EventKind::kCounter:
        return AddCounter(moment, out);
      default:
        return;
    }
  }

  void AddMarker(const Moment& moment, std::string& out) {
    const Event& event = moment.event;
    BeginInstant(moment, 'g', InstantCategoryOf(event.kind), Name(event.name), out);
    AppendFormatted(out, FMT_COMPILE(R"("Source":"{}")"), NameOf(event.source));
    AppendName(R"(,"settings":)", event.op, out);
    out += "}}";
  }

  // Viewers draw a curve for each argument of a counter, so what else it says stands beside them.
  void AddValue(const Moment& moment, std::string_view value, std::string_view besides, std::string& out) {
    const Event& event = moment.event;
    AppendFormatted(out,
                    FMT_COMPILE(",\n"
                                R"({{"ph":"C","cat":"{}","pid":{},"tid":{},"ts":{},"name":{},)"
                                R"("args":{{"value":{}}},"tidemark":{{{}}}}})"),
                    InstantCategoryOf(event.kind), process_id_, event.thread, At(moment.time_ns).text(),
                    Name(event.name), value, besides);
  }

  void AddMetric(const Moment& moment, std::string& out) {
    const Event& event = moment.event;
    const double value = events::MetricOf(event);
    const std::string step = fmt::format(FMT_COMPILE(R"("Step":{})"), event.bytes);
    if (std::isfinite(value)) return AddValue(moment, fmt::format("{}", value), step, out);
    // JSON has no word for it.
    Instant(moment, 'g', Name(event.name), fmt::format(R"("value":"{}",{})", value, step), out);
  }

  void AddCounter(const Moment& moment, std::string& out) {
    const Event& event = moment.event;
    std::string besides =
        fmt::format(FMT_COMPILE(R"("Level":"{}","Source":"{}","Changed":{},"Addr":{})"), NameOf(event.level),
                    NameOf(event.source), event.rounded_bytes, event.address);
    AppendName(R"(,"Operator":)", event.op, besides);
    AddValue(moment, fmt::format("{}", event.bytes), besides, out);
  }

  void AddScope(const Moment& moment, std::string& out) {
    const Event& event = moment.event;
    const auto [entry, is_new] = scopes_.try_emplace(event.thread);
    if (is_new) NameTrack(out, event.thread, fmt::format("thread {}", event.thread), 0);
    ScopeSlices& scopes = entry->second;
    if (event.kind == EventKind::kScopeBegin) {
      scopes.Begin({.begin_ns = moment.time_ns,
                    .layer = event.layer,
                    .op = event.op,
                    .recompute = event.recompute != 0});
    } else {
      scopes.End(moment.time_ns, event.name);
    }
    if (scopes.ready()) WriteScopes(event.thread, scopes, out);
  }

  void AddSlice(const timeline::DeviceWork& work, std::string& out) {
    const uint32_t track = kFirstStreamTrack + StreamNumber(work);
    if (streams_.insert(StreamNumber(work)).second) NameTrack(out, track, StreamTitle(work), 1);
    std::string arguments = fmt::format(R"("device":{},"stream":{})", work.device, work.stream);
    if (work.kind != EventKind::kKernel) arguments += fmt::format(R"(,"bytes":{})", work.bytes);
    AppendFormatted(
        out,
        FMT_COMPILE(",\n"
                    R"({{"ph":"X","cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"name":{},"args":{{{}}}}})"),
        WorkCategoryOf(work.kind), process_id_, track, At(work.begin_ns).text(),
        MicrosecondText(work.duration_ns).text(),
        work.kind == EventKind::kMemorySet ? std::string("\"memset\"") : Name(work.name), arguments);
  }

  void WriteScopes(uint32_t thread, ScopeSlices& scopes, std::string& out) {
    for (const ScopeSlices::Slice& slice : scopes.Take()) {
      const bool is_layer = slice.op == 0;
      std::string arguments;
      const auto add = [&arguments](std::string_view key, std::string_view value) {
        AppendFormatted(arguments, FMT_COMPILE(R"({}"{}":{})"), arguments.empty() ? "" : ",", key, value);
      };
      if (!is_layer && slice.layer != 0) add("Layer", Name(slice.layer));
      if (slice.computed_in != 0) add("Computed in", Name(slice.computed_in));
      if (slice.recompute) add("Recompute", "true");
      if (slice.unfinished) add("Unfinished", "true");
      AppendFormatted(
          out,
          FMT_COMPILE(
              ",\n"
              R"({{"ph":"X","cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"name":{},"args":{{{}}}}})"),
          is_layer ? kLayerCategory : kOperatorCategory, process_id_, thread, At(slice.begin_ns).text(),
          MicrosecondText(slice.end_ns - slice.begin_ns).text(), Name(is_layer ? slice.layer : slice.op),
          arguments);
    }
  }

  const timeline::View& view_;
  const Told told_;
  const events::RunDescription& description_;
  const int32_t process_id_;
  const int64_t base_ns_;
  StructureSlices structure_;
  const std::string memory_instant_ = Quoted(kMemoryInstant);  // of every allocation and free
  int64_t last_ns_ = 0;
  bool counted_ = false;
  std::vector<Series> used_;  // categories that hold anything at any time
  std::unordered_map<events::NameId, std::string> names_;
  std::map<uint32_t, ScopeSlices> scopes_;  // by thread
  std::set<uint32_t> streams_;              // StreamNumber
};

}  // namespace

std::unique_ptr<Exporter> MakeChromeExporter(const timeline::View& view,
                                             const events::RunDescription& description) {
  return std::make_unique<ChromeExporter>(view, description);
}

}  // namespace tidemark::trace
