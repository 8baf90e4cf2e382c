#include "profiler/trace/importers/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/events/torch_versions.h"
#include "profiler/timeline/segments.h"
#include "profiler/trace/importers/annotated_steps.h"
#include "profiler/trace/importers/block_sizes.h"
#include "profiler/trace/importers/snapshot_contents.h"
#include "profiler/trace/importers/snapshot_start.h"
#include "profiler/trace/importers/stack_names.h"

namespace tidemark::trace {
namespace {

using events::Event;
using events::EventKind;
using Action = TraceEntry::Action;

constexpr std::string_view kPhasePrefix = "phase: ";  // of our own exporter

bool BeginsSegment(Action action) { return action == Action::kSegmentAlloc || action == Action::kSegmentMap; }

class SnapshotHistory {
 public:
  SnapshotHistory(const SnapshotContents& contents, Objects& objects, const AcceptEvents& accept)
      : contents_(contents),
        objects_(objects),
        writer_(accept),
        stacks_(objects, writer_),
        sizes_(contents.rules),
        steps_(writer_) {
    for (const SnapshotAnnotation& annotation : contents.annotations) steps_.Expect(annotation.name);
  }

  // False if cancelled.
  bool Write(const SnapshotStart& start, const Progress& progress) {
    time_ns_ = FirstTime();
    WriteStart(start);
    PassEarlierSteps();
    steps_.Start(Stamped(EventKind::kStepBegin, 0), !start.blocks.empty() || !start.segments.empty());
    if (!WriteTraces(progress)) return false;
    WriteAnnotationsUntil(std::numeric_limits<int64_t>::max());
    writer_.Flush();
    return true;
  }

  uint64_t events() const { return writer_.events(); }
  uint64_t unknown() const { return unknown_; }
  uint64_t entries_left_out() const { return contents_.entries_left_out; }
  uint64_t no_entries() const { return contents_.no_entries; }
  int64_t start_ns() const { return start_ns_; }
  std::optional<int64_t> missed_steps() const { return steps_.missed_steps(); }
  size_t entries() const {
    return std::accumulate(contents_.traces.begin(), contents_.traces.end(), size_t{0},
                           [](size_t sum, const Objects::Range& trace) { return sum + trace.count; });
  }

  // Of the blocks that the snapshot found alive, those whose size was worked out wrongly.
  int64_t WrongSizes() const {
    return std::count_if(contents_.blocks.begin(), contents_.blocks.end(),
                         [this](const SnapshotBlock& block) {
                           const auto found = rounded_.find(block.address);
                           return found != rounded_.end() && found->second != block.bytes;
                         });
  }

 private:
  struct Reading {
    Objects::Range rest;
    uint8_t device = 0;
  };

  static int64_t Nanoseconds(int64_t time_us) {
    return std::clamp<int64_t>(time_us, 0, std::numeric_limits<int64_t>::max() / 2000) * 1000;
  }

  int64_t FirstTime() {
    int64_t first = std::numeric_limits<int64_t>::max();
    for (const Objects::Range& trace : contents_.traces) {
      if (trace.count > 0) first = std::min(first, Nanoseconds(objects_.entry(trace.first).time_us));
    }
    return start_ns_ = first == std::numeric_limits<int64_t>::max() ? 0 : first;
  }

  Event Stamped(EventKind kind, uint8_t device) const {
    Event event;
    event.time_ns = time_ns_;
    event.kind = kind;
    event.source = events::Source::kAllocator;
    event.device = device;
    return event;
  }

  // Private pools get numbers as they come, as those of a live run (allocator_events.cpp).
  uint8_t NumberOf(PoolIndex pool) {
    if (pool == events::kManyPools) return pool;
    if (pool <= Objects::kDefaultPool) return 0;
    return pool_numbers_.try_emplace(pool, static_cast<uint8_t>(pool_numbers_.size() + 1)).first->second;
  }

  // Of the segment that holds the address now.
  uint8_t PoolAt(uint64_t address) const {
    const timeline::Segment* const segment = segments_.At(address);
    return segment == nullptr ? uint8_t{0} : segment->pool;
  }

