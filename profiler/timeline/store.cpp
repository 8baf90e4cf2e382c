#include "profiler/timeline/store.h"

#include <algorithm>

namespace tidemark::timeline {

EventIndex Store::Clamped(EventIndex index) const { return std::clamp(index, first, end); }

const Chunk& Store::ChunkOf(EventIndex index) const {
  return *chunks[static_cast<size_t>((index - first) / kChunkEvents)];
}

size_t Store::SizeOf(const Chunk& chunk) const {
  return static_cast<size_t>(std::min<EventIndex>(end - chunk.start().index, kChunkEvents));
}

// The end of the store may lie one past the last chunk's last event.
SeriesValues Store::ValuesBefore(EventIndex index) const {
  if (empty()) return {};
  if (index < end || OffsetOf(index) != 0) return timeline::ValuesBefore(ChunkOf(index), OffsetOf(index));
  return ChunkOf(index - 1).ValuesAtEnd(kLeaves - 1);
}

int64_t Store::ValueBefore(Series series, EventIndex index) const {
  if (empty()) return 0;
  if (index < end || OffsetOf(index) != 0)
    return timeline::ValueBefore(ChunkOf(index), series, OffsetOf(index));
  return ChunkOf(index - 1).ValueAtEnd(series, kLeaves - 1);
}

int64_t Store::TimeOf(EventIndex index) const { return TimeBefore(ChunkOf(index), OffsetOf(index) + 1); }

EventIndex Store::LeafAt(int64_t time_ns, size_t& from) const {
  if (empty()) return end;
  // The chunk that ends at or after the time, or the last.
  const auto found = std::partition_point(ends.begin() + static_cast<std::ptrdiff_t>(from), ends.end(),
                                          [&](const ChunkEnd& chunk) { return chunk.time_ns < time_ns; });
  from = static_cast<size_t>(found - ends.begin());
  const Chunk& chunk = *chunks[from];
  size_t leaf = 0;
  for (size_t limit = SizeOf(chunk) / kLeafEvents; leaf < limit;) {
    const size_t middle = leaf + (limit - leaf) / 2;
    if (chunk.TimeAtEnd(middle) < time_ns) {
      leaf = middle + 1;
    } else {
      limit = middle;
    }
  }
  return chunk.start().index + leaf * kLeafEvents;
}

EventIndex Store::IndexAt(int64_t time_ns, size_t& from) const {
  EventIndex index = LeafAt(time_ns, from);
  if (index == end) return end;
  const Chunk& chunk = ChunkOf(index);
  int64_t time_before = TimeBefore(chunk, OffsetOf(index));
  while (index < end) {
    time_before = std::max(time_before, chunk.TimeOf(OffsetOf(index)));
    if (time_before >= time_ns) break;
    ++index;
  }
  return index;
}

const SeriesValues& Cursor::Values() {
  if (!values_known_) values_ = store_.ValuesBefore(position_);
  values_known_ = true;
  return values_;
}

}  // namespace tidemark::timeline
