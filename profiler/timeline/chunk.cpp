#include "profiler/timeline/chunk.h"

#include <algorithm>

namespace tidemark::timeline {

SeriesValues ValuesBefore(const Chunk& chunk, size_t offset) {
  const size_t leaf = offset / kLeafEvents;
  SeriesValues values = leaf == 0 ? chunk.start().values : chunk.ValuesAtEnd(leaf - 1);
  chunk.Replay(values, leaf * kLeafEvents, offset);
  return values;
}

int64_t ValueBefore(const Chunk& chunk, Series series, size_t offset) {
  if (offset % kLeafEvents != 0) return ValueOf(ValuesBefore(chunk, offset), series);
  const size_t leaf = offset / kLeafEvents;
  return leaf == 0 ? ValueOf(chunk.start().values, series) : chunk.ValueAtEnd(series, leaf - 1);
}

int64_t TimeBefore(const Chunk& chunk, size_t offset) {
  const size_t leaf = offset / kLeafEvents;
  int64_t time_ns = leaf == 0 ? chunk.start().time_ns : chunk.TimeAtEnd(leaf - 1);
  for (size_t at = leaf * kLeafEvents; at < offset; ++at) time_ns = std::max(time_ns, chunk.TimeOf(at));
  return time_ns;
}

}  // namespace tidemark::timeline
