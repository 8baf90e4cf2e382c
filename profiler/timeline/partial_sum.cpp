#include "profiler/timeline/partial_sum.h"

#include <algorithm>
#include <limits>

#include "profiler/base/wrapping.h"
#include "profiler/timeline/ledger.h"

namespace tidemark::timeline {
namespace {

__extension__ using Wide = __int128;  // a sum of 64-bit numbers

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr Extent kAnything{kLeast, kMost};

struct WideExtent {
  Wide min = 0;
  Wide max = 0;

  void Add(const Extent& extent) {
    min += extent.min;
    max += extent.max;
  }
  bool Fits() const { return min >= Wide{kLeast} && max <= Wide{kMost}; }
};

size_t LevelOf(size_t node) {
  return static_cast<size_t>(std::upper_bound(kFirstNode.begin(), kFirstNode.end(), node) -
                             kFirstNode.begin()) -
         1;
}

}  // namespace

int64_t PartialSum::SumOf(const SeriesValues& values) const {
  int64_t sum = 0;
  for (size_t category = 0; category < events::kCategoryCount; ++category) {
    if (Contains(categories_, category)) AddTo(sum, values[category]);
  }
  return sum;
}

// Sums wrap: where they could, nothing is known of them.
Extent PartialSum::BoundsOf(const Chunk& chunk, size_t node) const {
  WideExtent within;
  WideExtent rest;
  for (size_t category = 0; category < events::kCategoryCount; ++category) {
    const Extent extent = chunk.ExtentOf(static_cast<Series>(category), node);
    (Contains(categories_, category) ? within : rest).Add(extent);
  }
  const WideExtent all{within.min + rest.min, within.max + rest.max};
  if (!within.Fits() || !rest.Fits() || !all.Fits()) return kAnything;
  const Extent allocated = chunk.ExtentOf(Series::kAllocated, node);
  return {static_cast<int64_t>(std::max(within.min, Wide{allocated.min} - rest.max)),
          static_cast<int64_t>(std::min(within.max, Wide{allocated.max} - rest.min))};
}

void PartialSum::LookAt(EventIndex index, const SeriesValues& values) {
  const int64_t sum = SumOf(values);
  if (!any_ || sum > highest_) {
    highest_ = sum;
    column_.peak = {index, values};
  }
  column_.lowest = any_ ? std::min(column_.lowest, sum) : sum;
  any_ = true;
}

void PartialSum::OnEvent(EventIndex index, const SeriesValues& values) {
  const int64_t reserved = ValueOf(values, Series::kReserved);
  column_.reserved_max = any_ ? std::max(column_.reserved_max, reserved) : reserved;
  LookAt(index, values);
}

void PartialSum::OnNode(const Chunk& chunk, size_t node, EventIndex /*begin*/) {
  const int64_t reserved = chunk.ExtentOf(Series::kReserved, node).max;
  column_.reserved_max = any_ ? std::max(column_.reserved_max, reserved) : reserved;
  const size_t level = LevelOf(node);
  LookInto(chunk, level, node - kFirstNode[level]);
}

void PartialSum::LookInto(const Chunk& chunk, size_t level, size_t number) {
  const Extent bounds = BoundsOf(chunk, kFirstNode[level] + number);
  if (any_ && bounds.max <= highest_ && bounds.min >= column_.lowest) return;
  if (level > 0) {
    for (size_t child = 0; child < kFanOut; ++child) LookInto(chunk, level - 1, number * kFanOut + child);
    return;
  }
  const size_t begin = number * kLeafEvents;
  SeriesValues values = ValuesBefore(chunk, begin);
  for (size_t offset = begin; offset < begin + kLeafEvents; ++offset) {
    chunk.Replay(values, offset, offset + 1);
    LookAt(chunk.start().index + offset, values);
  }
}

}  // namespace tidemark::timeline
