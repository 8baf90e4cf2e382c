#include "profiler/phantom/device/host_memory.h"

#include <cstdlib>
#include <iterator>

namespace tidemark::phantom::device {
namespace {

constexpr size_t kHostPageBytes = 4096;

}  // namespace

void* HostMemory::Allocate(size_t bytes) {
  void* pointer =
      std::aligned_alloc(kHostPageBytes, (bytes + kHostPageBytes - 1) / kHostPageBytes * kHostPageBytes);
  if (pointer == nullptr) return nullptr;
  const MutexLock lock(mutex_);
  ranges_[reinterpret_cast<uintptr_t>(pointer)] = {bytes, true};
  return pointer;
}

std::optional<size_t> HostMemory::Free(void* pointer) {
  const std::optional<size_t> bytes = Remove(pointer, true);
  if (bytes) std::free(pointer);
  return bytes;
}

bool HostMemory::Register(void* pointer, size_t bytes) {
  const auto start = reinterpret_cast<uintptr_t>(pointer);
  const MutexLock lock(mutex_);
  const auto next = ranges_.lower_bound(start);
  if (next != ranges_.end() && next->first < start + bytes) return false;
  if (next != ranges_.begin() && std::prev(next)->first + std::prev(next)->second.bytes > start) return false;
  ranges_[start] = {bytes, false};
  return true;
}

bool HostMemory::Unregister(void* pointer) { return Remove(pointer, false).has_value(); }

bool HostMemory::IsPinned(const void* pointer) const {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const MutexLock lock(mutex_);
  const auto next = ranges_.upper_bound(address);
  return next != ranges_.begin() && address - std::prev(next)->first < std::prev(next)->second.bytes;
}

std::optional<size_t> HostMemory::Remove(void* pointer, bool owned) {
  const MutexLock lock(mutex_);
  const auto found = ranges_.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == ranges_.end() || found->second.owned != owned) return {};
  const size_t bytes = found->second.bytes;
  ranges_.erase(found);
  return bytes;
}

}  // namespace tidemark::phantom::device