  // Of what is no segment's beginning.
  uint8_t PoolOf(const TraceEntry& entry) {
    return entry.pool != 0 ? NumberOf(entry.pool) : PoolAt(entry.address);
  }

  // Where nobody tells: a piece that was unmapped before the end is of the pool of those that it is mapped
  // next to. Null where these are of none.
  const timeline::Segment* OfPoolBeside(uint64_t address, int64_t bytes) const {
    for (const uint64_t beside : {address - 1, timeline::EndOf(address, bytes)}) {
      const timeline::Segment* const segment = segments_.At(beside);
      if (segment != nullptr && segment->pool != 0) return segment;
    }
    return nullptr;
  }

  // Its pool is set here; `told` is what is known of it.
  void BeginSegment(PoolIndex told, Event& event) {
    const bool expandable = event.kind == EventKind::kSegmentMap;
    if (told != 0) {
      event.pool = NumberOf(told);
      event.name = writer_.Name(objects_.PoolName(told), time_ns_);
    } else if (const auto* beside = expandable ? OfPoolBeside(event.address, event.bytes) : nullptr) {
      event.pool = beside->pool;
      event.name = beside->pool_name;
    }
    segments_.Reserve(
        {event.address, event.bytes, 0, expandable, event.device, event.pool, event.stream, event.name});
  }

  // PyTorch before 2.14 does not tell which pool a request was of that failed, but of what stream: kManyPools
  // where that has memory of several, or of one and outside.
  uint8_t PoolOfRequest(uint64_t stream, uint8_t device) const {
    std::vector<timeline::Segment> segments;
    segments_.AppendTo(segments);
    std::set<uint8_t> pools;
    for (const timeline::Segment& segment : segments) {
      if (segment.stream == stream && segment.device == device) pools.insert(segment.pool);
    }
    return pools.empty() ? uint8_t{0} : pools.size() == 1 ? *pools.begin() : events::kManyPools;
  }

  void WriteStart(const SnapshotStart& start) {
    for (size_t i = 0; i < start.segments.size(); ++i) {
      const timeline::Segment& from = start.segments[i];
      const events::NameId stack = stacks_.Name(start.stacks[i], time_ns_);
      Event event =
          Stamped(from.expandable ? EventKind::kSegmentMap : EventKind::kSegmentAllocate, from.device);
      event.address = from.address;
      event.bytes = from.bytes;
      event.stream = from.stream;
      event.op = stack;
      BeginSegment(from.pool, event);
      writer_.Add(event);
      sizes_.Reserve(from.address, from.bytes, from.expandable);
    }
    for (const SnapshotBlock& block : start.blocks) WriteBlockBefore(block);
    const bool has_history = std::any_of(contents_.traces.begin(), contents_.traces.end(),
                                         [](const Objects::Range& trace) { return trace.count > 0; });
    if (!has_history || (start.blocks.empty() && start.segments.empty())) return;
    const events::NameId text =
        writer_.Name("recording begins; what came before was alive already", time_ns_);
    Event marker = Stamped(EventKind::kMarker, 0);
    marker.source = events::Source::kTrainer;  // the allocator's would be its state
    marker.name = text;
    writer_.Add(marker);
  }

  void WriteBlockBefore(const SnapshotBlock& block) {
    const events::NameId stack = stacks_.Name(block.stack, time_ns_);
    Event event = Stamped(EventKind::kAllocate, block.device);
    event.address = block.address;
    event.bytes = block.requested_bytes;
    event.rounded_bytes = block.bytes > 0 ? block.bytes : sizes_.Rounded(block.requested_bytes);
    event.stream = block.stream;
    event.category = block.category;
    event.op = stack;
    event.pool = PoolAt(block.address);
    writer_.Add(event);
    sizes_.TakeExactly(block.address, event.rounded_bytes);
    rounded_.insert_or_assign(block.address, event.rounded_bytes);
    WriteShape(block.shape, event);
    if (!block.pending_free) return;
    Event freed = Stamped(EventKind::kFreeRequested, block.device);
    freed.address = block.address;
    freed.stream = block.stream;
    freed.pool = event.pool;
    writer_.Add(freed);
  }

