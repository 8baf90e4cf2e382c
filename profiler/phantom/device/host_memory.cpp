#include "profiler/phantom/device/host_memory.h"

#include <sys/mman.h>

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
  ranges_[reinterpret_cast<uintptr_t>(pointer)] = {bytes, Kind::kPinned};
  return pointer;
}

std::optional<size_t> HostMemory::Free(void* pointer) {
  const std::optional<size_t> bytes = Remove(pointer, Kind::kPinned);
  if (bytes) std::free(pointer);
  return bytes;
}

void* HostMemory::AllocateManaged(size_t bytes) {
  void* pointer =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pointer == MAP_FAILED) return nullptr;
  const MutexLock lock(mutex_);
  ranges_[reinterpret_cast<uintptr_t>(pointer)] = {bytes, Kind::kManaged};
  return pointer;
}

bool HostMemory::FreeManaged(void* pointer) {
  const std::optional<size_t> bytes = Remove(pointer, Kind::kManaged);
  return bytes && munmap(pointer, *bytes) == 0;
}

bool HostMemory::Register(void* pointer, size_t bytes) {
  const auto start = reinterpret_cast<uintptr_t>(pointer);
  const MutexLock lock(mutex_);
  const auto next = ranges_.lower_bound(start);
  if (next != ranges_.end() && next->first < start + bytes) return false;
  if (next != ranges_.begin() && std::prev(next)->first + std::prev(next)->second.bytes > start) return false;
  ranges_[start] = {bytes, Kind::kRegistered};
  return true;
}

bool HostMemory::Unregister(void* pointer) { return Remove(pointer, Kind::kRegistered).has_value(); }

bool HostMemory::IsPinned(const void* pointer) const {
  const std::optional<Kind> kind = KindOf(pointer);
  return kind && *kind != Kind::kManaged;
}

bool HostMemory::IsManaged(const void* pointer) const { return KindOf(pointer) == Kind::kManaged; }

std::optional<HostMemory::Kind> HostMemory::KindOf(const void* pointer) const {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const MutexLock lock(mutex_);
  const auto next = ranges_.upper_bound(address);
  if (next == ranges_.begin()) return {};
  const auto& [start, range] = *std::prev(next);
  return address - start < range.bytes ? std::optional(range.kind) : std::nullopt;
}

std::optional<size_t> HostMemory::Remove(void* pointer, Kind kind) {
  const MutexLock lock(mutex_);
  const auto found = ranges_.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == ranges_.end() || found->second.kind != kind) return {};
  const size_t bytes = found->second.bytes;
  ranges_.erase(found);
  return bytes;
}

}  // namespace tidemark::phantom::device
