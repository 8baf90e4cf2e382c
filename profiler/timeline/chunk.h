// 16,384 events and what is needed to draw and to replay them: the events as the ledger completed them, their
// effects, extents of every series over nodes of 64, 256, 1,024, 4,096 and 16,384 events, and the moment just
// before the first.
//
//   events   e e e e … (64) | e e e e … (64) | …            16,384
//   level 0  [min max] [min max] [min max] [min max] …       256 nodes, and the values at their ends
//   level 1  [   min max   ] [   min max   ] …                64
//   …
//   level 4  [             min max             ]               1
//
// Thread safety: the builder writes a chunk while views of it are read. A view knows how many events were
// there when it was published; it reads these events and the nodes that end among them, and the builder only
// writes what comes after. What is written into the past (where a block ends) is atomic, and a view does not
// believe in ends beyond its own.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "profiler/events/event.h"
#include "profiler/timeline/ledger.h"
#include "profiler/timeline/series.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

inline constexpr size_t kChunkEvents = 16'384;
inline constexpr size_t kLeafEvents = 64;
inline constexpr size_t kFanOut = 4;
inline constexpr size_t kLevels = 5;
inline constexpr std::array<size_t, kLevels> kNodeEvents = {64, 256, 1024, 4096, 16'384};
inline constexpr std::array<size_t, kLevels> kFirstNode = {0, 256, 320, 336, 340};
inline constexpr size_t kLeaves = 256;
inline constexpr size_t kNodes = 341;

// Blocks and segments as they were just before event `index`, the first of a chunk. With many live blocks not
// every chunk has its own, so that checkpoints stay small beside the events; see Builder.
struct Checkpoint {
  EventIndex index = 0;
  std::vector<LiveBlock> blocks;  // by birth
  std::vector<Segment> segments;  // by address
};

struct Extent {
  int64_t min;
  int64_t max;
};

struct Chunk {
  // The large members are filled as the events come; clearing them first would cost as much as filling them.
  Chunk() {}   // NOLINT(modernize-use-equals-default): `= default` would be deleted, for the sake of `events`
  ~Chunk() {}  // NOLINT(modernize-use-equals-default)
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;

  // Just before the first event.
  EventIndex start = 0;
  SeriesValues values_before{};
  int64_t time_before = 0;  // the largest so far
  int64_t step_before = -1;
  std::shared_ptr<const Checkpoint> checkpoint;  // the latest at or before `start`

  union {
    std::array<events::Event, kChunkEvents> events;
  };
  std::array<Effect, kChunkEvents> effects;
  std::array<std::atomic<uint32_t>, kChunkEvents>
      ends_after;  // events from a kAllocate to its block's end; 0 = none yet

  std::array<std::array<Extent, kNodes>, kSeriesCount> extents;
  std::array<SeriesValues, kNodes>
      at_peak;  // all series at the first event of the node at which kAllocated is largest
  std::array<uint16_t, kNodes> peak_offset;  // which event that is
  std::array<SeriesValues, kLeaves> at_end;  // all series after the leaf's last event
  std::array<int64_t, kLeaves> time_at_end;  // the largest time stamp until then

  std::unique_ptr<Replaced[]> replaced;  // kChunkEvents of them, made with the first; ascending
  std::atomic<uint32_t> replaced_count{0};
};
static_assert(sizeof(Chunk) <= 80 * kChunkEvents);

// All series from one event of a chunk to the next.
void Replay(SeriesValues& values, const Chunk& chunk, size_t offset);
// All series just before the event at `offset` of a chunk that holds the events before it. O(64).
SeriesValues ValuesBefore(const Chunk& chunk, size_t offset);
// One of them; O(1) where a leaf begins.
int64_t ValueBefore(const Chunk& chunk, Series series, size_t offset);
// The largest time stamp up to the event before `offset`. O(64).
int64_t TimeBefore(const Chunk& chunk, size_t offset);

// Fills a chunk; the builder's.
class ChunkWriter {
 public:
  explicit ChunkWriter(Chunk& chunk) : chunk_(&chunk) {}
  size_t size() const { return size_; }
  bool full() const { return size_ == kChunkEvents; }
  // The event has been completed and `values` are those after it; `time_ns` is the largest stamp so far.
  void Append(const events::Event& event, const Ledger::Outcome& outcome, const SeriesValues& values,
              int64_t time_ns);

 private:
  void KeepReplaced(const LiveBlock& block);
  void BeginLeaf(const SeriesValues& values);
  void Extend(const SeriesValues& values);
  void CloseLeaf(const SeriesValues& values, int64_t time_ns);
  void CloseParents(size_t leaf);

  Chunk* chunk_;
  size_t size_ = 0;
  std::array<Extent, kSeriesCount> open_{};  // of the leaf being filled
  SeriesValues open_peak_{};
  size_t open_peak_offset_ = 0;
};

}  // namespace tidemark::timeline
