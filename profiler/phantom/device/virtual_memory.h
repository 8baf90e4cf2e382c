// Virtual memory management: addresses are reserved, physical memory is created, and the one is mapped to the
// other, each on its own. What PyTorch's expandable segments are made of. Thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/device/memory.h"

namespace tidemark::phantom::device {

class VirtualMemory {
 public:
  explicit VirtualMemory(Memory& memory) : memory_(memory) {}

  // A piece of a card's physical memory, known by a number from 1. None when the card is full.
  std::optional<uint64_t> Create(size_t bytes, int card) TIDEMARK_EXCLUDES(mutex_);
  // Its creator lets go of it; it goes back to the card when it is mapped nowhere. False: no such piece.
  bool Release(uint64_t piece) TIDEMARK_EXCLUDES(mutex_);
  // False: no such piece, or addresses that are not reserved or are mapped already.
  bool Map(void* pointer, size_t bytes, uint64_t piece) TIDEMARK_EXCLUDES(mutex_);
  // All mappings that lie in the range; false if one lies in it only in part.
  bool Unmap(void* pointer, size_t bytes) TIDEMARK_EXCLUDES(mutex_);

 private:
  struct Piece {
    size_t bytes = 0;
    int card = 0;
    int mappings = 0;
    bool released = false;
  };
  struct Mapping {
    size_t bytes = 0;
    uint64_t piece = 0;
  };
  void GiveBackIfUnused(uint64_t piece) TIDEMARK_REQUIRES(mutex_);

  Memory& memory_;
  Mutex mutex_;
  uint64_t pieces_made_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, Piece> pieces_ TIDEMARK_GUARDED_BY(mutex_);
  std::map<uintptr_t, Mapping> mappings_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace tidemark::phantom::device
