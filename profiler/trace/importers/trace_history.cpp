#include "profiler/trace/importers/trace_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/base/saturating.h"
#include "profiler/trace/importers/annotated_steps.h"

namespace tidemark::trace {
namespace {

using events::Event;
using events::EventKind;
using events::Phase;
using MemoryAction = MemoryRecord::Action;
using Kind = TraceSlice::Kind;

constexpr std::string_view kBackwardNode = "autograd::engine::evaluate_function: ";
// Where nothing is told of addresses: above all that processes have, apart by device.
constexpr uint64_t kAddressOfEarlier = uint64_t{0xfe} << 56;
constexpr uint64_t kAddressOfReserved = uint64_t{0xff} << 56;
constexpr int64_t kMostReserved = int64_t{1} << 47;

uint64_t OfDevice(uint64_t base, uint8_t device) { return base + (uint64_t{device} << 48); }

std::string InWords(uint64_t number) { return FormatNumber(static_cast<int64_t>(number)); }

// What the trace does not say but what follows from it: which blocks were there before it, and what of the
// devices' totals no block explains.
struct Earlier {
  std::vector<MemoryRecord> blocks;
  std::map<uint8_t, int64_t> unexplained_bytes;  // by device
};

Earlier EarlierThan(const std::vector<MemoryRecord>& memory) {
  struct Device {
    std::optional<int64_t> before;  // in all, when the trace began
    int64_t explained = 0;
  };
  Earlier earlier;
  std::map<uint8_t, Device> devices;
  std::unordered_map<uint64_t, bool> alive;
  for (const MemoryRecord& record : memory) {
    Device& device = devices[record.device];
    const bool adds = record.action == MemoryAction::kAllocate;
    const bool takes = record.action == MemoryAction::kFree;
    if (!device.before && record.total_allocated >= 0) {
      const int64_t change = adds ? record.bytes : takes ? -record.bytes : 0;
      device.before = record.total_allocated - change - device.explained;
    }
    const auto [block, is_new] = alive.try_emplace(record.address, false);
    if (takes && is_new) {
      earlier.blocks.push_back(record);
      device.explained += record.bytes;
    }
    if (adds || takes) block->second = adds;
  }
  for (const auto& [number, device] : devices) {
    const int64_t rest = device.before.value_or(0) - device.explained;
    if (rest > 0 && device.before) earlier.unexplained_bytes[number] = rest;
  }
  return earlier;
}

// What the program was doing, from operators, where nobody says it.
class GuessedPhase {
 public:
  Phase now() const { return now_; }
  void Set(Phase phase) { now_ = phase; }
  // Whether that changed the phase. Within an optimizer's step nothing does.
  bool Begin(const TraceSlice& slice, std::string_view name) {
    const bool is_node = name.starts_with(kBackwardNode);
    nodes_ += is_node ? 1 : 0;
    const Phase before = now_;
    if (now_ != Phase::kOptimizer && is_node) now_ = Phase::kBackward;
    if (now_ != Phase::kOptimizer && nodes_ == 0 && slice.is_differentiable) now_ = Phase::kForward;
    return now_ != before;
  }
  void End(std::string_view name) { nodes_ -= name.starts_with(kBackwardNode) ? 1 : 0; }

 private:
  Phase now_ = Phase::kIdle;
  int64_t nodes_ = 0;  // of backward's graph that are being evaluated, on all threads
};

class TraceHistory {
 public:
  // `device_bytes`: of each card, 0 if not known.
  TraceHistory(TraceRecords& records, int64_t base_ns, int64_t device_bytes, const AcceptEvents& accept)
      : records_(records), base_ns_(base_ns), device_bytes_(device_bytes), writer_(accept), steps_(writer_) {
    Sort();
    for (const TraceSlice& slice : records_.slices) {
      if (slice.kind == Kind::kAnnotation) steps_.Expect(records_.texts[slice.name]);
      told_phases_ = told_phases_ || slice.kind == Kind::kStructure;
    }
    names_.resize(records_.texts.size(), kNotNamed);
  }

