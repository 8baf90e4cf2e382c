#include "profiler/trace/importers/trace_history.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiler/base/saturating.h"
#include "profiler/events/torch_ranges.h"
#include "profiler/timeline/segments.h"
#include "profiler/trace/importers/annotated_steps.h"
#include "profiler/trace/importers/earlier_blocks.h"
#include "profiler/trace/importers/guessed_phase.h"

namespace tidemark::trace {
namespace {

using events::Event;
using events::EventKind;
using events::Phase;
using Kind = TraceSlice::Kind;

// Where nothing is told of addresses: above all that processes have, apart by device.
constexpr uint64_t kAddressOfEarlier = uint64_t{0xfe} << 56;
constexpr uint64_t kAddressOfReserved = uint64_t{0xff} << 56;
constexpr int64_t kMostReserved = int64_t{1} << 47;

uint64_t OfDevice(uint64_t base, uint8_t device) { return base + (uint64_t{device} << 48); }

class TraceHistory {
 public:
  TraceHistory(TraceRecords& records, const TraceOrigin& origin, const AcceptEvents& accept)
      : records_(records),
        base_ns_(origin.base_ns),
        device_bytes_(std::max<int64_t>(origin.description.device_bytes, 0)),
        is_own_(origin.is_own),
        writer_(accept),
        steps_(writer_) {
    Sort();
    JoinPhases();
    for (const TraceSlice& slice : records_.slices) {
      if (slice.kind == Kind::kAnnotation) steps_.Expect(records_.texts[slice.name]);
      told_phases_ = told_phases_ || slice.kind == Kind::kStructure;
    }
    names_.resize(records_.texts.size(), kNotNamed);
  }

  bool Write(const Progress& progress) {
    WriteEarlier();
    steps_.Start(Stamped(EventKind::kStepBegin));
    size_t slice = 0;
    size_t done = 0;
    for (const TraceInstant& record : records_.instants) {
      for (; slice < records_.slices.size() && records_.slices[slice].begin_ns <= record.time_ns; ++slice)
        Begin(slice);
      EndUntil(record.time_ns);
      WriteWorksUntil(record.time_ns);
      WriteInstant(record);
      constexpr size_t kBetweenReports = 1 << 15;
      if (done++ % kBetweenReports != 0 || !progress) continue;
      if (!progress(0.5 + 0.5 * static_cast<double>(done) / static_cast<double>(records_.instants.size())))
        return false;
    }
    for (; slice < records_.slices.size(); ++slice) Begin(slice);
    EndUntil(std::numeric_limits<int64_t>::max());
    WriteWorksUntil(std::numeric_limits<int64_t>::max());
    writer_.Flush();
    return true;
  }

  WrittenHistory outcome() const { return {writer_.events(), start_ns_, disagreements_, guessed_free_}; }

 private:
  static constexpr events::NameId kNotNamed = ~events::NameId{0};
  struct End {
    int64_t time_ns = 0;
    size_t slice = 0;
    // What ends first comes first; of those that end together the innermost, which began last.
    bool operator<(const End& other) const {
      return std::pair(-time_ns, slice) < std::pair(-other.time_ns, other.slice);
    }
  };
  struct Device {
    int64_t allocated = 0;
    int64_t reserved = 0;
    timeline::Segments segments;  // told and made up
    int64_t made_up = 0;          // of reserved
  };

  void Sort() {
    std::stable_sort(records_.instants.begin(), records_.instants.end(),
                     [](const auto& one, const auto& other) { return one.time_ns < other.time_ns; });
    std::stable_sort(records_.slices.begin(), records_.slices.end(), [](const auto& one, const auto& other) {
      return std::pair(one.begin_ns, -one.end_ns) < std::pair(other.begin_ns, -other.end_ns);
    });
    std::stable_sort(records_.works.begin(), records_.works.end(),
                     [](const auto& one, const auto& other) { return one.end_ns < other.end_ns; });
    int64_t first = std::numeric_limits<int64_t>::max();
    for (const TraceInstant& record : records_.instants) {
      if (record.time_ns >= 0) first = std::min(first, record.time_ns);
    }
    if (!records_.slices.empty()) first = std::min(first, records_.slices.front().begin_ns);
    time_ns_ = first == std::numeric_limits<int64_t>::max() ? 0 : first;
    start_ns_ = At(time_ns_);
  }

  Device& DeviceOf(const TraceInstant& told) { return devices_[told.TotalsOf(is_own_)]; }
  int64_t At(int64_t time_ns) const { return TimeOf(time_ns, base_ns_); }
  void Advance(int64_t time_ns) { time_ns_ = std::max(time_ns_, time_ns); }

