#include "profiler/capture/cupti/library_memory.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tidemark::capture::cupti {
namespace {

std::string NameOf(const char* library) {
  if (library == nullptr || *library == '\0') return "unknown";
  const std::string_view path = library;
  return std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace

void LibraryMemory::Allocated(uint64_t address, uint64_t bytes, const char* library, uint64_t time_ns) {
  const MutexLock lock(mutex_);
  waiting_.push_back({time_ns, address, static_cast<int64_t>(bytes), NameOf(library)});
}

void LibraryMemory::Freed(uint64_t address, uint64_t time_ns) {
  const MutexLock lock(mutex_);
  waiting_.push_back({time_ns, address, 0, {}});
}

void LibraryMemory::Mapped(uint64_t address, uint64_t bytes, const std::string& library) {
  const MutexLock lock(mutex_);
  if (is_over_) return;
  if (const auto before = mappings_.find(address); before != mappings_.end())
    Count(before->second.library, -before->second.bytes);
  const Block& block = mappings_[address] = {static_cast<int64_t>(bytes), NameOf(library.c_str())};
  Count(block.library, block.bytes);
}

void LibraryMemory::Unmapped(uint64_t address, uint64_t bytes) {
  const MutexLock lock(mutex_);
  const auto begin = mappings_.lower_bound(address);
  const auto end = mappings_.lower_bound(address + bytes);
  for (auto mapping = begin; mapping != end; ++mapping)
    Count(mapping->second.library, -mapping->second.bytes);
  mappings_.erase(begin, end);
}

void LibraryMemory::CountNoMore() {
  const MutexLock lock(mutex_);
  is_over_ = true;
  waiting_.clear();
  blocks_.clear();
  mappings_.clear();
  for (const auto& [library, bytes] : live_bytes_) {
    if (bytes != 0) listener_(library, 0, -bytes);
  }
  live_bytes_.clear();
}

void LibraryMemory::Settle() {
  const MutexLock lock(mutex_);
  if (is_over_) return waiting_.clear();
  std::ranges::stable_sort(waiting_, {}, &Change::time_ns);
  for (const Change& change : std::exchange(waiting_, {})) Apply(change);
}

void LibraryMemory::Apply(const Change& change) {
  // What was there before is gone, whether or not somebody told.
  if (const auto before = blocks_.find(change.address); before != blocks_.end()) {
    const Block block = std::move(before->second);
    blocks_.erase(before);
    Count(block.library, -block.bytes);
  }
  if (change.bytes == 0) return;
  blocks_[change.address] = {change.bytes, change.library};
  Count(change.library, change.bytes);
}

void LibraryMemory::Count(const std::string& library, int64_t change) {
  const int64_t live = live_bytes_[library] += change;
  listener_(library, live, change);
}

}  // namespace tidemark::capture::cupti