  bool Write(const std::function<bool(double)>& progress) {
    WriteEarlier();
    steps_.Start(Stamped(EventKind::kStepBegin));
    size_t slice = 0;
    size_t done = 0;
    for (const MemoryRecord& record : records_.memory) {
      for (; slice < records_.slices.size() && records_.slices[slice].begin_ns <= record.time_ns; ++slice)
        Begin(slice);
      EndUntil(record.time_ns);
      WriteMemory(record);
      constexpr size_t kBetweenReports = 1 << 15;
      if (done++ % kBetweenReports != 0 || !progress) continue;
      if (!progress(0.5 + 0.5 * static_cast<double>(done) / static_cast<double>(records_.memory.size())))
        return false;
    }
    for (; slice < records_.slices.size(); ++slice) Begin(slice);
    EndUntil(std::numeric_limits<int64_t>::max());
    writer_.Flush();
    return true;
  }

  uint64_t events() const { return writer_.events(); }
  int64_t start_ns() const { return start_ns_; }
  uint64_t disagreements() const { return disagreements_; }
  bool guessed_free() const { return guessed_free_; }

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
  };

  void Sort() {
    std::stable_sort(records_.memory.begin(), records_.memory.end(),
                     [](const auto& one, const auto& other) { return one.time_ns < other.time_ns; });
    std::stable_sort(records_.slices.begin(), records_.slices.end(), [](const auto& one, const auto& other) {
      return std::pair(one.begin_ns, -one.end_ns) < std::pair(other.begin_ns, -other.end_ns);
    });
    int64_t first = std::numeric_limits<int64_t>::max();
    for (const MemoryRecord& record : records_.memory) {
      if (record.time_ns >= 0) first = std::min(first, record.time_ns);
    }
    if (!records_.slices.empty()) first = std::min(first, records_.slices.front().begin_ns);
    time_ns_ = first == std::numeric_limits<int64_t>::max() ? 0 : first;
    start_ns_ = At(time_ns_);
  }

  int64_t At(int64_t time_ns) const {
    constexpr int64_t kLatest = std::numeric_limits<int64_t>::max() / 2;
    return std::clamp(time_ns, -kLatest, kLatest) + std::clamp(base_ns_, -kLatest, kLatest);
  }
  void Advance(int64_t time_ns) { time_ns_ = std::max(time_ns_, time_ns); }

  Event Stamped(EventKind kind) const {
    Event event;
    event.time_ns = At(time_ns_);
    event.kind = kind;
    event.source = events::Source::kAllocator;
    return event;
  }

  events::NameId Name(TraceTexts::Id text) {
    if (names_[text] == kNotNamed) names_[text] = writer_.Name(records_.texts[text], At(time_ns_));
    return names_[text];
  }

  void WriteEarlier() {
    const Earlier earlier = EarlierThan(records_.memory);
    for (const MemoryRecord& block : earlier.blocks) WriteEarlierBlock(block);
    for (const auto& [device, bytes] : earlier.unexplained_bytes) {
      const events::NameId name = writer_.Name("alive before the trace, never freed in it", At(time_ns_));
      Event event = Stamped(EventKind::kAllocate);
      event.address = OfDevice(kAddressOfEarlier, device);
      event.bytes = event.rounded_bytes = bytes;
      event.device = device;
      event.name = name;
      writer_.Add(event);
      devices_[device].allocated += bytes;
      has_earlier_ = true;
    }
    if (!has_earlier_) return;
    const events::NameId text =
        writer_.Name("recording begins; what came before was alive already", At(time_ns_));
    Event marker = Stamped(EventKind::kMarker);
    marker.name = text;
    writer_.Add(marker);
  }

  void WriteEarlierBlock(const MemoryRecord& block) {
    Event event = Stamped(EventKind::kAllocate);
    event.address = block.address;
    event.bytes = event.rounded_bytes = block.bytes;
    event.device = block.device;
    event.category = block.category;
    writer_.Add(event);
    devices_[block.device].allocated += block.bytes;
    has_earlier_ = true;
  }