  // The devices' histories in the order of their time stamps.
  bool WriteTraces(const Progress& progress) {
    std::vector<Reading> readings;
    size_t total = 0;
    for (size_t device = 0; device < contents_.traces.size(); ++device) {
      total += contents_.traces[device].count;
      if (contents_.traces[device].count > 0)
        readings.push_back({contents_.traces[device], static_cast<uint8_t>(device)});
    }
    const bool one = readings.size() == 1;
    for (size_t done = 0; !readings.empty(); ++done) {
      const auto next =
          one ? readings.begin()
              : std::min_element(readings.begin(), readings.end(), [this](const auto& a, const auto& b) {
                  return objects_.entry(a.rest.first).time_us < objects_.entry(b.rest.first).time_us;
                });
      const size_t index = next->rest.first++;
      WriteEntry(index, next->device);
      if (one) objects_.LetGoOfEntriesBefore(index);
      if (--next->rest.count == 0) readings.erase(next);
      constexpr size_t kBetweenReports = 1 << 16;
      if (done % kBetweenReports != 0 || !progress) continue;
      if (!progress(0.5 + 0.5 * static_cast<double>(done) / static_cast<double>(total))) return false;
    }
    return true;
  }

  // Histories without time stamps (PyTorch before 2.2) get a microsecond for each entry.
  void Advance(const TraceEntry& entry) {
    time_ns_ = std::max(entry.time_us == 0 ? time_ns_ + 1000 : Nanoseconds(entry.time_us), time_ns_);
  }

  void WriteEntry(size_t index, uint8_t device) {
    const TraceEntry& entry = objects_.entry(index);
    WriteAnnotationsUntil(entry.time_us);
    Advance(entry);
    switch (entry.action) {
      case Action::kAlloc:
      case Action::kFreeRequested:
      case Action::kFreeCompleted:
        return WriteBlock(entry, objects_.ShapeOf(index), device);
      case Action::kSegmentAlloc:
      case Action::kSegmentFree:
      case Action::kSegmentMap:
      case Action::kSegmentUnmap:
        return WriteSegment(entry, device);
      case Action::kSnapshot:
      case Action::kOutOfMemory:
        return WriteMoment(entry, device);
      case Action::kUnknown:
        ++unknown_;
    }
  }

  // Of the block that was just made.
  void WriteShape(TextId shape, const Event& made) {
    if (shape == 0) return;
    const events::NameId name = writer_.Name(objects_.TextOf(shape), time_ns_);
    Event event = Stamped(EventKind::kTensorShape, made.device);
    event.address = made.address;
    event.stream = made.stream;
    event.pool = made.pool;
    event.name = name;
    writer_.Add(event);
  }

  void WriteBlock(const TraceEntry& entry, TextId shape, uint8_t device) {
    const bool is_alloc = entry.action == Action::kAlloc;
    const events::NameId stack = is_alloc ? stacks_.Name(entry.stack, time_ns_) : 0;
    const events::NameId metadata = is_alloc ? writer_.Name(objects_.TextOf(entry.metadata), time_ns_) : 0;
    Event event = Stamped(is_alloc                                 ? EventKind::kAllocate
                          : entry.action == Action::kFreeRequested ? EventKind::kFreeRequested
                                                                   : EventKind::kFreeCompleted,
                          device);
    event.address = entry.address;
    event.bytes = entry.bytes;
    event.stream = objects_.streams()[entry.stream];
    event.category = entry.category;
    event.op = stack;
    event.layer = metadata;
    event.pool = PoolOf(entry);
    if (is_alloc) {
      event.rounded_bytes = sizes_.Take(entry.address, entry.bytes);
      rounded_.insert_or_assign(entry.address, event.rounded_bytes);
    } else if (entry.action == Action::kFreeCompleted) {
      sizes_.Free(entry.address);
      rounded_.erase(entry.address);
    }
    writer_.Add(event);
    if (is_alloc) WriteShape(shape, event);
  }

