#include "profiler/phantom/device/contents.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "profiler/phantom/device/refusal.h"

namespace tidemark::phantom::device {
namespace {

constexpr size_t kPageBytes = 4096;
// What is known is noted for lines of this size, 64 to a page. PyTorch's tensors begin at 512.
constexpr size_t kLineBytes = kPageBytes / 64;

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

size_t FirstPage(size_t offset) { return offset / kPageBytes; }
size_t EndPage(size_t offset, size_t bytes) { return (offset + bytes + kPageBytes - 1) / kPageBytes; }

// The lines of this page that the range touches.
uint64_t LinesOf(size_t page, size_t offset, size_t bytes) {
  const size_t begin = std::max(offset, page * kPageBytes) - page * kPageBytes;
  const size_t end = std::min(offset + bytes, (page + 1) * kPageBytes) - page * kPageBytes;
  const size_t first = begin / kLineBytes;
  const size_t count = (end - 1) / kLineBytes + 1 - first;
  return (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << first;
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
  if (bytes > kKnownBytes) return Forget(offset, bytes);
  BeginWrite(offset, bytes);
  std::memset(bytes_ + offset, value, bytes);
}

bool Contents::Read(size_t offset, void* to, size_t bytes) {
  const MutexLock lock(mutex_);
  if (IsKnown(offset, bytes)) {
    std::memcpy(to, bytes_ + offset, bytes);
    return true;
  }
  std::memset(to, 0, bytes);
  if (bytes > kKnownBytes || !known_.load(std::memory_order_relaxed)) return false;
  for (size_t at = 0; at < bytes;) {
    const size_t part = std::min(bytes - at, kLineBytes - (offset + at) % kLineBytes);
    if (IsKnown(offset + at, part)) std::memcpy(static_cast<std::byte*>(to) + at, bytes_ + offset + at, part);
    at += part;
  }
  return false;
}

void Contents::Copy(size_t to, size_t from, size_t bytes) {
  const MutexLock lock(mutex_);
  if (!IsKnown(from, bytes)) return Forget(to, bytes);
  BeginWrite(to, bytes);
  std::memmove(bytes_ + to, bytes_ + from, bytes);
}

void Contents::Release(size_t offset, size_t bytes) {
  const MutexLock lock(mutex_);
  const size_t first = FirstPage(offset);
  const size_t end = EndPage(offset, bytes);
  std::erase_if(pages_, [=](const auto& page) { return first <= page.first && page.first < end; });
  madvise(bytes_ + offset, bytes, MADV_DONTNEED);
}

// The first write after a kernel makes all that was written before it unknown. Of lines that are written only
// in part, the rest becomes zero.
void Contents::BeginWrite(size_t offset, size_t bytes) {
  if (bytes == 0) return;
  if (!known_.load(std::memory_order_relaxed)) {
    ++generation_;
    known_.store(true, std::memory_order_relaxed);
  }
  for (const size_t edge : {offset, offset + bytes - 1}) {
    if (!IsKnown(edge, 1)) std::memset(bytes_ + edge / kLineBytes * kLineBytes, 0, kLineBytes);
  }
  for (size_t number = FirstPage(offset); number < EndPage(offset, bytes); ++number) {
    Page& page = pages_[number];
    if (page.generation != generation_) page = {generation_, 0};
    page.known_lines |= LinesOf(number, offset, bytes);
  }
}

bool Contents::IsKnown(size_t offset, size_t bytes) const {
  if (bytes > kKnownBytes || !known_.load(std::memory_order_relaxed)) return false;
  for (size_t number = FirstPage(offset); number < EndPage(offset, bytes); ++number) {
    const auto found = pages_.find(number);
    if (found == pages_.end() || found->second.generation != generation_) return false;
    const uint64_t lines = LinesOf(number, offset, bytes);
    if ((found->second.known_lines & lines) != lines) return false;
  }
  return true;
}

void Contents::Forget(size_t offset, size_t bytes) {
  if (bytes == 0) return;
  const size_t first = FirstPage(offset);
  const size_t end = EndPage(offset, bytes);
  if (end - first <= pages_.size()) {
    for (size_t number = first; number < end; ++number) {
      const auto found = pages_.find(number);
      if (found != pages_.end()) found->second.known_lines &= ~LinesOf(number, offset, bytes);
    }
    return;
  }
  for (auto& [number, page] : pages_) {
    if (first <= number && number < end) page.known_lines &= ~LinesOf(number, offset, bytes);
  }
}

}  // namespace tidemark::phantom::device