  void WriteMemory(const MemoryRecord& record) {
    Advance(record.time_ns);
    WriteReserved(record);
    const bool is_allocate = record.action == MemoryAction::kAllocate;
    const events::NameId op = record.op != 0 ? Name(record.op) : InnermostOn(record.thread, Kind::kOperator);
    const events::NameId layer =
        record.layer != 0 ? Name(record.layer) : InnermostOn(record.thread, Kind::kLayer);
    const events::NameId tensor = Name(record.tensor);
    Event event = Stamped(KindOf(record.action));
    event.address = record.address;
    event.bytes = record.requested >= 0 ? record.requested : record.bytes;
    event.stream = record.stream;
    event.thread = record.thread;
    event.category = record.category;
    event.device = record.device;
    event.op = op;
    event.layer = layer;
    event.name = record.action == MemoryAction::kFree ? 0 : tensor;
    if (is_allocate) event.rounded_bytes = record.bytes;
    if (record.action == MemoryAction::kOutOfMemory) {
      event.address = 0;
      event.rounded_bytes = FreeWhen(record);
    }
    writer_.Add(event);
    Device& device = devices_[record.device];
    if (is_allocate) device.allocated = SaturatingSum(device.allocated, record.bytes);
    if (record.action == MemoryAction::kFree) {
      device.allocated = SaturatingDifference(device.allocated, record.bytes);
    }
    if (record.total_allocated >= 0 && device.allocated != record.total_allocated) {
      ++disagreements_;
      device.allocated = record.total_allocated;
    }
  }

  // Kineto does not tell it: then all of the card but what PyTorch had reserved.
  int64_t FreeWhen(const MemoryRecord& record) {
    if (record.free_bytes >= 0) return record.free_bytes;
    guessed_free_ = guessed_free_ || device_bytes_ > 0;
    return std::max<int64_t>(device_bytes_ - std::max<int64_t>(record.total_reserved, 0), 0);
  }

  static EventKind KindOf(MemoryAction action) {
    switch (action) {
      case MemoryAction::kAllocate:
        return EventKind::kAllocate;
      case MemoryAction::kFree:
        return EventKind::kFreeCompleted;
      case MemoryAction::kCategorize:
        return EventKind::kCategorize;
      case MemoryAction::kOutOfMemory:
        break;
    }
    return EventKind::kOutOfMemory;
  }

  // How much is reserved is told, where it lies is not: one segment, that grows and shrinks at its end.
  void WriteReserved(const MemoryRecord& record) {
    if (record.total_reserved < 0) return;
    int64_t& reserved = devices_[record.device].reserved;
    const int64_t now = std::min(record.total_reserved, kMostReserved);
    if (now == reserved) return;
    const events::NameId name = writer_.Name("reserved; the trace does not tell where", At(time_ns_));
    Event event = Stamped(now > reserved ? EventKind::kSegmentMap : EventKind::kSegmentUnmap);
    event.address =
        OfDevice(kAddressOfReserved, record.device) + static_cast<uint64_t>(std::min(now, reserved));
    event.bytes = std::abs(now - reserved);
    event.device = record.device;
    event.name = name;
    writer_.Add(event);
    reserved = now;
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
      WriteSlice(slice, false);
    }
  }

