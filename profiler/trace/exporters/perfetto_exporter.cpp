// Perfetto's protobuf traces: a counter track for each category and level, slices for steps, micro-batches,
// phases, layers and operators, and an instant for each allocation and free. One sequence; words that repeat
// are interned.
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "profiler/trace/exporters/device_work_slices.h"
#include "profiler/trace/exporters/exporter.h"
#include "profiler/trace/exporters/packet_buffer.h"
#include "profiler/trace/exporters/perfetto_packets.h"
#include "profiler/trace/perfetto_format.h"
#include "profiler/trace/trace_words.h"

namespace tidemark::trace {
namespace {

using events::EventKind;
using perfetto::EventPacket;
using perfetto::Message;
using perfetto::TrackPacket;
using perfetto::Words;
using timeline::Series;
using Argument = TraceArgument;

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
        .event.Text(perfetto::kCategories, kBookmarkCategory);
    HandOver(out);
  }

  void AddWork(const timeline::DeviceWorkPage& page, std::string& out) override {
    for (const timeline::DeviceWork& work : ByBeginning(page)) AddSlice(work, packets_);
    HandOver(out);
  }

  void End(std::string& out) override {
    Close(perfetto::kMicroBatches, in_micro_batch_, packets_);
    Cut(perfetto::kSteps, in_step_, packets_);
    Cut(perfetto::kPhases, in_phase_, packets_);
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
    // Those after it are levels, which counters of their own tell.
    for (int series = 0; series <= static_cast<int>(Series::kReserved); ++series)
      AddCounterTrack(static_cast<Series>(series), out);
    for (uint64_t i = 1; i < kTraceArguments.size(); ++i) notes_.Iid(i, kTraceArguments[i], out);
    EventPacket(last_ns_, perfetto::kMemory, perfetto::kInstant, out, perfetto::kRunEvent)
        .Annotate(Argument::kDescription, events::ToJson(description_));
    if (!view_.empty()) EnterPhase(view_.event(view_.first()).phase, out);
  }

  void AddMoment(const Moment& moment, PacketBuffer& out) {
    last_ns_ = moment.time_ns;
    AddCounters(moment, out);
    switch (moment.event.kind) {
      case EventKind::kAllocate:
      case EventKind::kFreeRequested:
      case EventKind::kFreeCompleted:
        return AddBlock(moment, out);
      case EventKind::kPhase:
        return EnterPhase(moment.event.phase, out);
      case EventKind::kScopeBegin:
      case EventKind::kScopeEnd:
        return AddScope(moment.event, out);
      case EventKind::kMetric:
      case EventKind::kCounter:
        return AddNumber(moment.event, out);
      case EventKind::kMarker:
        return AddMarker(moment.event, out);
      case EventKind::kLoss:
        return AddLoss(moment.event, out);
      default:
        if (IsOfMemory(moment.event.kind)) return AddOtherMemory(moment.event, out);
        return AddStep(moment, out);
    }
  }