  void WriteSegment(const TraceEntry& entry, uint8_t device) {
    const events::NameId stack = BeginsSegment(entry.action) ? stacks_.Name(entry.stack, time_ns_) : 0;
    const auto kind = static_cast<int>(EventKind::kSegmentAllocate) + static_cast<int>(entry.action) -
                      static_cast<int>(Action::kSegmentAlloc);
    Event event = Stamped(static_cast<EventKind>(kind), device);
    event.address = entry.address;
    event.bytes = entry.bytes;
    event.stream = objects_.streams()[entry.stream];
    event.op = stack;
    if (BeginsSegment(entry.action)) {
      BeginSegment(entry.pool, event);
      sizes_.Reserve(entry.address, entry.bytes, entry.action == Action::kSegmentMap);
    } else {
      event.pool = PoolOf(entry);
      segments_.Release(entry.address, entry.bytes);
      sizes_.Release(entry.address, entry.bytes);
    }
    writer_.Add(event);
  }

  void WriteMoment(const TraceEntry& entry, uint8_t device) {
    const events::NameId stack = stacks_.Name(entry.stack, time_ns_);
    Event event =
        Stamped(entry.action == Action::kSnapshot ? EventKind::kSnapshot : EventKind::kOutOfMemory, device);
    event.bytes = entry.bytes;
    event.stream = objects_.streams()[entry.stream];
    if (entry.action == Action::kOutOfMemory) {
      event.rounded_bytes = static_cast<int64_t>(entry.address);
      event.pool = entry.pool != 0 ? NumberOf(entry.pool) : PoolOfRequest(event.stream, device);
    }
    event.op = stack;
    writer_.Add(event);
  }

  void WriteAnnotationsUntil(int64_t time_us) {
    while (next_annotation_ < contents_.annotations.size() &&
           contents_.annotations[next_annotation_].time_us <= time_us) {
      WriteAnnotation(contents_.annotations[next_annotation_++]);
    }
  }

  bool IsBeforeHistory(const SnapshotAnnotation& annotation) const {
    return Nanoseconds(annotation.time_us) < start_ns_;
  }

  // PyTorch keeps as many entries as it was told, and annotations apart from them: the older ones may be
  // gone.
  void PassEarlierSteps() {
    for (const SnapshotAnnotation& annotation : contents_.annotations) {
      if (IsBeforeHistory(annotation)) steps_.Pass(annotation.name, annotation.begins);
    }
  }

  void WriteAnnotation(const SnapshotAnnotation& annotation) {
    time_ns_ = std::max(time_ns_, Nanoseconds(annotation.time_us));
    const std::string_view name = annotation.name;
    const bool is_of_steps = IsBeforeHistory(annotation)
                                 ? AnnotatedSteps::IsTheirs(name)  // they were passed
                                 : steps_.Write(name, annotation.begins, Stamped(EventKind::kPhase, 0));
    if (is_of_steps) return;
    if (name.starts_with(kPhasePrefix)) return WritePhase(name.substr(kPhasePrefix.size()));
    const events::NameId id = writer_.Name(name, time_ns_);
    Event event =
        Stamped(annotation.begins ? EventKind::kScopeBegin : EventKind::kScopeEnd, annotation.device);
    event.op = id;
    event.thread = 1U + annotation.device;
    writer_.Add(event);
  }

  void WritePhase(std::string_view name) {
    Event event = Stamped(EventKind::kPhase, 0);
    for (int phase = 0; phase < events::kPhaseCount; ++phase) {
      if (events::NameOf(static_cast<events::Phase>(phase)) == name)
        event.phase = static_cast<events::Phase>(phase);
    }
    writer_.Add(event);
  }

