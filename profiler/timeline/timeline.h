// The store: a stream of events, kept so that any range can be drawn at any zoom and the state at any moment
// can be told.
//
//   Builder (one thread, appends) ── Publish() ──► View (immutable, any thread, as many as wanted)
//
// Chunks of 16,384 events, each with a pyramid of minimum, maximum and last value per series over its
// buckets, so that a one-event spike in ten million is found and is exact to the byte. A View shares the
// chunks and stays valid, unchanged, for as long as it is held. When the memory budget is reached the oldest
// chunks are let go (counted in health()); `first()` moves up, indices stay; names and settings are kept.
//
// When a block counts: from its kAllocate to the first of kFreeRequested and kFreeCompleted, as in PyTorch's
// memory_allocated() (DeviceCachingAllocator::free lowers allocated_bytes at the request, however long the
// block then waits for other streams). A block that waits is still listed in State, as pending. kReserved is
// the size of the union of all segments; where nobody reports segments (the CPU) it stays 0. kDriver,
// kProcess and kCard are what was told of them last, so a lost event is mended by the next.
//
// Kernels, memory copies and memsets are no events of a timeline, and have no index: device_work(). They take
// at most half of the budget; the oldest go when it is reached, or with the events that they were told with.
//
// Events come back completed: the store knows what an address stood for when they happened. Every event has
// its `phase`; frees have `bytes`, `rounded_bytes`, `category` and `name` of the block; kCategorize has
// `bytes`, `rounded_bytes` and `device` of the block, and its `name` if it brought none; kTensorShape has
// these three, and `category`, of the block; segment events have in `rounded_bytes` by how much they changed
// kReserved. Negative sizes count, and come back, as 0, times beyond 146 years around 1970 as that. Appending
// completed events again gives the same timeline.
//
// Any stream is accepted, whoever wrote it: what does not fit is counted in Health. Sums wrap at 2^64.
//
// Memory: 10 bytes per event of a usual run, its checkpoints and steps among them (full chunks are packed,
// see packed_chunk.h); 90 where no two events have anything in common. Complexity: Append O(1) amortised per
// event; Publish O(1), and O(chunks) once per chunk; Envelope O(chunks in range + columns · log), Columns
// too; StateAt as StateEffort tells: O(chunk + live), with many live blocks O(8 · live).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/events/cuda_graphs.h"
#include "profiler/events/event.h"
#include "profiler/events/source_standing.h"
#include "profiler/timeline/device_work.h"
#include "profiler/timeline/sequence.h"
#include "profiler/timeline/series.h"