  static std::string_view NameOf(Series series) {
    if (static_cast<int>(series) < events::kCategoryCount)
      return events::NameOf(static_cast<events::Category>(series));
    return series == Series::kAllocated   ? "allocated"
           : series == Series::kRequested ? "requested"
                                          : "reserved";
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

  // A block counts until the first of its two frees; the other is told beside it.
  void AddBlock(const Moment& moment, PacketBuffer& out) {
    const events::Event& event = moment.event;
    const int64_t total = ValueOf(moment.values, Series::kAllocated);
    const bool is_free = event.kind != EventKind::kAllocate;
    if (is_free && total == ValueOf(moment.before, Series::kAllocated)) return AddOtherMemory(event, out);
    const uint64_t name = event_names_.Iid(kMemoryKey, kMemoryInstant, out);
    const uint64_t category = CategoryIid(event.category, out);
    const Owner owner = OwnerOf(event, out);
    const bool is_first_free = event.kind == EventKind::kFreeRequested;
    const uint64_t kind = is_first_free ? texts_.Iid(kFirstFreeKey, events::NameOf(event.kind), out) : 0;
    const uint64_t shape = is_free ? 0 : TextIid(view_.ShapeOf(moment.index), out);
    EventPacket written(last_ns_, perfetto::kMemory, perfetto::kInstant, out);
    written.event.Varint(perfetto::kEventNameIid, name);
    written.Annotate(Argument::kBytes, is_free ? -event.rounded_bytes : event.rounded_bytes);
    written.Annotate(Argument::kRequested, event.bytes);
    written.Annotate(Argument::kTotalAllocated, total);
    written.Annotate(Argument::kTotalReserved, ValueOf(moment.values, Series::kReserved));
    written.AnnotateIid(Argument::kKind, kind);
    written.AnnotateIid(Argument::kCategory, category);
    written.AnnotateIid(Argument::kShape, shape);
    AnnotateMemory(event, owner, written);
  }

  // What leaves the blocks' total as it is: a block's second free, its category, segments, out of memory.
  void AddOtherMemory(const events::Event& event, PacketBuffer& out) {
    const bool is_shortage = event.kind == EventKind::kOutOfMemory;
    const uint64_t name = event_names_.Iid(kFirstKindKey + static_cast<uint64_t>(event.kind),
                                           is_shortage ? kShortageInstant : events::NameOf(event.kind), out);
    const uint64_t told_as = InstantCategoryIid(event.kind, out);
    const uint64_t category = event.kind == EventKind::kCategorize ? CategoryIid(event.category, out) : 0;
    const Owner owner = OwnerOf(event, out);
    EventPacket written(last_ns_, perfetto::kMemory, perfetto::kInstant, out);
    written.event.Varint(perfetto::kEventNameIid, name).Varint(perfetto::kCategoryIid, told_as);
    if (is_shortage) written.Annotate(Argument::kFree, event.rounded_bytes);
    if (!IsOfBlock(event.kind)) written.Annotate(Argument::kBytes, event.bytes);
    written.AnnotateIid(Argument::kCategory, category);
    AnnotateMemory(event, owner, written);
  }

  // Whose memory it is, as numbers of words that are told before the packet.
  struct Owner {
    uint64_t layer = 0;
    uint64_t op = 0;
    uint64_t name = 0;  // its tensor's; what tells a shape has that there
  };
  Owner OwnerOf(const events::Event& event, PacketBuffer& out) {
    return {TextIid(event.layer, out), TextIid(event.op, out), TextIid(event.name, out)};
  }

  void AnnotateMemory(const events::Event& event, const Owner& owner, EventPacket& written) const {
    written.Annotate(Argument::kAddress, static_cast<int64_t>(event.address));
    written.Annotate(Argument::kDevice, event.device);
    written.Annotate(Argument::kDeviceType, DeviceTypeOf(description_.device));
    written.Annotate(Argument::kStream, static_cast<int64_t>(event.stream));
    written.Annotate(Argument::kThread, event.thread);
    if (event.recompute != 0) written.Annotate(Argument::kRecompute, 1);
    if (event.pool != 0) written.Annotate(Argument::kPool, event.pool);
    written.AnnotateIid(Argument::kLayer, owner.layer);
    written.AnnotateIid(Argument::kOperator, owner.op);
    written.AnnotateIid(event.kind == EventKind::kTensorShape ? Argument::kShape : Argument::kTensor,
                        owner.name);
  }

  void AddMarker(const events::Event& event, PacketBuffer& out) {
    const uint64_t told_as = InstantCategoryIid(event.kind, out);
    const uint64_t settings = TextIid(event.op, out);
    EventPacket written(last_ns_, perfetto::kMemory, perfetto::kInstant, out, view_.name(event.name));
    written.event.Varint(perfetto::kCategoryIid, told_as);
    written.Annotate(Argument::kSource, events::NameOf(event.source));
    written.Annotate(Argument::kThread, event.thread);
    written.AnnotateIid(Argument::kSettings, settings);
  }

  void AddLoss(const events::Event& event, PacketBuffer& out) {
    const uint64_t told_as = InstantCategoryIid(event.kind, out);
    EventPacket written(last_ns_, perfetto::kMemory, perfetto::kInstant, out,
                        std::to_string(event.bytes) + " events lost");
    written.event.Varint(perfetto::kCategoryIid, told_as);
    written.Annotate(Argument::kEvents, event.bytes);
    written.Annotate(Argument::kSource, events::NameOf(event.source));
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
      const uint64_t computed_in = TextIid(event.name, out);
      EventPacket end(last_ns_, track, perfetto::kSliceEnd, out);
      end.AnnotateIid(Argument::kComputedIn, computed_in);
      return;
    }
    const bool is_layer = event.op == 0;
    const events::NameId id = is_layer ? event.layer : event.op;
    const std::string_view text = view_.name(id);
    const uint64_t name = text.empty() ? 0 : event_names_.Iid(id, text, out);
    const uint64_t category = categories_.Iid(is_layer ? kLayerKey : kOperatorKey,
                                              is_layer ? kLayerCategory : kOperatorCategory, out);
    const uint64_t layer = is_layer ? 0 : TextIid(event.layer, out);
    EventPacket begin(last_ns_, track, perfetto::kSliceBegin, out);
    if (name != 0) begin.event.Varint(perfetto::kEventNameIid, name);
    begin.event.Varint(perfetto::kCategoryIid, category);
    begin.AnnotateIid(Argument::kLayer, layer);
    if (event.recompute != 0) begin.Annotate(Argument::kRecompute, 1);
  }