  Event Stamped(EventKind kind) const {
    Event event;
    event.time_ns = At(time_ns_);
    event.kind = kind;
    const bool is_programs = kind == EventKind::kCategorize || kind > EventKind::kSnapshot;
    event.source = is_programs ? events::Source::kTrainer : events::Source::kAllocator;
    return event;
  }

  events::NameId Name(TraceTexts::Id text) {
    if (names_[text] == kNotNamed) names_[text] = writer_.Name(records_.texts[text], At(time_ns_));
    return names_[text];
  }

  void WriteEarlier() {
    const Earlier earlier = EarlierThan(records_.instants, is_own_);
    for (const TraceInstant& block : earlier.blocks) WriteEarlierBlock(block);
    for (const auto& [device, bytes] : earlier.unexplained_bytes) {
      const events::NameId name = writer_.Name("alive before the trace, never freed in it", At(time_ns_));
      Event event = Stamped(EventKind::kAllocate);
      event.address = OfDevice(kAddressOfEarlier, device);
      event.bytes = event.rounded_bytes = bytes;
      event.device = device;
      event.name = name;
      writer_.Add(event);
      devices_[device].allocated = SaturatingSum(devices_[device].allocated, bytes);
      has_earlier_ = true;
    }
    if (!has_earlier_) return;
    const events::NameId text =
        writer_.Name("recording begins; what came before was alive already", At(time_ns_));
    Event marker = Stamped(EventKind::kMarker);
    marker.name = text;
    writer_.Add(marker);
  }

  void WriteEarlierBlock(const TraceInstant& block) {
    Event event = Stamped(EventKind::kAllocate);
    event.address = block.address;
    event.bytes = event.rounded_bytes = block.bytes;
    event.device = block.device;
    event.pool = block.pool;
    event.category = block.category;
    writer_.Add(event);
    Device& device = DeviceOf(block);
    device.allocated = SaturatingSum(device.allocated, block.bytes);
    has_earlier_ = true;
  }

  void WriteInstant(const TraceInstant& record) {
    Advance(record.time_ns);
    if (!record.is_of_memory()) return WriteOther(record);
    const bool is_of_segment = IsOfSegment(record.kind);
    if (!is_of_segment) WriteReserved(record);
    writer_.Add(EventOf(record));
    Device& device = DeviceOf(record);
    if (is_of_segment) CountSegment(record.kind, record.address, record.bytes, device);
    if (record.kind == EventKind::kAllocate) device.allocated = SaturatingSum(device.allocated, record.bytes);
    if (record.kind == EventKind::kFreeRequested || record.kind == EventKind::kFreeCompleted)
      device.allocated = SaturatingDifference(device.allocated, record.bytes);
    if (record.total_allocated >= 0 && device.allocated != record.total_allocated) {
      ++disagreements_;
      device.allocated = record.total_allocated;
    }
  }

  Event EventOf(const TraceInstant& record) {
    const bool guesses = !is_own_ && record.kind <= EventKind::kFreeCompleted;
    const events::NameId op = record.op != 0 ? Name(record.op)
                              : guesses      ? InnermostOn(record.thread, Kind::kOperator)
                                             : 0;
    const events::NameId layer = record.layer != 0 ? Name(record.layer)
                                 : guesses         ? InnermostOn(record.thread, Kind::kLayer)
                                                   : 0;
    const bool is_free = record.kind == EventKind::kFreeRequested || record.kind == EventKind::kFreeCompleted;
    const events::NameId tensor = is_free ? 0 : Name(record.name);
    Event event = Stamped(record.kind);
    event.address = record.address;
    event.bytes = record.requested >= 0 ? record.requested : record.bytes;
    event.stream = record.stream;
    event.thread = record.thread;
    event.category = record.category;
    event.device = record.device;
    event.recompute = record.recompute;
    event.pool = record.pool;
    event.op = op;
    event.layer = layer;
    event.name = tensor;
    if (record.kind == EventKind::kAllocate) event.rounded_bytes = record.bytes;
    if (record.kind == EventKind::kOutOfMemory) {
      event.address = 0;
      event.rounded_bytes = FreeWhen(record);
    }
    return event;
  }

  // Markers, numbers and losses.
  void WriteOther(const TraceInstant& record) {
    const events::NameId name = Name(record.name);
    const events::NameId op = Name(record.op);
    Event event = Stamped(record.kind);
    event.address = record.address;
    event.bytes = record.bytes;
    event.rounded_bytes = record.changed_bytes;
    event.name = name;
    event.op = op;
    event.thread = record.thread;
    event.source = record.source;
    event.level = record.level;
    event.device = record.device;
    writer_.Add(event);
  }

