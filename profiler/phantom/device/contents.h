// The bytes of device memory, as far as they are known. Kernels do nothing here, so their results are not.
// What a copy or a fill wrote reads back as it was written, for as long as the memory belongs to what it was
// written for: when PyTorch hands the same bytes out again (Forget), or a larger transfer overwrites them,
// they read as zero. So small values that go to the device and come back (the sizes that replicas compare,
// tables that are gathered, masks) are right, and no stale byte poses as a result in a new tensor. Whether a
// kernel changed them in place nobody can say; Read tells whether one ran at all since they were written.
// Until somebody calls Forget, the next kernel ends what is known of all memory.
//
// What is known is known of each byte: of a buffer that the host writes a part of after a kernel ran, that
// part is known and the rest is doubtful.
//
// Only transfers of at most kKnownBytes are kept, in pages that exist while something is known of them;
// larger ones read as zero. It keeps the process small and a training step fast: batches of images are never
// looked at. Who knows that it writes numbers that decide sizes may write more (WriteNumbers), until what is
// known takes so much of the host that with it that would be more than it may.
//
// Thread safe. KernelRan is one load where nothing was written since the last kernel, Forget two where
// nothing was ever written; the others are O(bytes written, or known and read), and O(log pages).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "profiler/base/thread_annotations.h"

namespace tidemark::phantom::device {

inline constexpr size_t kKnownBytes = size_t{1} << 20;
inline constexpr size_t kHeldBytes = size_t{1} << 30;  // of the host, for large numbers beside all else

// How far what was read can be trusted, best first.
enum class Certainty : uint8_t {
  kKnown,      // all of it is what was written there
  kAsWritten,  // so it is, but kernels have run since, any of which may have been to change it
  kOfZeros,    // it follows from what was never written, taken as the zeros that it reads as
  kUnknown,    // some of it was never written, and reads as zero
};

// Neighbours that are equally certain.
struct CertaintyRun {
  size_t offset = 0;  // from the first byte that was asked about
  size_t bytes = 0;
  Certainty certainty = Certainty::kUnknown;
};

class Contents {
 public:
  explicit Contents(size_t held_bytes = kHeldBytes) : held_bytes_(held_bytes) {}

  // Offsets run from the start of the device's memory.
  void Write(size_t offset, const void* from, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  void WriteNumbers(size_t offset, const void* from, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  void Fill(size_t offset, int value, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  Certainty Read(size_t offset, void* to, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  // Of each byte of what Read gives.
  std::vector<CertaintyRun> CertaintyOf(size_t offset, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  // Each byte of the copy is as certain as the one that it was made from.
  void Copy(size_t to, size_t from, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  // What lies there is less certain than it seems: it was computed on the host from something that is.
  void Weaken(size_t offset, size_t bytes, Certainty certainty) TIDEMARK_EXCLUDES(mutex_);
  // Something new begins there.
  void Forget(size_t offset, size_t bytes) TIDEMARK_EXCLUDES(mutex_) {
    if (!hears_of_blocks_.load(std::memory_order_relaxed)) hears_of_blocks_ = true;
    if (ever_written_.load(std::memory_order_relaxed)) ForgetWritten(offset, bytes);
  }
  // Nothing of this range, in whole pages, is known any more.
  void Release(size_t offset, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  void KernelRan() {
    if (certain_.load(std::memory_order_relaxed)) certain_.store(false, std::memory_order_relaxed);
  }

 private:
  static constexpr size_t kPageBytes = 4096;
  static constexpr size_t kWordsPerPage = kPageBytes / 64;
  // One bit for each byte of the page.
  using BytesOfPage = std::array<uint64_t, kWordsPerPage>;
  struct Page {
    uint64_t generation = 0;  // of writes between two kernels
    BytesOfPage written{};
    BytesOfPage certain{};   // of those, in this generation
    BytesOfPage of_zeros{};  // of those
    std::array<std::byte, kPageBytes> bytes{};
  };
  std::vector<CertaintyRun> RunsOf(size_t offset, size_t bytes) const TIDEMARK_REQUIRES(mutex_);
  bool HasRoomFor(size_t offset, size_t bytes) const TIDEMARK_REQUIRES(mutex_);
  // How many of at most so many bytes from there on, at least one, are alike.
  CertaintyRun RunAt(size_t offset, size_t most_bytes) const TIDEMARK_REQUIRES(mutex_);
  void Store(size_t offset, const std::byte* from, size_t bytes) TIDEMARK_REQUIRES(mutex_);
  void Load(size_t offset, std::byte* to, size_t bytes) const TIDEMARK_REQUIRES(mutex_);
  Page& PageForWriting(size_t number) TIDEMARK_REQUIRES(mutex_);
  void ForgetWritten(size_t offset, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  void Lower(size_t offset, size_t bytes, Certainty certainty) TIDEMARK_REQUIRES(mutex_);

  const size_t held_bytes_;
  Mutex mutex_;
  std::atomic<bool> hears_of_blocks_{false};
  std::atomic<bool> ever_written_{false};
  std::atomic<bool> certain_{false};  // something was written since the last kernel
  uint64_t generation_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  // Those of which something is known; in their order, since blocks are forgotten by ranges, many at a time.
  std::map<size_t, Page> pages_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace tidemark::phantom::device
