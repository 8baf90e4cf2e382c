#include "profiler/phantom/device/contents.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

namespace tidemark::phantom::device {
namespace {

constexpr size_t kBitsPerWord = 64;

// What a range has of the page that it begins in.
struct PagePart {
  size_t number = 0;
  size_t begin = 0;  // in the page
  size_t bytes = 0;
};

PagePart PartAt(size_t offset, size_t most_bytes, size_t page_bytes) {
  const size_t begin = offset % page_bytes;
  return {offset / page_bytes, begin, std::min(most_bytes, page_bytes - begin)};
}

// The bits [begin, end) of a page's bitmap, word by word.
template <typename Bitmap>
void SetBits(Bitmap& bitmap, size_t begin, size_t end, bool value) {
  while (begin < end) {
    const size_t word = begin / kBitsPerWord;
    const size_t first = begin % kBitsPerWord;
    const size_t count = std::min(end - begin, kBitsPerWord - first);
    const uint64_t mask = (count == kBitsPerWord ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << first;
    bitmap[word] = value ? bitmap[word] | mask : bitmap[word] & ~mask;
    begin += count;
  }
}

// How many of the bits [begin, end) are equal to the first, until one is not.
template <typename Bitmap>
size_t EqualBits(const Bitmap& bitmap, size_t begin, size_t end) {
  const bool value = (bitmap[begin / kBitsPerWord] >> begin % kBitsPerWord & 1) != 0;
  size_t at = begin;
  while (at < end) {
    const size_t of_word = kBitsPerWord - at % kBitsPerWord;
    const uint64_t rest = bitmap[at / kBitsPerWord] >> at % kBitsPerWord;
    const auto equal = static_cast<size_t>(value ? std::countr_one(rest) : std::countr_zero(rest));
    at += std::min(equal, of_word);
    if (equal < of_word) break;
  }
  return std::min(at, end) - begin;
}

}  // namespace

void Contents::Write(size_t offset, const void* from, size_t bytes) {
  const MutexLock lock(mutex_);
  if (bytes > kKnownBytes) return Lower(offset, bytes, Certainty::kUnknown);
  Store(offset, static_cast<const std::byte*>(from), bytes);
}

void Contents::WriteNumbers(size_t offset, const void* from, size_t bytes) {
  const MutexLock lock(mutex_);
  if (bytes > kKnownBytes && !HasRoomFor(offset, bytes)) return Lower(offset, bytes, Certainty::kUnknown);
  Store(offset, static_cast<const std::byte*>(from), bytes);
}

void Contents::Fill(size_t offset, int value, size_t bytes) {
  const MutexLock lock(mutex_);
  if (bytes > kKnownBytes) return Lower(offset, bytes, Certainty::kUnknown);
  const std::vector<std::byte> filled(bytes, static_cast<std::byte>(value));
  Store(offset, filled.data(), bytes);
}

Certainty Contents::Read(size_t offset, void* to, size_t bytes) {
  const MutexLock lock(mutex_);
  auto worst = Certainty::kKnown;
  for (const CertaintyRun& run : RunsOf(offset, bytes)) {
    std::byte* part = static_cast<std::byte*>(to) + run.offset;
    if (run.certainty == Certainty::kUnknown) {
      std::memset(part, 0, run.bytes);
    } else {
      Load(offset + run.offset, part, run.bytes);
    }
    worst = std::max(worst, run.certainty);
  }
  return worst;
}

std::vector<CertaintyRun> Contents::CertaintyOf(size_t offset, size_t bytes) {
  const MutexLock lock(mutex_);
  return RunsOf(offset, bytes);
}

void Contents::Copy(size_t to, size_t from, size_t bytes) {
  const MutexLock lock(mutex_);
  if (bytes > kKnownBytes) return Lower(to, bytes, Certainty::kUnknown);
  const std::vector<CertaintyRun> runs = RunsOf(from, bytes);
  if (runs.size() == 1 && runs[0].certainty == Certainty::kUnknown) {
    return Lower(to, bytes, Certainty::kUnknown);
  }
  // All of it before any of it is written: the two may overlap.
  std::vector<std::byte> copied(bytes);
  Load(from, copied.data(), bytes);
  Store(to, copied.data(), bytes);
  for (const CertaintyRun& run : runs) Lower(to + run.offset, run.bytes, run.certainty);
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
  const size_t first = offset / kPageBytes;
  const size_t end = (offset + bytes + kPageBytes - 1) / kPageBytes;
  pages_.erase(pages_.lower_bound(first), pages_.lower_bound(end));
}

// The first write after a kernel begins a generation.
void Contents::Store(size_t offset, const std::byte* from, size_t bytes) {
  if (bytes == 0) return;
  ever_written_.store(true, std::memory_order_relaxed);
  if (!certain_.load(std::memory_order_relaxed)) {
    ++generation_;
    certain_.store(true, std::memory_order_relaxed);
  }
  for (size_t at = 0; at < bytes;) {
    const PagePart part = PartAt(offset + at, bytes - at, kPageBytes);
    Page& page = PageForWriting(part.number);
    std::memcpy(page.bytes.data() + part.begin, from + at, part.bytes);
    SetBits(page.written, part.begin, part.begin + part.bytes, true);
    SetBits(page.certain, part.begin, part.begin + part.bytes, true);
    SetBits(page.of_zeros, part.begin, part.begin + part.bytes, false);
    at += part.bytes;
  }
}

// In pages that are not there yet.
bool Contents::HasRoomFor(size_t offset, size_t bytes) const {
  const size_t first = offset / kPageBytes;
  const size_t end = (offset + bytes + kPageBytes - 1) / kPageBytes;
  const auto there = static_cast<size_t>(std::distance(pages_.lower_bound(first), pages_.lower_bound(end)));
  return (pages_.size() + (end - first) - there) * sizeof(Page) <= held_bytes_;
}

Contents::Page& Contents::PageForWriting(size_t number) {
  Page& page = pages_[number];
  if (page.generation != generation_) {
    page.generation = generation_;
    page.certain.fill(0);
  }
  return page;
}

void Contents::Load(size_t offset, std::byte* to, size_t bytes) const {
  for (size_t at = 0; at < bytes;) {
    const PagePart part = PartAt(offset + at, bytes - at, kPageBytes);
    if (const auto found = pages_.find(part.number); found != pages_.end()) {
      std::memcpy(to + at, found->second.bytes.data() + part.begin, part.bytes);
    }
    at += part.bytes;
  }
}

std::vector<CertaintyRun> Contents::RunsOf(size_t offset, size_t bytes) const {
  std::vector<CertaintyRun> runs;
  for (size_t at = 0; at < bytes;) {
    CertaintyRun run = RunAt(offset + at, bytes - at);
    run.offset = at;
    at += run.bytes;
    if (!runs.empty() && runs.back().certainty == run.certainty) {
      runs.back().bytes += run.bytes;
    } else {
      runs.push_back(run);
    }
  }
  return runs;
}

CertaintyRun Contents::RunAt(size_t offset, size_t most_bytes) const {
  const auto [number, begin, part_bytes] = PartAt(offset, most_bytes, kPageBytes);
  const auto found = pages_.lower_bound(number);
  if (found == pages_.end()) return {0, most_bytes, Certainty::kUnknown};
  if (found->first > number)
    return {0, std::min(most_bytes, found->first * kPageBytes - offset), Certainty::kUnknown};
  const Page& page = found->second;
  const size_t end = begin + part_bytes;
  const auto is_set = [begin = begin](const BytesOfPage& bitmap) {
    return (bitmap[begin / kBitsPerWord] >> begin % kBitsPerWord & 1) != 0;
  };
  size_t bytes = std::min(EqualBits(page.written, begin, end), EqualBits(page.of_zeros, begin, end));
  const bool fresh = certain_.load(std::memory_order_relaxed) && page.generation == generation_;
  if (fresh) bytes = std::min(bytes, EqualBits(page.certain, begin, end));
  if (fresh && is_set(page.certain)) return {0, bytes, Certainty::kKnown};
  const bool lasts = is_set(page.written) && hears_of_blocks_.load(std::memory_order_relaxed);
  if (!lasts) return {0, bytes, Certainty::kUnknown};
  return {0, bytes, is_set(page.of_zeros) ? Certainty::kOfZeros : Certainty::kAsWritten};
}

void Contents::Lower(size_t offset, size_t bytes, Certainty certainty) {
  if (bytes == 0 || certainty == Certainty::kKnown) return;
  const size_t end_offset = offset + bytes;
  // Whether nothing of the page is known any more.
  const auto lower = [&](size_t number, Page& page) {
    const size_t begin = std::max(offset, number * kPageBytes) - number * kPageBytes;
    const size_t end = std::min(end_offset, (number + 1) * kPageBytes) - number * kPageBytes;
    SetBits(page.certain, begin, end, false);
    if (certainty == Certainty::kOfZeros) SetBits(page.of_zeros, begin, end, true);
    if (certainty != Certainty::kUnknown) return false;
    SetBits(page.written, begin, end, false);
    return std::all_of(page.written.begin(), page.written.end(), [](uint64_t word) { return word == 0; });
  };
  const size_t first = offset / kPageBytes;
  const size_t end = (end_offset + kPageBytes - 1) / kPageBytes;
  for (auto page = pages_.lower_bound(first); page != pages_.end() && page->first < end;) {
    page = lower(page->first, page->second) ? pages_.erase(page) : std::next(page);
  }
}

}  // namespace tidemark::phantom::device