namespace tidemark::timeline {

using events::EventIndex;

// An allocation that is alive at the moment asked for.
struct LiveBlock {
  uint64_t address = 0;
  int64_t bytes = 0;          // requested
  int64_t rounded_bytes = 0;  // allocated
  events::Category category = events::Category::kUnknown;
  events::NameId name = 0;   // tensor
  events::NameId layer = 0;  // that allocated it
  events::NameId op = 0;
  uint64_t stream = 0;
  EventIndex born = 0;        // index of its kAllocate
  bool pending_free = false;  // requested, not yet completed
  uint8_t device = 0;
  uint8_t pool = 0;          // private; 0 = none, or not told
  events::NameId shape = 0;  // the type and the sizes of its tensor: "float16 [64, 128]"; 0 = not told
};

struct Segment {
  uint64_t address = 0;
  int64_t bytes = 0;
  EventIndex born = 0;
  bool expandable = false;  // mapped piece by piece; neighbouring pieces are one segment
  uint8_t device = 0;
  uint8_t pool = 0;                                            // private; 0 = none, or not told
  uint64_t stream = 0;                                         // whose requests it serves
  events::NameId pool_name = 0;                                // what the pool is called; 0 = not told
  events::PoolOwner pool_owner = events::PoolOwner::kNotTold;  // in a State
};

// Everything that is true right after event `index`.
struct State {
  EventIndex index = 0;
  int64_t time_ns = 0;
  events::Phase phase = events::Phase::kIdle;
  SeriesValues values{};
  std::vector<LiveBlock> blocks;  // by birth
  std::vector<Segment> segments;  // by address
};

struct Step {
  int64_t number = 0;
  EventIndex begin = 0;  // its kStepBegin
  EventIndex end = 0;    // its kStepEnd; the view's end while it runs; what cut it short
  bool complete = false;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  EventIndex peak = 0;     // where View::peak_level() is largest: the last event before it first falls
  SeriesValues at_peak{};  // all series at that event
  int64_t reserved_peak = 0;
  int64_t requested_peak = 0;
  std::optional<double> loss;
  std::optional<double> loss_scale;
  bool skipped = false;  // the optimizer step was skipped (overflow under fp16); a marker says so
  std::optional<double> vanished_gradients;  // the share of their values that are 0, where it is told
  int32_t settings = -1;                     // index into View::settings()
};

struct PhaseSpan {
  events::Phase phase = events::Phase::kIdle;
  EventIndex begin = 0;  // its kPhase; the oldest may begin before View::first()
  EventIndex end = 0;    // the next kPhase; the view's end while it lasts
};

struct Marker {
  EventIndex index = 0;
  std::string text;       // "fp16 on"
  int32_t settings = -1;  // in force from here on; index into View::settings(), -1 = not told
  bool is_warning = false;
};

struct OutOfMemory {
  EventIndex index = 0;
  int64_t requested_bytes = 0;
  int64_t free_bytes = 0;
  // Where it was, and what was allocated and reserved there.
  uint8_t device = 0;
  int64_t allocated_bytes = 0;
  int64_t reserved_bytes = 0;
};

// What could not be kept or understood. Each counter has a sentence in DescribeHealth.
struct Health {
  uint64_t events = 0;              // captured
  uint64_t lost = 0;                // dropped at the source, from kLoss
  uint64_t unmatched_frees = 0;     // of addresses that were not alive
  uint64_t double_allocations = 0;  // of addresses that were alive
  uint64_t unmatched_tensors = 0;   // categories, names and shapes of what was not alive
  uint64_t unmatched_segments = 0;  // freed or unmapped where nothing was reserved, or reserved twice
  uint64_t unmatched_steps = 0;     // ended without a beginning, or begun again before their end
  uint64_t malformed = 0;           // of no known kind, category or phase; not kept
  uint64_t unreadable_names = 0;    // pieces that do not fit together, or ids beyond the table
  uint64_t let_go = 0;              // oldest events given up to stay within the memory budget
  uint64_t work_let_go = 0;         // oldest kernels, memory copies and memsets, likewise
};

// How a source of events fares: what it last said of itself, and what it could not keep.
struct SourceState {
  events::Source source = events::Source::kTrainer;
  std::string text;           // "live (CUPTI 13.0)"; "" if it said nothing (events/source_standing.h)
  int64_t told_ns = 0;        // when
  uint64_t lost = 0;          // events
  int64_t lost_since_ns = 0;  // time of the first loss

  events::Standing standing() const { return events::StandingOf(text); }
};

// What one device held at the most, each at a moment of its own: the series add devices up.
struct DevicePeaks {
  uint8_t device = 0;  // as the process counts: cuda:0 is 0
  int64_t allocated_bytes = 0;
  int64_t requested_bytes = 0;
  int64_t reserved_bytes = 0;
};

// The most that all devices together held of something since the stream began.
struct Highest {
  int64_t bytes = 0;
  std::optional<int64_t> step;  // the latest that had begun when it was first as much
};

// The store has ready-made what lies between two multiples of it.
inline constexpr size_t kLeafEvents = 64;

class View {
 public:
  virtual ~View() = default;

