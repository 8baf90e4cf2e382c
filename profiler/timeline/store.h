// The chunks of one view, and how they are read: which chunk holds an event, when it was, and a cursor that
// walks a range in the largest steps that the chunks' nodes allow. Immutable, any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "profiler/timeline/chunk.h"
#include "profiler/timeline/sequence.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

inline constexpr size_t kChunksInPiece = 16;
using Chunks = Sequence<std::shared_ptr<const Chunk>, kChunksInPiece>;

// What a full chunk's topmost node says, side by side with those of its neighbours: a question about millions
// of events need not go to each of their chunks.
struct ChunkSummary {
  EventIndex start = 0;
  std::array<Extent, kSeriesCount> extents{};
};
using ChunkSummaries = Sequence<ChunkSummary, 256>;
struct ChunkEnd {
  EventIndex start = 0;
  int64_t time_ns = 0;  // TimeAtEnd of its last leaf
};

struct Store {
  Chunks chunks;             // contiguous; the first begins at `first`
  ChunkSummaries summaries;  // of the full ones, in their order
  Sequence<ChunkEnd> ends;   // of the same
  EventIndex first = 0;
  EventIndex end = 0;

  bool empty() const { return first == end; }
  EventIndex Clamped(EventIndex index) const;
  const Chunk& ChunkOf(EventIndex index) const;  // first <= index < end
  size_t OffsetOf(EventIndex index) const { return static_cast<size_t>((index - first) % kChunkEvents); }
  size_t SizeOf(const Chunk& chunk) const;  // events of the chunk that belong to this view

  SeriesValues ValuesBefore(EventIndex index) const;  // first <= index <= end
  int64_t ValueBefore(Series series, EventIndex index) const;
  int64_t TimeOf(EventIndex index) const;  // first <= index < end
  // First event at or after; `from` is a chunk that is known to begin before it. LeafAt is where its leaf
  // begins.
  EventIndex IndexAt(int64_t time_ns, size_t& from) const;
  EventIndex LeafAt(int64_t time_ns, size_t& from) const;
};

// Walks forward. A visitor is told of whole nodes and of single events, in order, without gaps:
//   OnNode(chunk, node, event index of its first event)     extents and at_peak of `node` are valid
//   OnEvent(event index, values after it)
class Cursor {
 public:
  Cursor(const Store& store, EventIndex position) : store_(store), position_(position) {}

  // first <= position <= to <= end
  template <typename Visitor>
  void Advance(EventIndex to, Visitor& visitor);
  // Right after the event before the position.
  const SeriesValues& Values();
  int64_t Value(Series series) {
    return values_known_ ? ValueOf(values_, series) : store_.ValueBefore(series, position_);
  }

 private:
  static size_t LevelAt(size_t offset, size_t limit);

  const Store& store_;
  EventIndex position_;
  SeriesValues values_{};
  bool values_known_ = false;
};

// The highest level with a node that begins at `offset` and ends at `limit` at the latest; kLevels if there
// is none.
inline size_t Cursor::LevelAt(size_t offset, size_t limit) {
  size_t level = kLevels;
  for (size_t next = 0;
       next < kLevels && offset % kNodeEvents[next] == 0 && offset + kNodeEvents[next] <= limit; ++next) {
    level = next;
  }
  return level;
}

template <typename Visitor>
void Cursor::Advance(EventIndex to, Visitor& visitor) {
  while (position_ < to) {
    const Chunk& chunk = store_.ChunkOf(position_);
    const EventIndex start = chunk.start().index;
    const EventIndex chunk_end = start + kChunkEvents;
    const size_t limit = static_cast<size_t>((to < chunk_end ? to : chunk_end) - start);
    size_t offset = store_.OffsetOf(position_);
    while (offset < limit) {
      const size_t level = LevelAt(offset, limit);
      if (level < kLevels) {
        visitor.OnNode(chunk, kFirstNode[level] + offset / kNodeEvents[level], position_);
        offset += kNodeEvents[level];
        values_known_ = false;
      } else {
        Values();
        chunk.Replay(values_, offset, offset + 1);
        visitor.OnEvent(position_, values_);
        ++offset;
      }
      position_ = start + offset;
    }
  }
}

}  // namespace tidemark::timeline
