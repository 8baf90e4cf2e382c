// Perfetto's protobuf traces: a counter track for each category and level, slices for steps, micro-batches,
// phases, layers and operators, and an instant for each allocation and free. One sequence; words that repeat
// are interned.
#include <array>
#include <protozero/basic_pbf_writer.hpp>
#include <protozero/buffer_fixed.hpp>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "profiler/trace/device_work_slices.h"
#include "profiler/trace/exporters.h"
#include "profiler/trace/packet_buffer.h"
#include "profiler/trace/perfetto_format.h"

namespace tidemark::trace {
namespace {

using events::EventKind;
using timeline::Series;

// A protobuf message, written where it belongs; it ends when this goes. While one inside it is open, it takes
// nothing.
class Message {
 public:
  explicit Message(PacketBuffer& out) : writer_(out) {}
  Message(Message& around, uint32_t field) : writer_(around.writer_, field) {}

  Message& Varint(uint32_t field, uint64_t value) {
    writer_.add_uint64(field, value);
    return *this;
  }
  Message& Signed(uint32_t field, int64_t value) {
    writer_.add_int64(field, value);
    return *this;
  }
  Message& Real(uint32_t field, double value) {
    writer_.add_double(field, value);
    return *this;
  }
  Message& Text(uint32_t field, std::string_view text) {
    writer_.add_string(field, text.data(), text.size());
    return *this;
  }
  // A message that was put together elsewhere.
  Message& Whole(uint32_t field, std::string_view message) {
    writer_.add_message(field, message.data(), message.size());
    return *this;
  }

 private:
  protozero::basic_pbf_writer<PacketBuffer> writer_;
};

// Numbers for words; each is told in a packet of its own before it is first meant.
class Words {
 public:
  explicit Words(perfetto::Interned field) : field_(field) {}

  // `text` is the same for the same key at every call. Never 0.
  uint64_t Iid(uint64_t key, std::string_view text, PacketBuffer& out) {
    const auto [known, is_new] = iids_.try_emplace(key, iids_.size() + 1);
    if (is_new) {
      Message trace(out);
      Message packet(trace, perfetto::kTracePacket);
      packet.Varint(perfetto::kSequence, 1);
      Message data(packet, perfetto::kInternedData);
      Message(data, field_).Varint(perfetto::kIid, known->second).Text(perfetto::kWord, text);
    }
    return known->second;
  }

 private:
  const perfetto::Interned field_;
  std::unordered_map<uint64_t, uint64_t> iids_;
};

// A packet that describes a track. The first of a trace says that nothing came before.
struct TrackPacket {
  TrackPacket(uint64_t uuid, bool first, PacketBuffer& out)
      : trace(out),
        packet(trace, perfetto::kTracePacket),
        descriptor(Of(packet, first), perfetto::kTrackDescriptor) {
    descriptor.Varint(perfetto::kUuid, uuid);
  }
  // One under the process's.
  TrackPacket(uint64_t uuid, std::string_view name, PacketBuffer& out) : TrackPacket(uuid, false, out) {
    descriptor.Text(perfetto::kTrackName, name).Varint(perfetto::kParent, perfetto::kProcessTrack);
  }
  static Message& Of(Message& packet, bool first) {
    if (first) packet.Varint(perfetto::kSequenceFlags, perfetto::kIncrementalStateCleared);
    return packet.Varint(perfetto::kSequence, 1);
  }

  Message trace;
  Message packet;
  Message descriptor;
};

// What an event is annotated with: their numbers, which the trace tells first, and their words.
enum class Note : uint64_t {
  kBytes = 1,
  kFree,
  kRequested,
  kAddress,
  kDevice,
  kDeviceType,
  kStream,
  kThread,
  kAllocated,
  kReserved,
  kCategory,
  kLayer,
  kOperator,
  kTensor,
  kDescription,
};
constexpr std::array<std::string_view, 15> kNotes = {
    "Bytes",    "Free",   "Requested",       "Addr",           "Device Id", "Device Type",
    "Stream",   "Thread", "Total Allocated", "Total Reserved", "Category",  "Layer",
    "Operator", "Tensor", "Description"};

// A packet with an event on a track. While it is open, no other packet is written.
struct EventPacket {
  EventPacket(int64_t time_ns, uint64_t track, perfetto::Type type, PacketBuffer& out,
              std::string_view name = {})
      : trace(out), packet(trace, perfetto::kTracePacket), event(At(packet, time_ns), perfetto::kTrackEvent) {
    event.Varint(perfetto::kType, type).Varint(perfetto::kTrack, track);
    if (!name.empty()) event.Text(perfetto::kEventName, name);
  }
  static Message& At(Message& packet, int64_t time_ns) {
    return packet.Signed(perfetto::kTimestamp, time_ns)
        .Varint(perfetto::kSequence, 1)
        .Varint(perfetto::kSequenceFlags, perfetto::kNeedsIncrementalState);
  }

