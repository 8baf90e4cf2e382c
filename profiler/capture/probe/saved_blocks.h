// Which blocks have been told of as saved for backward, or as a leaf's, and live: to say again that one is
// saved would change nothing (the first role of a block holds until it is freed, roles/block_roles.h), and
// about half of what a training saves is there already: weights, and what one layer leaves to the next. A
// block whose place another has taken counts as not told of.
//
// Any thread. O(1), without a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tidemark::capture {

class SavedBlocks {
 public:
  // Acquire and release: what this thread tells next comes behind what was told of the block.
  bool Has(uint64_t block) const { return blocks_[PlaceOf(block)].load(std::memory_order_acquire) == block; }
  void Add(uint64_t block) { blocks_[PlaceOf(block)].store(block, std::memory_order_release); }
  void Remove(uint64_t block) {
    std::atomic<uint64_t>& place = blocks_[PlaceOf(block)];
    if (place.load(std::memory_order_relaxed) == block) place.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr int kPlacesLog2 = 12;
  // By the golden ratio: blocks lie at multiples of 512 as of 2 MiB.
  static size_t PlaceOf(uint64_t block) {
    return static_cast<size_t>((block * 0x9e37'79b9'7f4a'7c15) >> (64 - kPlacesLog2));
  }

  std::array<std::atomic<uint64_t>, size_t{1} << kPlacesLog2> blocks_{};
};

}  // namespace tidemark::capture
