// How large a block PyTorch's caching allocator set aside for a request. A memory history tells only what was
// requested; the size follows from the free block that was at the address and from the allocator's rules:
// rounding (round_size), and when the rest of a free block is split off (should_split), both of
// c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.11. Not thread safe. O(log blocks).
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "profiler/events/allocator_settings.h"

namespace tidemark::trace {

using events::AllocatorRules;

class BlockSizes {
 public:
  explicit BlockSizes(const AllocatorRules& rules) : rules_(rules) {}

  void Reserve(uint64_t address, int64_t bytes, bool expandable);
  void Release(uint64_t address, int64_t bytes);
  // The size of the block that is set aside there now.
  int64_t Take(uint64_t address, int64_t requested_bytes);
  // A block whose size is known.
  void TakeExactly(uint64_t address, int64_t bytes);
  void Free(uint64_t address);

  int64_t Rounded(int64_t requested_bytes) const;

 private:
  struct Block {
    int64_t bytes = 0;
    uint32_t segment = 0;  // free blocks join within one
    bool free = true;
    bool expandable = false;
  };
  using Blocks = std::map<uint64_t, Block>;

  Blocks::iterator FreeBlockAt(uint64_t address, int64_t bytes);
  bool Splits(const Block& block, int64_t rounded_bytes) const;
  void JoinNext(Blocks::iterator block);

  const AllocatorRules rules_;
  Blocks blocks_;
  uint32_t last_segment_ = 0;
};

}  // namespace tidemark::trace
