// The largest and the smallest sum of some categories over a range, and where it is first largest: a visitor
// for Cursor. No node keeps such a sum. The extents of its parts, and those of all categories less the rest,
// bound it; only nodes whose bounds reach beyond what is known already are looked into, down to their events.
#pragma once

#include <cstddef>
#include <cstdint>

#include "profiler/timeline/chunk.h"
#include "profiler/timeline/series.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

class PartialSum {
 public:
  explicit PartialSum(CategorySet categories) : categories_(categories) {}

  void OnNode(const Chunk& chunk, size_t node, EventIndex begin);
  void OnEvent(EventIndex index, const SeriesValues& values);
  const View::Column& Take() const { return column_; }

 private:
  Extent BoundsOf(const Chunk& chunk, size_t node) const;
  void LookInto(const Chunk& chunk, size_t level, size_t number);
  void LookAt(EventIndex index, const SeriesValues& values);
  int64_t SumOf(const SeriesValues& values) const;

  CategorySet categories_;
  View::Column column_;
  bool any_ = false;
  int64_t highest_ = 0;
};

}  // namespace tidemark::timeline