  // They are told once they are over, and may have begun before all else.
  void WriteWorksUntil(int64_t time_ns) {
    for (; next_work_ < records_.works.size() && records_.works[next_work_].end_ns <= time_ns; ++next_work_) {
      const TraceWork& work = records_.works[next_work_];
      const events::NameId name = Name(work.name);
      Event event = Stamped(work.kind);
      event.time_ns = At(work.end_ns);
      event.address = static_cast<uint64_t>(At(work.begin_ns));
      event.rounded_bytes = work.end_ns - work.begin_ns;
      event.bytes = work.bytes;
      event.stream = work.stream;
      event.name = name;
      event.source = events::Source::kDriver;
      event.device = work.device;
      writer_.Add(event);
    }
  }

  // Kineto does not tell it: then all of the card but what PyTorch had reserved.
  int64_t FreeWhen(const TraceInstant& record) {
    if (record.free_bytes >= 0) return record.free_bytes;
    guessed_free_ = guessed_free_ || device_bytes_ > 0;
    return std::max<int64_t>(device_bytes_ - std::max<int64_t>(record.total_reserved, 0), 0);
  }

  static void CountSegment(EventKind kind, uint64_t address, int64_t bytes, Device& device) {
    const bool is_expandable = kind == EventKind::kSegmentMap;
    if (is_expandable || kind == EventKind::kSegmentAllocate) {
      device.reserved =
          SaturatingSum(device.reserved, device.segments.Reserve({address, bytes, 0, is_expandable}));
    } else {
      device.reserved = SaturatingDifference(device.reserved, device.segments.Release(address, bytes));
    }
  }

  // How much is reserved is told. What of it no segment of the trace explains lies nobody knows where: in
  // segments behind each other, the last of which goes first. Whether PyTorch lets them grow is not told.
  void WriteReserved(const TraceInstant& record) {
    if (record.total_reserved < 0) return;
    Device& device = DeviceOf(record);
    const int64_t change = std::clamp(std::min(record.total_reserved, kMostReserved) - device.reserved,
                                      -device.made_up, kMostReserved - device.made_up);
    if (change == 0) return;
    const events::NameId name = writer_.Name("reserved; the trace does not tell where", At(time_ns_));
    Event event = Stamped(change > 0 ? EventKind::kSegmentAllocate : EventKind::kSegmentFree);
    const int64_t at = std::min(device.made_up, device.made_up + change);
    event.address = OfDevice(kAddressOfReserved, record.TotalsOf(is_own_)) + static_cast<uint64_t>(at);
    event.bytes = std::abs(change);
    event.device = record.device;
    event.name = name;
    writer_.Add(event);
    CountSegment(event.kind, event.address, event.bytes, device);
    device.made_up += change;
  }

  // The innermost of that kind that is open on the thread.
  events::NameId InnermostOn(uint32_t thread, Kind kind) {
    const auto open = open_.find(thread);
    if (open == open_.end()) return 0;
    for (size_t i = open->second.size(); i > 0; --i) {
      const TraceSlice& slice = records_.slices[open->second[i - 1]];
      if (slice.kind == kind) return Name(slice.name);
    }
    return 0;
  }

  // Slices of a thread lie within each other; one that ends after what it began in is cut there.
  void Begin(size_t index) {
    TraceSlice& slice = records_.slices[index];
    EndUntil(slice.begin_ns);
    Advance(slice.begin_ns);
    if (slice.kind != Kind::kStructure) {
      std::vector<size_t>& open = open_[slice.thread];
      if (!open.empty()) slice.end_ns = std::min(slice.end_ns, records_.slices[open.back()].end_ns);
      open.push_back(index);
    }
    ends_.push({slice.end_ns, index});
    WriteSlice(slice, true);
  }

  void EndUntil(int64_t time_ns) {
    while (!ends_.empty() && ends_.top().time_ns <= time_ns) {
      const End end = ends_.top();
      ends_.pop();
      Advance(end.time_ns);
      const TraceSlice& slice = records_.slices[end.slice];
      if (slice.kind != Kind::kStructure) open_[slice.thread].pop_back();
      if (!slice.is_unfinished) WriteSlice(slice, false);
    }
  }

