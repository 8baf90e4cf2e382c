// Host memory that the CUDA runtime knows: allocated pinned by it, or registered with it. Thread safe; O(log
// n).
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
  // False if some of it is already known.
  bool Register(void* pointer, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  bool Unregister(void* pointer) TIDEMARK_EXCLUDES(mutex_);
  bool IsPinned(const void* pointer) const TIDEMARK_EXCLUDES(mutex_);

 private:
  struct Range {
    size_t bytes = 0;
    bool owned = false;
  };
  std::optional<size_t> Remove(void* pointer, bool owned) TIDEMARK_EXCLUDES(mutex_);

  mutable Mutex mutex_;
  std::map<uintptr_t, Range> ranges_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace tidemark::phantom::device