  const SnapshotContents& contents_;
  Objects& objects_;
  EventWriter writer_;
  StackNames stacks_;
  BlockSizes sizes_;
  AnnotatedSteps steps_;
  timeline::Segments segments_;  // that are there now
  std::unordered_map<PoolIndex, uint8_t> pool_numbers_;
  std::unordered_map<uint64_t, int64_t> rounded_;  // of the blocks that are alive
  int64_t start_ns_ = 0;
  int64_t time_ns_ = 0;
  size_t next_annotation_ = 0;
  uint64_t unknown_ = 0;
};

std::string DevicesOf(const SnapshotContents& contents) {
  std::map<int, bool> devices;
  for (const SnapshotSegment& segment : contents.segments) devices[segment.device] = true;
  for (size_t device = 0; device < contents.traces.size(); ++device) {
    if (contents.traces[device].count > 0) devices[static_cast<int>(device)] = true;
  }
  std::string names;
  for (const auto& [device, used] : devices)
    names += fmt::format("{}cuda:{}", names.empty() ? "" : ", ", device);
  return names;
}

std::string MissedSteps(int64_t missed) {
  if (missed == 0) return "the step in which it begins ";
  return fmt::format("{} {} ended before, and the step in which it begins ", FormatNumber(missed),
                     missed == 1 ? "step" : "steps");
}

std::string Sentences(const std::string& file_name, const std::string& damage,
                      const SnapshotHistory& history) {
  std::string text;
  const auto add = [&text](const std::string& sentence) { text += (text.empty() ? "" : " ") + sentence; };
  if (!damage.empty()) {
    add(fmt::format(
        "{} is cut short or damaged: {}. The {} events before it are shown; what was alive before its "
        "history began and was never freed in it is not known.",
        file_name, damage, FormatNumber(static_cast<int64_t>(history.events()))));
  }
  const uint64_t left_out = history.entries_left_out() + (damage.empty() ? history.no_entries() : 0);
  if (left_out > 0) {
    add(
        fmt::format("{} entries of its history were left out: they are no entries of an allocator, are "
                    "listed twice, or are of more devices than the first 255.",
                    FormatNumber(static_cast<int64_t>(left_out))));
  }
  if (history.unknown() > 0) {
    add(fmt::format("{} entries are of kinds that this version does not know; they were left out.",
                    FormatNumber(static_cast<int64_t>(history.unknown()))));
  }
  if (const std::optional<int64_t> missed = history.missed_steps()) {
    add(fmt::format(
        "Its history holds the last {} entries only: {}is missing in part, and is not counted as "
        "a step. Whether memory grew before cannot be told; to see more of it raise max_entries of "
        "torch.cuda.memory._record_memory_history.",
        FormatNumber(static_cast<int64_t>(history.entries())), MissedSteps(*missed)));
  }
  if (const int64_t wrong = damage.empty() ? history.WrongSizes() : 0; wrong > 0) {
    add(fmt::format(
        "A history tells what was requested, not the blocks' sizes; they were worked out, and {} of those "
        "alive at its end came out wrong: allocated is approximate.",
        FormatNumber(wrong)));
  }
  return text;
}

}  // namespace

Result<TideSummary> ImportSnapshot(const ReadObjects& read, Objects& objects, const std::string& file_name,
                                   const AcceptEvents& accept, const Progress& progress) {
  const SnapshotContents contents = ContentsOf(read, objects);
  const bool whole = read.damage.empty();
  if (!contents.any) {
    return Error{file_name +
                 (whole ? " is no memory snapshot: it has neither \"segments\" nor \"device_traces\". "
                          "Choose a file that torch.cuda.memory._dump_snapshot wrote."
                        : " cannot be read: " + read.damage + ".")};
  }
  SnapshotHistory history(contents, objects, accept);
  if (!history.Write(StartOf(contents, objects, whole), progress)) {
    return Error{"Reading " + file_name + " was cancelled."};
  }
  TideSummary summary;
  summary.description.title = std::filesystem::path(file_name).filename().string();
  summary.description.device = DevicesOf(contents);
  summary.description.producer = events::kSnapshotProducer;
  summary.description.tells_pools = true;
  summary.description.allocator_settings = contents.allocator_settings;
  summary.description.start_time_ns = history.start_ns();
  summary.events = history.events();
  summary.complete = whole;
  summary.warning = Sentences(file_name, read.damage, history);
  return summary;
}

}  // namespace tidemark::trace