  void AddSlice(const timeline::DeviceWork& work, PacketBuffer& out) {
    const uint64_t track = perfetto::kDeviceStreams + StreamNumber(work);
    if (streams_.insert(StreamNumber(work)).second) AddSliceTrack(track, StreamTitle(work), out);
    const bool is_set = work.kind == EventKind::kMemorySet;
    const std::string_view text = is_set ? events::NameOf(work.kind) : view_.name(work.name);
    const uint64_t name = text.empty() ? 0 : event_names_.Iid(is_set ? kMemsetKey : work.name, text, out);
    const uint64_t category =
        categories_.Iid(static_cast<uint64_t>(work.kind), WorkCategoryOf(work.kind), out);
    {
      EventPacket begin(work.begin_ns, track, perfetto::kSliceBegin, out);
      if (name != 0) begin.event.Varint(perfetto::kEventNameIid, name);
      begin.event.Varint(perfetto::kCategoryIid, category);
      if (work.kind != EventKind::kKernel) begin.Annotate(Argument::kBytes, work.bytes);
    }
    const EventPacket end(work.end_ns(), track, perfetto::kSliceEnd, out);
  }

  void AddNumber(const events::Event& event, PacketBuffer& out) {
    const bool is_metric = event.kind == EventKind::kMetric;
    const uint64_t track = perfetto::kNamedCounters + event.name;
    if (counters_.insert(event.name).second) {
      TrackPacket described(track, view_.name(event.name), out);
      Message descriptor(described.descriptor, perfetto::kCounterDescriptor);
      if (!is_metric) descriptor.Varint(perfetto::kUnit, perfetto::kUnitBytes);
    }
    const uint64_t told_as = InstantCategoryIid(event.kind, out);
    const uint64_t op = TextIid(event.op, out);
    EventPacket counter(last_ns_, track, perfetto::kCounter, out);
    counter.event.Varint(perfetto::kCategoryIid, told_as);
    counter.Annotate(Argument::kThread, event.thread);
    if (is_metric) {
      counter.event.Real(perfetto::kCounterReal, events::MetricOf(event));
      counter.Annotate(Argument::kStep, event.bytes);
      return;
    }
    counter.event.Signed(perfetto::kCounterValue, event.bytes);
    counter.Annotate(Argument::kLevel, events::NameOf(event.level));
    counter.Annotate(Argument::kSource, events::NameOf(event.source));
    counter.Annotate(Argument::kChanged, event.rounded_bytes);
    counter.Annotate(Argument::kAddress, static_cast<int64_t>(event.address));
    counter.AnnotateIid(Argument::kOperator, op);
  }

  void AddStep(const Moment& moment, PacketBuffer& out) {
    const events::Event& event = moment.event;
    switch (event.kind) {
      case EventKind::kMicroBatchBegin:
        Close(perfetto::kMicroBatches, in_micro_batch_, out);
        return Open(perfetto::kMicroBatches, in_micro_batch_, "micro-batch " + std::to_string(event.bytes),
                    out);
      case EventKind::kStepBegin:
        if (moment.is_no_edge) return;
        Close(perfetto::kMicroBatches, in_micro_batch_, out);
        Cut(perfetto::kSteps, in_step_, out);
        return Open(perfetto::kSteps, in_step_, "step " + std::to_string(event.bytes), out);
      case EventKind::kStepEnd:
        if (moment.is_no_edge) return;
        Close(perfetto::kMicroBatches, in_micro_batch_, out);
        return Close(perfetto::kSteps, in_step_, out);
      default:
        return;
    }
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
  // Its end was never told.
  void Cut(uint64_t track, bool& open, PacketBuffer& out) {
    if (!std::exchange(open, false)) return;
    EventPacket end(last_ns_, track, perfetto::kSliceEnd, out);
    end.Annotate(Argument::kUnfinished, 1);
  }

  // Keys of words that are no names of the view.
  static constexpr uint64_t kMemoryKey = uint64_t{1} << 32;
  static constexpr uint64_t kMemsetKey = kMemoryKey + 1;
  static constexpr uint64_t kFirstFreeKey = kMemoryKey + 2;
  static constexpr uint64_t kFirstKindKey = kMemoryKey + 64;
  static constexpr uint64_t kCategoryKey = kMemoryKey + 128;
  // Of categories_: kinds, and what follows them.
  static constexpr uint64_t kLayerKey = events::kEventKindCount;
  static constexpr uint64_t kOperatorKey = kLayerKey + 1;

  // A category that several kinds share gets a number for each.
  uint64_t InstantCategoryIid(EventKind kind, PacketBuffer& out) {
    return categories_.Iid(static_cast<uint64_t>(kind), InstantCategoryOf(kind), out);
  }
  uint64_t CategoryIid(events::Category category, PacketBuffer& out) {
    return texts_.Iid(kCategoryKey + static_cast<uint64_t>(category), events::NameOf(category), out);
  }
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
