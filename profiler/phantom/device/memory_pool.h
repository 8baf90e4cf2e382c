// A card's stream-ordered memory pool: blocks cut from larger pieces of its memory, which it keeps for later.
// Streams are always empty here, so what is freed can be used again at once. Thread safe; O(free blocks) an
// allocation.
//
// How the driver cuts and keeps is not documented. An H200's took device memory in steps of 32 MiB, and gave
// addresses that are multiples of 512 B (driver 580; tests/gpu/fixtures/h200: cupti.buffers, and the levels
// of recordings/*.async.*.tide); first fit is a guess. What the pool reserves is therefore a doubt (see
// doubts.h), what is used is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/device/memory.h"

namespace tidemark::phantom::device {

class MemoryPool {
 public:
  MemoryPool(Memory& memory, int card) : memory_(memory), card_(card) {}

  // Null when the device is full.
  void* Allocate(size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  // The bytes that were asked for; none if nothing of this pool begins at this address.
  std::optional<size_t> Free(void* pointer) TIDEMARK_EXCLUDES(mutex_);
  // Whether the address lies in this pool's memory, used or free.
  bool Contains(const void* pointer) const TIDEMARK_EXCLUDES(mutex_);
  // Gives wholly free pieces back to the device, as far as it still keeps so many bytes.
  void TrimTo(size_t kept_bytes) TIDEMARK_EXCLUDES(mutex_);

  struct Use {
    size_t reserved_bytes = 0;
    size_t reserved_peak_bytes = 0;
    size_t used_bytes = 0;
    size_t used_peak_bytes = 0;
  };
  Use use() const TIDEMARK_EXCLUDES(mutex_);
  // The peaks begin again at what is now.
  void ResetPeaks() TIDEMARK_EXCLUDES(mutex_);

 private:
  struct Block {
    size_t bytes = 0;
    size_t asked_bytes = 0;
    uintptr_t piece = 0;  // where its piece begins: blocks of two pieces never merge
    bool free = true;
  };
  using Blocks = std::map<uintptr_t, Block>;

  Blocks::iterator FindFree(size_t bytes) TIDEMARK_REQUIRES(mutex_);
  Blocks::iterator Grow(size_t bytes) TIDEMARK_REQUIRES(mutex_);
  void MergeWithNext(Blocks::iterator block) TIDEMARK_REQUIRES(mutex_);

  Memory& memory_;
  const int card_;
  mutable Mutex mutex_;
  Blocks blocks_ TIDEMARK_GUARDED_BY(mutex_);
  std::map<uintptr_t, size_t> pieces_ TIDEMARK_GUARDED_BY(mutex_);
  Use use_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace tidemark::phantom::device