  void WriteSlice(const TraceSlice& slice, bool begins) {
    const std::string_view name = records_.texts[slice.name];
    switch (slice.kind) {
      case Kind::kStructure:
        return WriteStructure(name, begins);
      case Kind::kAnnotation:
        if (!steps_.Write(name, begins, Stamped(EventKind::kPhase))) break;
        if (!name.starts_with(events::kOptimizerRangePrefix))
          return begins ? void() : ChangePhase(Phase::kIdle);
        return phase_.Set(begins ? Phase::kOptimizer : Phase::kIdle);
      case Kind::kOperator:
        if (!begins) phase_.End(name);
        if (begins && !told_phases_ && phase_.Begin(slice, name)) WritePhase(phase_.now());
        break;
      case Kind::kLayer:
        break;
    }
    WriteScope(slice, begins);
  }

  void WriteScope(const TraceSlice& slice, bool begins) {
    const bool is_layer = slice.kind == Kind::kLayer;
    const events::NameId name = Name(slice.name);
    const events::NameId layer = is_layer ? name : Name(slice.layer);
    const events::NameId computed_in = Name(slice.computed_in);
    Event event = Stamped(begins ? EventKind::kScopeBegin : EventKind::kScopeEnd);
    event.layer = layer;
    event.op = is_layer ? 0 : name;
    if (!begins) event.name = computed_in;
    event.thread = slice.thread;
    event.recompute = slice.recompute;
    writer_.Add(event);
  }

  void WritePhase(Phase phase) {
    Event event = Stamped(EventKind::kPhase);
    event.phase = phase;
    writer_.Add(event);
  }
  void ChangePhase(Phase phase) {
    if (phase_.now() != phase) WritePhase(phase);
    phase_.Set(phase);
  }

  static std::optional<Phase> PhaseOf(std::string_view name) {
    for (int number = 0; number < events::kPhaseCount; ++number) {
      if (name == NameOf(static_cast<Phase>(number))) return static_cast<Phase>(number);
    }
    return std::nullopt;
  }

  // A phase that goes over into the next one ends with its beginning.
  void JoinPhases() {
    TraceSlice* before = nullptr;
    for (TraceSlice& slice : records_.slices) {
      if (slice.kind != Kind::kStructure || !PhaseOf(records_.texts[slice.name])) continue;
      if (before != nullptr && before->end_ns >= slice.begin_ns) before->is_unfinished = true;
      before = &slice;
    }
  }

  // As our own exporters name them: "step 7", "micro-batch 0", "forward".
  void WriteStructure(std::string_view name, bool begins) {
    if (const std::optional<Phase> phase = PhaseOf(name)) {
      phase_.Set(begins ? *phase : Phase::kIdle);
      return WritePhase(phase_.now());
    }
    constexpr std::string_view kStep = "step ";
    const bool is_step = name.starts_with(kStep);
    const size_t space = name.find(' ');
    if (space == std::string_view::npos || (!is_step && !begins)) return;
    Event event = Stamped(!is_step ? EventKind::kMicroBatchBegin
                          : begins ? EventKind::kStepBegin
                                   : EventKind::kStepEnd);
    std::from_chars(name.data() + space + 1, name.data() + name.size(), event.bytes);
    writer_.Add(event);
  }

  TraceRecords& records_;
  const int64_t base_ns_;
  const int64_t device_bytes_;  // of each card, 0 if not known
  const bool is_own_;
  EventWriter writer_;
  AnnotatedSteps steps_;
  GuessedPhase phase_;
  bool told_phases_ = false;
  std::vector<events::NameId> names_;                       // by text
  std::unordered_map<uint32_t, std::vector<size_t>> open_;  // slices by thread, outermost first
  std::priority_queue<End> ends_;
  std::map<uint8_t, Device> devices_;
  int64_t start_ns_ = 0;
  int64_t time_ns_ = 0;
  size_t next_work_ = 0;
  bool has_earlier_ = false;
  uint64_t disagreements_ = 0;
  bool guessed_free_ = false;
};

}  // namespace

int64_t TimeOf(int64_t time_ns, int64_t base_ns) {
  constexpr int64_t kLatest = std::numeric_limits<int64_t>::max() / 2;
  return std::clamp(time_ns, -kLatest, kLatest) + std::clamp(base_ns, -kLatest, kLatest);
}

std::optional<WrittenHistory> WriteHistory(TraceRecords& records, const TraceOrigin& origin,
                                           const AcceptEvents& accept, const Progress& progress) {
  TraceHistory history(records, origin, accept);
  if (!history.Write(progress)) return std::nullopt;
  return history.outcome();
}

}  // namespace tidemark::trace
