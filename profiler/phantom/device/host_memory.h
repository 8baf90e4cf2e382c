// Host memory that the CUDA runtime knows: allocated pinned by it, managed (which moves between host and
// device as it is used; here it stays), or registered with it. Thread safe; O(log n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "profiler/base/thread_annotations.h"

namespace tidemark::phantom::device {

class HostMemory {
 public:
  // Page-aligned; null when the machine has no more.
  void* Allocate(size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  // The bytes that were asked for; none if it was not allocated here.
  std::optional<size_t> Free(void* pointer) TIDEMARK_EXCLUDES(mutex_);
  // Of zeros, and the machine's only where it is written to; null when the machine has no more.
  void* AllocateManaged(size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  bool FreeManaged(void* pointer) TIDEMARK_EXCLUDES(mutex_);
  // False if some of it is already known.
  bool Register(void* pointer, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  bool Unregister(void* pointer) TIDEMARK_EXCLUDES(mutex_);
  bool IsPinned(const void* pointer) const TIDEMARK_EXCLUDES(mutex_);
  bool IsManaged(const void* pointer) const TIDEMARK_EXCLUDES(mutex_);

 private:
  enum class Kind : uint8_t { kPinned, kManaged, kRegistered };
  struct Range {
    size_t bytes = 0;
    Kind kind = Kind::kPinned;
  };
  std::optional<size_t> Remove(void* pointer, Kind kind) TIDEMARK_EXCLUDES(mutex_);
  std::optional<Kind> KindOf(const void* pointer) const TIDEMARK_EXCLUDES(mutex_);

  mutable Mutex mutex_;
  std::map<uintptr_t, Range> ranges_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace tidemark::phantom::device