  EventIndex first() const { return first_; }
  EventIndex end() const { return end_; }  // one past the last event
  bool empty() const { return first_ == end_; }
  int64_t start_ns() const {
    return start_ns_;
  }  // time of the stream's very first event, also when it was let go
  // Whether allocations tell what was asked for, not the sizes of blocks only; so where there are none.
  bool tells_requested() const { return tells_requested_; }
  // Whose peak is the run's, and a step's: kAllocated; where nobody told of blocks, the first level above it
  // that was told of.
  Series peak_level() const { return peak_level_; }
  // Whether what is allocated, reserved and in which categories is known, be it 0: not where the levels above
  // are told and the allocator neither told of a block or a segment nor says that it would.
  bool tells_blocks() const { return IsOfBlocks(peak_level_); }
  // What CUPTI reserved of the card for itself, at the least, as it said last (events/driver_memory.h); 0
  // where nobody told, as where kernels are not recorded.
  int64_t cupti_bytes() const { return cupti_bytes_; }
  // Those on which anything was reserved or allocated, by number; never let go.
  const std::vector<DevicePeaks>& devices() const { return devices_; }
  // Never let go, either.
  const Highest& highest_allocated() const { return highest_allocated_; }
  const Highest& highest_reserved() const { return highest_reserved_; }

  virtual events::Event event(EventIndex index) const = 0;     // first() <= index < end(). O(1)
  virtual std::string_view name(events::NameId id) const = 0;  // "" if never defined
  // Every name defined so far, for writers that must define them again (the oldest chunks may be let go).
  virtual std::vector<std::pair<events::NameId, std::string>> names() const = 0;
  // The axis of time never goes back: an event stamped before its predecessor counts as simultaneous with it.
  // TimeOf is clamped to the view; IndexAt is the first event at or after, end() if none.
  virtual int64_t TimeOf(EventIndex index) const = 0;
  virtual EventIndex IndexAt(int64_t time_ns) const = 0;
  // Where to cut the axis of time near a time: as coarse as the tolerance allows, so that the columns on both
  // sides are answered without a look at single events. The time lies between the events on the two sides, in
  // [time_ns − tolerance_ns, time_ns]; with a tolerance of 0 the index is IndexAt.
  struct Cut {
    EventIndex index = 0;
    int64_t time_ns = 0;
  };
  virtual Cut CutNear(int64_t time_ns, int64_t tolerance_ns) const = 0;

  // Splits [begin, end) into out.size() equal ranges of events, the k-th from begin + (end − begin) · k /
  // size, and fills one bucket for each. An empty range repeats the value before it; so do ranges outside of
  // the view.
  virtual void Envelope(Series series, EventIndex begin, EventIndex end, std::span<Bucket> out) const = 0;
  // The same over equal ranges of time.
  virtual void EnvelopeInTime(Series series, int64_t begin_ns, int64_t end_ns,
                              std::span<Bucket> out) const = 0;
  // All series right after the first event in [begin, end) at which `series` is largest. For an empty range
  // the event before it.
  struct Peak {
    EventIndex index = 0;
    SeriesValues values{};
  };
  virtual Peak PeakIn(Series series, EventIndex begin, EventIndex end) const = 0;
  // What a chart's column needs, in one pass. `edges` ascend; out[k] is of [edges[k], edges[k + 1]), so out
  // is one shorter. An empty range holds the event before it. O(chunks in range + columns · log) for all
  // categories. Of fewer the sum has no extents of its own: those of its parts tell which leaves can hold
  // its largest and smallest, and these are looked at event by event.
  // Of columns whose edges are multiples of kLeafEvents all is there ready-made.
  struct Column {
    Peak peak;           // of the sum of the categories asked for: of all of them it is kAllocated
    int64_t lowest = 0;  // of the same sum
    int64_t reserved_max = 0;
  };
  virtual void Columns(std::span<const EventIndex> edges, CategorySet categories,
                       std::span<Column> out) const = 0;
  // Right after the event; clamped to the view. Of an empty view: nothing.
  virtual SeriesValues ValuesAt(EventIndex index) const = 0;
  virtual State StateAt(EventIndex index) const = 0;
  // What StateAt looks at, told before: who draws frames may ask elsewhere for what takes longer than one.
  // O(1).
  struct StateEffort {
    uint64_t blocks = 0;  // that were alive at the checkpoint before it
    uint64_t events = 0;  // from there on