  void Annotate(Note note, int64_t value) {
    AnnotateVarint(note, perfetto::kInteger, static_cast<uint64_t>(value));
  }
  void Annotate(Note note, std::string_view value) {
    Message(event, perfetto::kAnnotations)
        .Varint(perfetto::kAnnotationNameIid, static_cast<uint64_t>(note))
        .Text(perfetto::kText, value);
  }
  // An interned text; 0 = there is none.
  void AnnotateIid(Note note, uint64_t iid) {
    if (iid != 0) AnnotateVarint(note, perfetto::kTextIid, iid);
  }
  void AnnotateVarint(Note note, perfetto::Annotation field, uint64_t value) {
    // Inside the event it would be moved when its length is known.
    std::array<char, 4 * kMostVarintBytes> bytes;
    protozero::fixed_size_buffer_adaptor buffer(bytes);
    protozero::basic_pbf_writer<protozero::fixed_size_buffer_adaptor> annotation(buffer);
    annotation.add_uint64(perfetto::kAnnotationNameIid, static_cast<uint64_t>(note));
    annotation.add_uint64(field, value);
    event.Whole(perfetto::kAnnotations, {buffer.data(), buffer.size()});
  }
  static constexpr size_t kMostVarintBytes = 10;
  Message trace;
  Message packet;
  Message event;
};

class PerfettoExporter final : public Exporter {
 public:
  PerfettoExporter(const timeline::View& view, const events::RunDescription& description)
      : view_(view),
        description_(description),
        process_(description.process_id > 0 ? static_cast<uint64_t>(description.process_id) : 1) {}

  void Begin(std::string& out) override {
    BeginTrace(packets_);
    HandOver(out);
  }

  void Add(const Moment& moment, std::string& out) override {
    AddMoment(moment, packets_);
    HandOver(out);
  }

  void AddBookmark(const Bookmark& bookmark, std::string& out) override {
    EventPacket(bookmark.time_ns, perfetto::kMemory, perfetto::kInstant, packets_, bookmark.text)
        .event.Text(perfetto::kCategories, "bookmark");
    HandOver(out);
  }

  void AddWork(const timeline::DeviceWorkPage& page, std::string& out) override {
    for (const timeline::DeviceWork& work : ByBeginning(page)) AddSlice(work, packets_);
    HandOver(out);
  }

  void End(std::string& out) override {
    Close(perfetto::kMicroBatches, in_micro_batch_, packets_);
    Close(perfetto::kSteps, in_step_, packets_);
    Close(perfetto::kPhases, in_phase_, packets_);
    HandOver(out);
  }

 private:
  void HandOver(std::string& out) {
    out += packets_.bytes();
    packets_.clear();
  }

  void BeginTrace(PacketBuffer& out) {
    last_ns_ = view_.empty() ? description_.start_time_ns : view_.TimeOf(view_.first());
    {
      TrackPacket track(perfetto::kProcessTrack, true, out);
      Message(track.descriptor, perfetto::kProcess)
          .Varint(perfetto::kPid, process_)
          .Text(perfetto::kProcessName, description_.title);
    }
    AddSliceTrack(perfetto::kSteps, "steps", out);
    AddSliceTrack(perfetto::kMicroBatches, "micro-batches", out);
    AddSliceTrack(perfetto::kPhases, "phases", out);
    AddSliceTrack(perfetto::kMemory, "memory", out);
    for (int series = 0; series < timeline::kSeriesCount; ++series)
      AddCounterTrack(static_cast<Series>(series), out);
    for (uint64_t note = 0; note < kNotes.size(); ++note) notes_.Iid(note, kNotes[note], out);
    EventPacket(last_ns_, perfetto::kMemory, perfetto::kInstant, out, perfetto::kRunEvent)
        .Annotate(Note::kDescription, events::ToJson(description_));
    if (!view_.empty()) EnterPhase(view_.event(view_.first()).phase, out);
  }