  void WriteSlice(const TraceSlice& slice, bool begins) {
    const std::string_view name = records_.texts[slice.name];
    switch (slice.kind) {
      case Kind::kStructure:
        return WriteStructure(name, begins);
      case Kind::kAnnotation:
        if (!steps_.Write(name, begins, Stamped(EventKind::kPhase))) break;
        if (!name.starts_with("Optimizer")) return begins ? void() : ChangePhase(Phase::kIdle);
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
    Event event = Stamped(begins ? EventKind::kScopeBegin : EventKind::kScopeEnd);
    event.source = events::Source::kTrainer;
    event.layer = layer;
    event.op = is_layer ? 0 : name;
    event.thread = slice.thread;
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

  // As our own exporters name them: "step 7", "micro-batch 0", "forward".
  void WriteStructure(std::string_view name, bool begins) {
    for (int number = 0; number < events::kPhaseCount; ++number) {
      const auto phase = static_cast<Phase>(number);
      if (name == NameOf(phase)) return ChangePhase(begins ? phase : Phase::kIdle);
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
  const int64_t device_bytes_;
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
  bool has_earlier_ = false;
  uint64_t disagreements_ = 0;
  bool guessed_free_ = false;
};

// The cards' memory where a trace has any; how many records of the CPU's were left out.
uint64_t LeaveCpuOut(std::vector<MemoryRecord>& memory) {
  const auto is_cpu = [](const MemoryRecord& record) { return record.device_type == MemoryRecord::kCpu; };
  if (std::all_of(memory.begin(), memory.end(), is_cpu)) return 0;
  return std::erase_if(memory, is_cpu);
}

std::string DevicesIn(const std::vector<MemoryRecord>& memory) {
  if (memory.empty() || memory.front().device_type == MemoryRecord::kCpu) return "cpu";
  std::array<bool, 256> used{};
  for (const MemoryRecord& record : memory) used[record.device] = true;
  std::string names;
  for (size_t device = 0; device < used.size(); ++device) {
    if (used[device]) names += fmt::format("{}cuda:{}", names.empty() ? "" : ", ", device);
  }
  return names;
}

std::string SentencesOf(const TraceRecords& records, const TraceOrigin& origin, const TraceHistory& history,
                        const std::string& file_name, uint64_t of_cpu) {
  std::string text;
  const auto add = [&text](const std::string& sentence) { text += (text.empty() ? "" : " ") + sentence; };
  if (!origin.damage.empty()) {
    add(fmt::format("{} is cut short or damaged: {}. What came before it is shown.", file_name,
                    origin.damage));
  }
  if (records.unreadable > 0) {
    add(fmt::format("{} records of memory lack their size, their time or what they free; they were left out.",
                    InWords(records.unreadable)));
  }
  if (of_cpu > 0) {
    add(fmt::format("{} allocations and frees of the CPU's memory are left out: the trace has a card's.",
                    InWords(of_cpu)));
  }
  if (history.disagreements() > 0) {
    add(fmt::format(
        "At {} places the trace's own total differs from what its records sum up to: some are missing.",
        InWords(history.disagreements())));
  }
  return text;
}

}  // namespace

void AddWorkNote(const TraceRecords& records, events::RunDescription& description) {
  if (records.device_work == 0) return;
  description.notes.push_back(
      fmt::format("{} kernels, memory copies and memsets of the trace are not shown: they come back from "
                  "recordings (.tide) only.",
                  InWords(records.device_work)));
}

Result<TideSummary> ImportTrace(TraceRecords& records, TraceOrigin origin, const std::string& file_name,
                                const AcceptEvents& accept, const std::function<bool(double)>& progress) {
  if (records.memory.empty()) {
    return Error{file_name + (origin.damage.empty()
                                  ? " tells nothing of memory. Record it with torch.profiler.profile("
                                    "profile_memory=True), or choose another file."
                                  : " cannot be read: " + origin.damage + ".")};
  }
  const uint64_t of_cpu = LeaveCpuOut(records.memory);
  TraceHistory history(records, origin.base_ns, origin.description.device_bytes, accept);
  if (!history.Write(progress)) return Error{"Reading " + file_name + " was cancelled."};
  TideSummary summary;
  summary.description = std::move(origin.description);
  if (history.guessed_free()) {
    summary.description.notes.emplace_back(
        "What was free on the card when memory ran out the trace does not tell; what is shown is all that "
        "PyTorch had not reserved.");
  }
  summary.description.title = std::filesystem::path(file_name).filename().string();
  if (summary.description.device.empty()) summary.description.device = DevicesIn(records.memory);
  summary.description.start_time_ns = history.start_ns();
  summary.events = history.events();
  summary.complete = origin.damage.empty();
  summary.warning = SentencesOf(records, origin, history, file_name, of_cpu);
  return summary;
}

}  // namespace tidemark::trace