    uint64_t total() const { return blocks + events; }
    StateEffort operator+(const StateEffort& other) const {
      return {blocks + other.blocks, events + other.events};
    }
  };
  virtual StateEffort EffortOfState(EventIndex index) const = 0;
  // When the block born at `born` is freed, if it is, in this view: a kFreeCompleted; or, where that was
  // lost, the kAllocate of the next block at its address.
  virtual std::optional<EventIndex> FreedAt(EventIndex born) const = 0;
  // When it stops counting, if it does: its kFreeRequested; where nobody told one, as FreedAt. O(1).
  virtual std::optional<EventIndex> StopsCountingAt(EventIndex born) const = 0;
  // The type and the sizes of the tensor of the block born at `born`, as LiveBlock has them. O(1).
  virtual events::NameId ShapeOf(EventIndex born) const = 0;
  // What a block's own free says of it, which has what it held then; nothing where `freed`, as FreedAt or
  // StopsCountingAt tells it, is another block's beginning.
  std::optional<events::Event> FreeIn(EventIndex freed) const {
    events::Event end = event(freed);
    return end.kind == events::EventKind::kAllocate ? std::nullopt : std::optional(end);
  }

  // Those that begin in the view, in its order (a restart counts its steps from 0 again). The last may be
  // incomplete, and so is one that was cut short.
  virtual const Sequence<Step>& steps() const = 0;
  // The number of the step whose beginning was let go and whose end was not.
  virtual std::optional<int64_t> step_under_way() const = 0;
  virtual const Sequence<PhaseSpan>& phases() const = 0;  // those that end in the view
  virtual const Sequence<Marker>& markers() const = 0;
  virtual const Sequence<OutOfMemory>& out_of_memory() const = 0;
  // Where the scopes of replayed CUDA graphs begin (events/cuda_graphs.h).
  virtual const Sequence<EventIndex>& graph_replays() const = 0;
  // Training settings as JSON, each once, in order of appearance; never let go.
  virtual const Sequence<std::string>& settings() const = 0;
  // Of those that told of themselves or lost something, by source; never let go.
  virtual const std::vector<SourceState>& sources() const = 0;
  virtual const DeviceWorkPages& device_work() const = 0;
  virtual const Health& health() const = 0;

 protected:
  EventIndex first_ = 0;
  EventIndex end_ = 0;
  int64_t start_ns_ = 0;
  bool tells_requested_ = true;
  Series peak_level_ = Series::kAllocated;
  int64_t cupti_bytes_ = 0;
  std::vector<DevicePeaks> devices_;
  Highest highest_allocated_;
  Highest highest_reserved_;
};

// Only what is not zero, a sentence each; and of tensors that were not alive only where blocks are told.
std::vector<std::string> DescribeHealth(const View& view);

// 0.5 GB of a usual run, 1.5 GB of any, and what is alive at the beginning of each chunk beside it.
inline constexpr size_t kDefaultBudgetEvents = 48'000'000;

// At least the newest 16,384 events are kept, whatever the budget.
class Builder {
 public:
  explicit Builder(size_t budget_events = kDefaultBudgetEvents);
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  void Append(std::span<const events::Event> events);
  std::shared_ptr<const View> Publish();

  // For whoever needs less than the budget: lets go of the oldest chunks, as far as all of their events are
  // before `index`, or until the rest takes no more than `bytes`.
  void LetGoBefore(EventIndex index);
  void LetGoBeyond(size_t bytes);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tidemark::timeline