  void AddMoment(const Moment& moment, PacketBuffer& out) {
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

  static void AddSliceTrack(uint64_t uuid, std::string_view name, PacketBuffer& out) {
    const TrackPacket packet(uuid, name, out);
  }
  // One for each series that is ever more than nothing.
  void AddCounterTrack(Series series, PacketBuffer& out) {
    if (ValueOf(view_.PeakIn(series, view_.first(), view_.end()).values, series) == 0) return;
    used_.push_back(series);
    TrackPacket track(perfetto::kCounters + static_cast<uint64_t>(series), NameOf(series), out);
    Message(track.descriptor, perfetto::kCounterDescriptor).Varint(perfetto::kUnit, perfetto::kUnitBytes);
  }

  void AddCounters(const Moment& moment, PacketBuffer& out) {
    for (const Series series : used_) {
      const int64_t value = ValueOf(moment.values, series);
      if (value == ValueOf(moment.before, series) && counted_) continue;
      EventPacket(last_ns_, perfetto::kCounters + static_cast<uint64_t>(series), perfetto::kCounter, out)
          .event.Signed(perfetto::kCounterValue, value);
    }
    counted_ = true;
  }

  // A block counts until the first of its two frees, so only that one is told.
  void AddMemory(const Moment& moment, PacketBuffer& out) {
    const events::Event& event = moment.event;
    const bool is_shortage = event.kind == EventKind::kOutOfMemory;
    const int64_t total = ValueOf(moment.values, Series::kAllocated);
    const int64_t change = total - ValueOf(moment.before, Series::kAllocated);
    if (change == 0 && !is_shortage) return;
    const uint64_t name =
        event_names_.Iid(is_shortage ? kShortageKey : kMemoryKey,
                         is_shortage ? perfetto::kShortageEvent : perfetto::kMemoryEvent, out);
    const uint64_t category =
        texts_.Iid(kCategoryKey + static_cast<uint64_t>(event.category), events::NameOf(event.category), out);
    const uint64_t layer = TextIid(event.layer, out);
    const uint64_t op = TextIid(event.op, out);
    const uint64_t tensor = TextIid(event.name, out);
    EventPacket written(last_ns_, perfetto::kMemory, perfetto::kInstant, out);
    written.event.Varint(perfetto::kEventNameIid, name);
    written.Annotate(Note::kBytes, is_shortage ? event.bytes : change);
    if (is_shortage) written.Annotate(Note::kFree, event.rounded_bytes);
    if (!is_shortage) written.Annotate(Note::kRequested, event.bytes);
    written.Annotate(Note::kAddress, static_cast<int64_t>(event.address));
    written.Annotate(Note::kDevice, event.device);
    written.Annotate(Note::kDeviceType, int64_t{description_.device == "cpu" ? 0 : 1});
    written.Annotate(Note::kStream, static_cast<int64_t>(event.stream));
    written.Annotate(Note::kThread, event.thread);
    written.Annotate(Note::kAllocated, total);
    written.Annotate(Note::kReserved, ValueOf(moment.values, Series::kReserved));
    written.AnnotateIid(Note::kCategory, category);
    written.AnnotateIid(Note::kLayer, layer);
    written.AnnotateIid(Note::kOperator, op);
    written.AnnotateIid(Note::kTensor, tensor);
  }

  void AddInstant(std::string_view category, std::string_view name, PacketBuffer& out) {
    EventPacket(last_ns_, perfetto::kMemory, perfetto::kInstant, out, name)
        .event.Text(perfetto::kCategories, category);
  }

  void AddScope(const events::Event& event, PacketBuffer& out) {
    const uint64_t track = perfetto::kThreads + event.thread;
    if (threads_.insert(event.thread).second) {
      TrackPacket described(track, false, out);
      Message(described.descriptor, perfetto::kThread)
          .Varint(perfetto::kThreadPid, process_)
          .Varint(perfetto::kThreadTid, event.thread);
    }
    if (event.kind == EventKind::kScopeEnd) {
      const EventPacket end(last_ns_, track, perfetto::kSliceEnd, out);
      return;
    }
    const bool is_layer = event.op == 0;
    const events::NameId id = is_layer ? event.layer : event.op;
    const std::string_view text = view_.name(id);
    const uint64_t name = text.empty() ? 0 : event_names_.Iid(id, text, out);
    const uint64_t category = categories_.Iid(is_layer ? 0 : 1, is_layer ? "layer" : "cpu_op", out);
    const uint64_t layer = is_layer ? 0 : TextIid(event.layer, out);
    EventPacket begin(last_ns_, track, perfetto::kSliceBegin, out);
    if (name != 0) begin.event.Varint(perfetto::kEventNameIid, name);
    begin.event.Varint(perfetto::kCategoryIid, category);
    begin.AnnotateIid(Note::kLayer, layer);
  }

  void AddSlice(const timeline::DeviceWork& work, PacketBuffer& out) {
    const uint64_t track = perfetto::kDeviceStreams + StreamNumber(work);
    if (streams_.insert(StreamNumber(work)).second) AddSliceTrack(track, StreamTitle(work), out);
    const bool is_set = work.kind == EventKind::kMemorySet;
    const std::string_view text = is_set ? events::NameOf(work.kind) : view_.name(work.name);
    const uint64_t name = text.empty() ? 0 : event_names_.Iid(is_set ? kMemsetKey : work.name, text, out);
    const uint64_t category =
        categories_.Iid(kFirstWorkKey + timeline::KindIndex(work), TraceCategory(work), out);
    {
      EventPacket begin(work.begin_ns, track, perfetto::kSliceBegin, out);
      if (name != 0) begin.event.Varint(perfetto::kEventNameIid, name);
      begin.event.Varint(perfetto::kCategoryIid, category);
      if (work.kind != EventKind::kKernel) begin.Annotate(Note::kBytes, work.bytes);
    }
    const EventPacket end(work.end_ns(), track, perfetto::kSliceEnd, out);
  }

  void AddNumber(const events::Event& event, PacketBuffer& out) {
    const bool is_metric = event.kind == EventKind::kMetric;
    if (!is_metric && event.level != events::Level::kNone) return;  // a level's counter tells it
    const uint64_t track = perfetto::kNamedCounters + event.name;
    if (counters_.insert(event.name).second) {
      TrackPacket described(track, view_.name(event.name), out);
      Message(described.descriptor, perfetto::kCounterDescriptor);
    }
    EventPacket counter(last_ns_, track, perfetto::kCounter, out);
    if (is_metric) {
      counter.event.Real(perfetto::kCounterReal, events::MetricOf(event));
    } else {
      counter.event.Signed(perfetto::kCounterValue, event.bytes);
    }
  }

  void AddStep(const events::Event& event, PacketBuffer& out) {
    const bool is_step = event.kind == EventKind::kStepBegin || event.kind == EventKind::kStepEnd;
    if (!is_step && event.kind != EventKind::kMicroBatchBegin) return;
    Close(perfetto::kMicroBatches, in_micro_batch_, out);
    if (is_step) Close(perfetto::kSteps, in_step_, out);
    if (event.kind == EventKind::kStepEnd) return;
    const std::string name = (is_step ? "step " : "micro-batch ") + std::to_string(event.bytes);
    Open(is_step ? perfetto::kSteps : perfetto::kMicroBatches, is_step ? in_step_ : in_micro_batch_, name,
         out);
  }

  void EnterPhase(events::Phase phase, PacketBuffer& out) {
    Close(perfetto::kPhases, in_phase_, out);
    if (phase == events::Phase::kIdle) return;
    Open(perfetto::kPhases, in_phase_, events::NameOf(phase), out);
  }

  void Open(uint64_t track, bool& open, std::string_view name, PacketBuffer& out) {
    const EventPacket begin(last_ns_, track, perfetto::kSliceBegin, out, name);
    open = true;
  }
  void Close(uint64_t track, bool& open, PacketBuffer& out) {
    if (!std::exchange(open, false)) return;
    const EventPacket end(last_ns_, track, perfetto::kSliceEnd, out);
  }

  // Keys of words that are no names of the view.
  static constexpr uint64_t kMemoryKey = uint64_t{1} << 32;
  static constexpr uint64_t kShortageKey = kMemoryKey + 1;
  static constexpr uint64_t kMemsetKey = kMemoryKey + 2;
  static constexpr uint64_t kCategoryKey = uint64_t{1} << 32;
  static constexpr uint64_t kFirstWorkKey = 2;  // categories_: after layers and operators

  uint64_t TextIid(events::NameId id, PacketBuffer& out) {
    const std::string_view text = view_.name(id);
    return text.empty() ? 0 : texts_.Iid(id, text, out);
  }

  const timeline::View& view_;
  const events::RunDescription& description_;
  const uint64_t process_;
  int64_t last_ns_ = 0;
  bool counted_ = false;
  bool in_step_ = false;
  bool in_micro_batch_ = false;
  bool in_phase_ = false;
  PacketBuffer packets_;  // of what is being told
  std::vector<Series> used_;
  Words event_names_{perfetto::kEventNames};
  Words categories_{perfetto::kCategoryNames};
  Words notes_{perfetto::kAnnotationNames};
  Words texts_{perfetto::kAnnotationTexts};
  std::unordered_set<uint32_t> threads_;
  std::unordered_set<uint32_t> streams_;  // StreamNumber
  std::unordered_set<events::NameId> counters_;
};

}  // namespace

std::unique_ptr<Exporter> MakePerfettoExporter(const timeline::View& view,
                                               const events::RunDescription& description) {
  return std::make_unique<PerfettoExporter>(view, description);
}

}  // namespace tidemark::trace
