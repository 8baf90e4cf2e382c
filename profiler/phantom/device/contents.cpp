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
  if (bytes > kKnownBytes) return Lower(offset, bytes, Certainty::kUnknown);
  BeginWrite(offset, bytes);
  std::memcpy(bytes_ + offset, from, bytes);
}

void Contents::Fill(size_t offset, int value, size_t bytes) {
  const MutexLock lock(mutex_);
  if (bytes > kKnownBytes) return Lower(offset, bytes, Certainty::kUnknown);
  BeginWrite(offset, bytes);
  std::memset(bytes_ + offset, value, bytes);
}

Certainty Contents::Read(size_t offset, void* to, size_t bytes) {
  const MutexLock lock(mutex_);
  const Certainty certainty = CertaintyOf(offset, bytes);
  if (certainty != Certainty::kUnknown) {
    std::memcpy(to, bytes_ + offset, bytes);
    return certainty;
  }
  std::memset(to, 0, bytes);
  if (bytes > kKnownBytes) return certainty;
  for (size_t at = 0; at < bytes;) {
    const size_t part = std::min(bytes - at, kLineBytes - (offset + at) % kLineBytes);
    if (CertaintyOf(offset + at, part) != Certainty::kUnknown) {
      std::memcpy(static_cast<std::byte*>(to) + at, bytes_ + offset + at, part);
    }
    at += part;
  }
  return certainty;
}

void Contents::Copy(size_t to, size_t from, size_t bytes) {
  const MutexLock lock(mutex_);
  const Certainty certainty = CertaintyOf(from, bytes);
  if (certainty != Certainty::kUnknown) {
    BeginWrite(to, bytes);
    std::memmove(bytes_ + to, bytes_ + from, bytes);
  }
  Lower(to, bytes, certainty);
}

void Contents::Weaken(size_t offset, size_t bytes, Certainty certainty) {
  const MutexLock lock(mutex_);
  Lower(offset, bytes, certainty);
}

void Contents::ForgetWritten(size_t offset, size_t bytes) {
  const MutexLock lock(mutex_);
  Lower(offset, bytes, Certainty::kUnknown);
}

void Contents::Release(size_t offset, size_t bytes) {
  const MutexLock lock(mutex_);
  const size_t first = FirstPage(offset);
  const size_t end = EndPage(offset, bytes);
  std::erase_if(pages_, [=](const auto& page) { return first <= page.first && page.first < end; });
  madvise(bytes_ + offset, bytes, MADV_DONTNEED);
}

// The first write after a kernel begins a generation. Of lines that are written only in part, the rest
// becomes zero unless something was written there.
void Contents::BeginWrite(size_t offset, size_t bytes) {
  if (bytes == 0) return;
  ever_written_.store(true, std::memory_order_relaxed);
  if (!certain_.load(std::memory_order_relaxed)) {
    ++generation_;
    certain_.store(true, std::memory_order_relaxed);
  }
  for (const size_t edge : {offset, offset + bytes - 1}) {
    if (CertaintyOf(edge, 1) != Certainty::kUnknown) continue;
    std::memset(bytes_ + edge / kLineBytes * kLineBytes, 0, kLineBytes);
  }
  for (size_t number = FirstPage(offset); number < EndPage(offset, bytes); ++number) {
    Page& page = pages_[number];
    if (page.generation != generation_) {
      page.generation = generation_;
      page.certain_lines = 0;
    }
    const uint64_t lines = LinesOf(number, offset, bytes);
    page.written_lines |= lines;
    page.certain_lines |= lines;
  }
}

Certainty Contents::CertaintyOf(size_t offset, size_t bytes) const {
  if (bytes > kKnownBytes) return Certainty::kUnknown;
  bool certain = certain_.load(std::memory_order_relaxed);
  for (size_t number = FirstPage(offset); number < EndPage(offset, bytes); ++number) {
    const auto found = pages_.find(number);
    if (found == pages_.end()) return Certainty::kUnknown;
    const Page& page = found->second;
    const uint64_t lines = LinesOf(number, offset, bytes);
    if ((page.written_lines & lines) != lines) return Certainty::kUnknown;
    certain = certain && page.generation == generation_ && (page.certain_lines & lines) == lines;
  }
  if (certain) return Certainty::kKnown;
  return hears_of_blocks_.load(std::memory_order_relaxed) ? Certainty::kAsWritten : Certainty::kUnknown;
}

void Contents::Lower(size_t offset, size_t bytes, Certainty certainty) {
  if (bytes == 0 || certainty == Certainty::kKnown) return;
  const auto lower = [&](size_t number, Page& page) {
    const uint64_t others = ~LinesOf(number, offset, bytes);
    page.certain_lines &= others;
    if (certainty == Certainty::kUnknown) page.written_lines &= others;
  };
  const size_t first = FirstPage(offset);
  const size_t end = EndPage(offset, bytes);
  if (end - first <= pages_.size()) {
    for (size_t number = first; number < end; ++number) {
      const auto found = pages_.find(number);
      if (found != pages_.end()) lower(number, found->second);
    }
    return;
  }
  for (auto& [number, page] : pages_) {
    if (first <= number && number < end) lower(number, page);
  }
}

}  // namespace tidemark::phantom::device
