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
// A chunk is an OpenChunk while events come in, and a PackedChunk, a seventh of its size, once it is full.
//
// Thread safety: any thread reads. A view knows how many events were there when it was published; it asks for
// these events and the nodes that end among them, and the builder only writes what comes after. What is
// written into the past (where a block's next event is) is atomic, and a view does not believe in events
// beyond its own.
#pragma once

#include <array>
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

// Just before a chunk's first event.
struct ChunkStart {
  EventIndex index = 0;  // of the first event
  SeriesValues values{};
  int64_t time_ns = 0;                           // the largest so far
  std::shared_ptr<const Checkpoint> checkpoint;  // the latest at or before `index`
};

class Chunk {
 public:
  explicit Chunk(ChunkStart start) : start_(std::move(start)) {}
  virtual ~Chunk() = default;
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;

  const ChunkStart& start() const { return start_; }

  // Of the event at `offset`. O(1).
  virtual events::Event EventAt(size_t offset) const = 0;
  virtual int64_t TimeOf(size_t offset) const = 0;
  virtual events::EventKind KindOf(size_t offset) const = 0;
  virtual uint64_t AddressOf(size_t offset) const = 0;
  // How many events later comes what is next of a block that was born there: what tells its shape, if
  // anything does, then what it stops counting with, and, where that is the request of its free, its end; 0 =
  // nothing yet, or no such event.
  virtual uint32_t NextAfter(size_t offset) const = 0;
  // All series from just before the event at `from` to just before the one at `to`.
  virtual void Replay(SeriesValues& values, size_t from, size_t to) const = 0;

  // Of whole nodes. O(1).
  virtual Extent ExtentOf(Series series, size_t node) const = 0;
  // The first event of the node at which kAllocated is largest, and all series right after it.
  virtual size_t PeakOffset(size_t node) const = 0;
  virtual SeriesValues ValuesAtPeak(size_t node) const = 0;
  // Right after a leaf's last event.
  virtual int64_t ValueAtEnd(Series series, size_t leaf) const = 0;
  virtual SeriesValues ValuesAtEnd(size_t leaf) const = 0;
  virtual int64_t TimeAtEnd(size_t leaf) const = 0;  // the largest time stamp until then

  virtual size_t bytes() const = 0;  // of memory, without its checkpoint

  // The builder's.
  virtual void SetNextAfter(size_t offset, uint32_t events) = 0;

 private:
  const ChunkStart start_;
};

// All series just before the event at `offset` of a chunk that holds the events before it. O(64).
SeriesValues ValuesBefore(const Chunk& chunk, size_t offset);
// One of them; O(1) where a leaf begins.
int64_t ValueBefore(const Chunk& chunk, Series series, size_t offset);
// The largest time stamp up to the event before `offset`. O(64).
int64_t TimeBefore(const Chunk& chunk, size_t offset);

}  // namespace tidemark::timeline
