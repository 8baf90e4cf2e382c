// The blocks of a state that count in its values: those whose free was not requested yet (timeline.h tells
// when a block counts). Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/base/saturating.h"
#include "profiler/base/wrapping.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

inline bool Counts(const LiveBlock& block) { return !block.pending_free; }

// By birth, as in the state, which must outlive them. For range-based for: std::views::filter of this
// standard library is not for Clang 14.
class CountedBlocks {
 public:
  explicit CountedBlocks(const State& state) : blocks_(state.blocks) {}

  class Iterator {
   public:
    using Place = std::vector<LiveBlock>::const_iterator;
    Iterator(Place place, Place end) : place_(std::find_if(place, end, Counts)), end_(end) {}
    const LiveBlock& operator*() const { return *place_; }
    Iterator& operator++() {
      place_ = std::find_if(place_ + 1, end_, Counts);
      return *this;
    }
    bool operator!=(const Iterator& other) const { return place_ != other.place_; }

   private:
    Place place_;
    Place end_;
  };
  Iterator begin() const { return {blocks_.begin(), blocks_.end()}; }
  Iterator end() const { return {blocks_.end(), blocks_.end()}; }

 private:
  const std::vector<LiveBlock>& blocks_;
};

// Of the blocks that do not: another stream may still use them. Of one card, where one is named.
inline int64_t WaitingBytes(const State& state, std::optional<uint8_t> device = {}) {
  int64_t bytes = 0;
  for (const LiveBlock& block : state.blocks) {
    if (!Counts(block) && block.device == device.value_or(block.device))
      bytes = SaturatingSum(bytes, block.rounded_bytes);
  }
  return bytes;
}

using BytesByCategory = std::array<int64_t, events::kCategoryCount>;

// What was asked for of them; blocks are larger. Of a run that tells no such sizes, those of blocks.
inline BytesByCategory RequestedByCategory(const State& state) {
  BytesByCategory requested{};
  for (const LiveBlock& block : CountedBlocks(state))
    AddTo(requested[static_cast<size_t>(block.category)], block.bytes);
  return requested;
}

}  // namespace tidemark::timeline
