// The bytes of device memory, as far as they are known. Kernels do nothing here, so their results are not:
// what a copy or a fill wrote reads back true until the next kernel runs; from then on all memory reads as
// zero, since any of it may be what the kernel was to write. So small values that go to the device and come
// back (the sizes that replicas compare, tables that are gathered) are right, and no stale byte ever poses as
// a result.
//
// Only transfers of at most kKnownBytes are kept, in pages that the memory's owner never sees; larger ones
// read as zero. It keeps the process small and a training step fast: batches of images are never looked at.
//
// Thread safe. KernelRan is one load where nothing was written since the last kernel; the others are
// O(bytes), and O(pages) lookups.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "profiler/base/thread_annotations.h"

namespace tidemark::phantom::device {

inline constexpr size_t kKnownBytes = size_t{1} << 20;

class Contents {
 public:
  // Of a device memory of so many bytes; offsets below run from its start.
  explicit Contents(size_t span_bytes);

  void Write(size_t offset, const void* from, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  void Fill(size_t offset, int value, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  // True if all of it is what was written there, false if some of it reads as zero because it is not known.
  bool Read(size_t offset, void* to, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  // What is not known there is not known here.
  void Copy(size_t to, size_t from, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  // Nothing of this range is known; its bytes, in whole pages, go back to the system.
  void Release(size_t offset, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  void KernelRan() {
    if (known_.load(std::memory_order_relaxed)) known_.store(false, std::memory_order_relaxed);
  }

 private:
  struct Page {
    uint64_t generation = 0;   // of writes between two kernels; what is of an older one is not known any more
    uint64_t known_lines = 0;  // one bit for each
  };
  void BeginWrite(size_t offset, size_t bytes) TIDEMARK_REQUIRES(mutex_);
  bool IsKnown(size_t offset, size_t bytes) const TIDEMARK_REQUIRES(mutex_);
  void Forget(size_t offset, size_t bytes) TIDEMARK_REQUIRES(mutex_);

  std::byte* const bytes_;
  Mutex mutex_;
  std::atomic<bool> known_{false};  // something was written since the last kernel
  uint64_t generation_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  // Those that were ever written.
  std::unordered_map<size_t, Page> pages_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace tidemark::phantom::device
