// The bytes of device memory, as far as they are known. Kernels do nothing here, so their results are not:
// what a copy or a fill wrote reads back true until the next kernel runs; from then on all memory reads as
// zero, since any of it may be what the kernel was to write. So small values that go to the device and come
// back (the sizes that replicas compare, tables that are gathered) are right, and no stale byte ever poses as
// a result.
//
// Only transfers of at most kKnownBytes are kept, in pages that the memory's owner never sees; larger ones
// read as zero. It keeps the process small and a training step fast: batches of images are never looked at.
//
// Thread safe. KernelRan is one load where nothing was written since the last kernel.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <unordered_set>

#include "profiler/base/thread_annotations.h"

namespace tidemark::phantom::device {

inline constexpr size_t kKnownBytes = size_t{64} << 10;

class Contents {
 public:
  // Of a device memory of so many bytes; offsets below run from its start.
  explicit Contents(size_t span_bytes);

  void Write(size_t offset, const void* from, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  void Fill(size_t offset, int value, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  void Read(size_t offset, void* to, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  void Copy(size_t to, size_t from, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  // This range reads as zero; its pages go back to the system.
  void Release(size_t offset, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  void KernelRan() {
    if (known_.load(std::memory_order_relaxed)) known_.store(false, std::memory_order_relaxed);
  }

 private:
  void BeginWrite(size_t offset, size_t bytes) TIDEMARK_REQUIRES(mutex_);
  void Forget(size_t offset, size_t bytes) TIDEMARK_REQUIRES(mutex_);

  std::byte* const bytes_;
  Mutex mutex_;
  std::atomic<bool> known_{false};  // nothing that was written has become doubtful
  std::unordered_set<size_t> written_pages_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace tidemark::phantom::device
