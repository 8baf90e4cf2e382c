// Perfetto's protobuf traces: a counter track for each category and level, slices for steps, micro-batches,
// phases, layers and operators, and an instant for each allocation and free. One sequence, no interning:
// what repeats, gzip packs.
#include <string>
#include <unordered_set>
#include <vector>

#include "profiler/trace/exporters.h"
#include "profiler/trace/perfetto_format.h"

namespace tidemark::trace {
namespace {

using events::EventKind;
using timeline::Series;

// A protobuf message under construction.
class Message {
 public:
  Message& Varint(uint32_t field, uint64_t value) {
    Put(uint64_t{field} << 3 | perfetto::kVarint);
    Put(value);
    return *this;
  }
  Message& Signed(uint32_t field, int64_t value) { return Varint(field, static_cast<uint64_t>(value)); }
  Message& Real(uint32_t field, double value) {
    Put(uint64_t{field} << 3 | perfetto::kFixed64);
    bytes_.append(reinterpret_cast<const char*>(&value),
                  sizeof value);  // little endian, as tide_format.h says
    return *this;
  }
  Message& Text(uint32_t field, std::string_view text) {
    Put(uint64_t{field} << 3 | perfetto::kBytes);
    Put(text.size());
    bytes_ += text;
    return *this;
  }
  Message& Inner(uint32_t field, const Message& inner) { return Text(field, inner.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void Put(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

class PerfettoExporter final : public Exporter {
 public:
  PerfettoExporter(const timeline::View& view, const events::RunDescription& description)
      : view_(view),
        description_(description),
        process_(description.process_id > 0 ? static_cast<uint64_t>(description.process_id) : 1) {}

  void Begin(std::string& out) override {
    last_ns_ = view_.empty() ? description_.start_time_ns : view_.TimeOf(view_.first());
    Message process;
    process.Varint(perfetto::kPid, process_).Text(perfetto::kProcessName, description_.title);
    AddTrack(Message().Varint(perfetto::kUuid, perfetto::kProcessTrack).Inner(perfetto::kProcess, process),
             out);
    AddSliceTrack(perfetto::kSteps, "steps", out);
    AddSliceTrack(perfetto::kMicroBatches, "micro-batches", out);
    AddSliceTrack(perfetto::kPhases, "phases", out);
    AddSliceTrack(perfetto::kMemory, "memory", out);
    for (int series = 0; series < timeline::kSeriesCount; ++series)
      AddCounterTrack(static_cast<Series>(series), out);
    Message event = EventOn(perfetto::kMemory, perfetto::kInstant, perfetto::kRunEvent);
    Annotate(event, "Description", events::ToJson(description_));
    Write(last_ns_, event, out);
    if (!view_.empty()) EnterPhase(view_.event(view_.first()).phase, out);
  }

  void Add(const Moment& moment, std::string& out) override {
    last_ns_ = moment.time_ns;
    AddCounters(moment, out);
    switch (moment.event.kind) {
      case EventKind::kAllocate:
      case EventKind::kFreeRequested:
      case EventKind::kFreeCompleted:
      case EventKind::kOutOfMemory:
        return AddMemory(moment, out);
      case EventKind::kPhase:
        return EnterPhase(moment.event.phase, out);
      case EventKind::kScopeBegin:
      case EventKind::kScopeEnd:
        return AddScope(moment.event, out);
      case EventKind::kMetric:
      case EventKind::kCounter:
        return AddNumber(moment.event, out);
      case EventKind::kMarker:
        return AddInstant("marker", view_.name(moment.event.name), out);
      case EventKind::kLoss:
        return AddInstant("loss", std::to_string(moment.event.bytes) + " events lost", out);
      default:
        return AddStep(moment.event, out);
    }
  }

  void End(std::string& out) override {
    Close(perfetto::kMicroBatches, in_micro_batch_, out);
    Close(perfetto::kSteps, in_step_, out);
    Close(perfetto::kPhases, in_phase_, out);
  }

 private:
  static bool IsLevel(Series series) { return static_cast<int>(series) >= events::kCategoryCount; }
  static std::string_view NameOf(Series series) {
    if (!IsLevel(series)) return events::NameOf(static_cast<events::Category>(series));
    switch (series) {
      case Series::kAllocated:
        return "allocated";
      case Series::kRequested:
        return "requested";
      case Series::kReserved:
        return "reserved";
      case Series::kDriver:
        return "driver";
      case Series::kProcess:
        return "process";
      case Series::kCard:
        break;
    }
    return "card";
  }

  void Put(const Message& packet, std::string& out) {
    out += Message().Inner(perfetto::kTracePacket, packet).bytes();
  }
  void AddTrack(const Message& descriptor, std::string& out) {
    Message packet;
    packet.Varint(perfetto::kSequence, 1);
    if (first_) packet.Varint(perfetto::kSequenceFlags, perfetto::kIncrementalStateCleared);
    first_ = false;
    Put(packet.Inner(perfetto::kTrackDescriptor, descriptor), out);
  }
  static Message TrackUnderProcess(uint64_t uuid, std::string_view name) {
    return Message()
        .Varint(perfetto::kUuid, uuid)
        .Text(perfetto::kTrackName, name)
        .Varint(perfetto::kParent, perfetto::kProcessTrack);
  }
  void AddSliceTrack(uint64_t uuid, std::string_view name, std::string& out) {
    AddTrack(TrackUnderProcess(uuid, name), out);
  }
  // One for each series that is ever more than nothing.
  void AddCounterTrack(Series series, std::string& out) {
    if (ValueOf(view_.PeakIn(series, view_.first(), view_.end()).values, series) == 0) return;
    used_.push_back(series);
    const Message unit = Message().Varint(perfetto::kUnit, perfetto::kUnitBytes);
    AddTrack(TrackUnderProcess(perfetto::kCounters + static_cast<uint64_t>(series), NameOf(series))
                 .Inner(perfetto::kCounterDescriptor, unit),
             out);
  }

  static Message EventOn(uint64_t track, perfetto::Type type, std::string_view name = {}) {
    Message event;
    event.Varint(perfetto::kType, type).Varint(perfetto::kTrack, track);
    if (!name.empty()) event.Text(perfetto::kEventName, name);
    return event;
  }
  static void Annotate(Message& event, std::string_view name, int64_t value) {
    event.Inner(perfetto::kAnnotations,
                Message().Text(perfetto::kAnnotationName, name).Signed(perfetto::kInteger, value));
  }
  static void Annotate(Message& event, std::string_view name, std::string_view value) {
    if (value.empty()) return;
    event.Inner(perfetto::kAnnotations,
                Message().Text(perfetto::kAnnotationName, name).Text(perfetto::kText, value));
  }
  void Write(int64_t time_ns, const Message& event, std::string& out) {
    Put(Message()
            .Signed(perfetto::kTimestamp, time_ns)
            .Varint(perfetto::kSequence, 1)
            .Inner(perfetto::kTrackEvent, event),
        out);
  }

  void AddCounters(const Moment& moment, std::string& out) {
    for (const Series series : used_) {
      const int64_t value = ValueOf(moment.values, series);
      if (value == ValueOf(moment.before, series) && counted_) continue;
      Message event = EventOn(perfetto::kCounters + static_cast<uint64_t>(series), perfetto::kCounter);
      Write(last_ns_, event.Signed(perfetto::kCounterValue, value), out);
    }
    counted_ = true;
  }

  // A block counts until the first of its two frees, so only that one is told.
  void AddMemory(const Moment& moment, std::string& out) {
    const events::Event& event = moment.event;
    const bool is_shortage = event.kind == EventKind::kOutOfMemory;
    const int64_t total = ValueOf(moment.values, Series::kAllocated);
    const int64_t change = total - ValueOf(moment.before, Series::kAllocated);
    if (change == 0 && !is_shortage) return;
    Message written = EventOn(perfetto::kMemory, perfetto::kInstant,
                              is_shortage ? perfetto::kShortageEvent : perfetto::kMemoryEvent);
    Annotate(written, "Bytes", is_shortage ? event.bytes : change);
    if (is_shortage) Annotate(written, "Free", event.rounded_bytes);
    if (!is_shortage) Annotate(written, "Requested", event.bytes);
    Annotate(written, "Addr", static_cast<int64_t>(event.address));
    Annotate(written, "Device Id", event.device);
    Annotate(written, "Device Type", int64_t{description_.device == "cpu" ? 0 : 1});
    Annotate(written, "Stream", static_cast<int64_t>(event.stream));
    Annotate(written, "Thread", event.thread);
    Annotate(written, "Total Allocated", total);
    Annotate(written, "Total Reserved", ValueOf(moment.values, Series::kReserved));
    Annotate(written, "Category", events::NameOf(event.category));
    Annotate(written, "Layer", view_.name(event.layer));
    Annotate(written, "Operator", view_.name(event.op));
    Annotate(written, "Tensor", view_.name(event.name));
    Write(last_ns_, written, out);
  }

  void AddInstant(std::string_view category, std::string_view name, std::string& out) {
    Message event = EventOn(perfetto::kMemory, perfetto::kInstant, name);
    Write(last_ns_, event.Text(perfetto::kCategories, category), out);
  }

  void AddScope(const events::Event& event, std::string& out) {
    const uint64_t track = perfetto::kThreads + event.thread;
    if (threads_.insert(event.thread).second) {
      Message thread;
      thread.Varint(perfetto::kThreadPid, process_).Varint(perfetto::kThreadTid, event.thread);
      AddTrack(Message().Varint(perfetto::kUuid, track).Inner(perfetto::kThread, thread), out);
    }
    if (event.kind == EventKind::kScopeEnd) return Write(last_ns_, EventOn(track, perfetto::kSliceEnd), out);
    const bool is_layer = event.op == 0;
    Message begin = EventOn(track, perfetto::kSliceBegin, view_.name(is_layer ? event.layer : event.op));
    begin.Text(perfetto::kCategories, is_layer ? "layer" : "cpu_op");
    if (!is_layer) Annotate(begin, "Layer", view_.name(event.layer));
    Write(last_ns_, begin, out);
  }

  void AddNumber(const events::Event& event, std::string& out) {
    const bool is_metric = event.kind == EventKind::kMetric;
    if (!is_metric && event.level != events::Level::kNone) return;  // a level's counter tells it
    const uint64_t track = perfetto::kNamedCounters + event.name;
    if (counters_.insert(event.name).second)
      AddTrack(
          TrackUnderProcess(track, view_.name(event.name)).Inner(perfetto::kCounterDescriptor, Message()),
          out);
    Message counter = EventOn(track, perfetto::kCounter);
    if (is_metric) {
      counter.Real(perfetto::kCounterReal, events::MetricOf(event));
    } else {
      counter.Signed(perfetto::kCounterValue, event.bytes);
    }
    Write(last_ns_, counter, out);
  }

  void AddStep(const events::Event& event, std::string& out) {
    const bool is_step = event.kind == EventKind::kStepBegin || event.kind == EventKind::kStepEnd;
    if (!is_step && event.kind != EventKind::kMicroBatchBegin) return;
    Close(perfetto::kMicroBatches, in_micro_batch_, out);
    if (is_step) Close(perfetto::kSteps, in_step_, out);
    if (event.kind == EventKind::kStepEnd) return;
    const std::string name = (is_step ? "step " : "micro-batch ") + std::to_string(event.bytes);
    Open(is_step ? perfetto::kSteps : perfetto::kMicroBatches, is_step ? in_step_ : in_micro_batch_, name,
         out);
  }

  void EnterPhase(events::Phase phase, std::string& out) {
    Close(perfetto::kPhases, in_phase_, out);
    if (phase == events::Phase::kIdle) return;
    Open(perfetto::kPhases, in_phase_, events::NameOf(phase), out);
  }

  void Open(uint64_t track, bool& open, std::string_view name, std::string& out) {
    Write(last_ns_, EventOn(track, perfetto::kSliceBegin, name), out);
    open = true;
  }
  void Close(uint64_t track, bool& open, std::string& out) {
    if (open) Write(last_ns_, EventOn(track, perfetto::kSliceEnd), out);
    open = false;
  }

  const timeline::View& view_;
  const events::RunDescription& description_;
  const uint64_t process_;
  int64_t last_ns_ = 0;
  bool first_ = true;
  bool counted_ = false;
  bool in_step_ = false;
  bool in_micro_batch_ = false;
  bool in_phase_ = false;
  std::vector<Series> used_;
  std::unordered_set<uint32_t> threads_;
  std::unordered_set<events::NameId> counters_;
};

}  // namespace

std::unique_ptr<Exporter> MakePerfettoExporter(const timeline::View& view,
                                               const events::RunDescription& description) {
  return std::make_unique<PerfettoExporter>(view, description);
}

}  // namespace tidemark::trace
