#include "profiler/phantom/device/contents.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "profiler/phantom/device/refusal.h"

namespace tidemark::phantom::device {
namespace {

constexpr size_t kPageBytes = 4096;

std::byte* ReserveBytes(size_t bytes) {
  void* range =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) {
    EndProcess(
        "tidemark phantom: room for the card's memory cannot be reserved; raise `ulimit -v` and allow "
        "overcommit.");
  }
  madvise(range, bytes, MADV_DONTDUMP);
  return static_cast<std::byte*>(range);
}

}  // namespace

Contents::Contents(size_t span_bytes) : bytes_(ReserveBytes(span_bytes)) {}

void Contents::Write(size_t offset, const void* from, size_t bytes) {
  const MutexLock lock(mutex_);
  if (bytes > kKnownBytes) return Forget(offset, bytes);
  BeginWrite(offset, bytes);
  std::memcpy(bytes_ + offset, from, bytes);
}

void Contents::Fill(size_t offset, int value, size_t bytes) {
  const MutexLock lock(mutex_);
  if (value == 0 || bytes > kKnownBytes) return Forget(offset, bytes);
  BeginWrite(offset, bytes);
  std::memset(bytes_ + offset, value, bytes);
}

void Contents::Read(size_t offset, void* to, size_t bytes) {
  const MutexLock lock(mutex_);
  if (bytes > kKnownBytes || !known_.load(std::memory_order_relaxed)) {
    std::memset(to, 0, bytes);
  } else {
    std::memcpy(to, bytes_ + offset, bytes);
  }
}

void Contents::Copy(size_t to, size_t from, size_t bytes) {
  if (bytes > kKnownBytes) {
    const MutexLock lock(mutex_);
    return Forget(to, bytes);
  }
  std::array<std::byte, kKnownBytes> between;
  Read(from, between.data(), bytes);
  Write(to, between.data(), bytes);
}

void Contents::Release(size_t offset, size_t bytes) {
  const MutexLock lock(mutex_);
  Forget(offset, bytes);
  madvise(bytes_ + offset, bytes, MADV_DONTNEED);
}

// Before the first write after a kernel, all that was written before it becomes zero.
void Contents::BeginWrite(size_t offset, size_t bytes) {
  if (!known_.load(std::memory_order_relaxed)) {
    for (const size_t page : written_pages_) std::memset(bytes_ + page * kPageBytes, 0, kPageBytes);
    written_pages_.clear();
    known_.store(true, std::memory_order_relaxed);
  }
  if (bytes == 0) return;
  for (size_t page = offset / kPageBytes; page <= (offset + bytes - 1) / kPageBytes; ++page) {
    written_pages_.insert(page);
  }
}

void Contents::Forget(size_t offset, size_t bytes) {
  const size_t end = offset + bytes;
  for (const size_t page : written_pages_) {
    const size_t from = std::max(offset, page * kPageBytes);
    const size_t to = std::min(end, (page + 1) * kPageBytes);
    if (from < to) std::memset(bytes_ + from, 0, to - from);
  }
}

}  // namespace tidemark::phantom::device
