#include "profiler/phantom/device/address_space.h"

#include <sys/mman.h>

#include "profiler/phantom/device/refusal.h"

namespace tidemark::phantom::device {
namespace {

// Room enough that addresses rarely begin again, and little enough for any address space.
constexpr size_t kSpanPerCapacity = 16;

size_t RoundToGranules(size_t bytes) {
  return bytes == 0 ? kGranuleBytes : (bytes + kGranuleBytes - 1) / kGranuleBytes * kGranuleBytes;
}

uintptr_t ReserveAddresses(size_t bytes) {
  void* range = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) {
    EndProcess("tidemark phantom: the addresses of the card's memory cannot be reserved; raise `ulimit -v`.");
  }
  return (reinterpret_cast<uintptr_t>(range) + kGranuleBytes - 1) / kGranuleBytes * kGranuleBytes;
}

}  // namespace

AddressSpace::AddressSpace(size_t capacity_bytes)
    : capacity_bytes_(capacity_bytes / kGranuleBytes * kGranuleBytes),
      span_bytes_(capacity_bytes_ * kSpanPerCapacity),
      base_(ReserveAddresses(span_bytes_ + kGranuleBytes)),
      cursor_(base_ + span_bytes_),
      allocated_granules_(std::make_unique<std::atomic<bool>[]>(span_bytes_ / kGranuleBytes)) {}

std::optional<uintptr_t> AddressSpace::Allocate(size_t bytes) {
  if (bytes > capacity_bytes_) return {};
  const size_t rounded = RoundToGranules(bytes);
  if (rounded > capacity_bytes_ - used_bytes_) return {};
  const std::optional<uintptr_t> address = Place(rounded);
  if (!address) return {};
  allocations_[*address] = {bytes, rounded, false};
  used_bytes_ += rounded;
  cursor_ = *address;
  Mark(*address, rounded, true);
  return address;
}

std::optional<uintptr_t> AddressSpace::Place(size_t bytes) {
  for (const uintptr_t start : {cursor_, base_ + span_bytes_}) {
    uintptr_t end = start;
    while (end - base_ >= bytes) {
      const uintptr_t candidate = end - bytes;
      const auto above = allocations_.lower_bound(end);
      if (above == allocations_.begin()) return candidate;
      const auto& [below, allocation] = *std::prev(above);
      if (below + allocation.bytes <= candidate) return candidate;
      end = below;
    }
  }
  return {};
}

std::optional<Allocation> AddressSpace::Free(uintptr_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || found->second.only_addresses) return {};
  const Allocation freed = found->second;
  Mark(address, freed.bytes, false);
  used_bytes_ -= freed.bytes;
  allocations_.erase(found);
  return freed;
}

std::optional<uintptr_t> AddressSpace::Reserve(size_t bytes) {
  const size_t rounded = RoundToGranules(bytes);
  if (rounded > span_bytes_) return {};
  const std::optional<uintptr_t> address = Place(rounded);
  if (!address) return {};
  allocations_[*address] = {bytes, rounded, true};
  cursor_ = *address;
  return address;
}

bool AddressSpace::Unreserve(uintptr_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || !found->second.only_addresses) return false;
  allocations_.erase(found);
  return true;
}

bool AddressSpace::TakePhysical(size_t bytes) {
  if (bytes > capacity_bytes_ - used_bytes_) return false;
  used_bytes_ += bytes;
  return true;
}

bool AddressSpace::Map(uintptr_t address, size_t bytes) {
  const std::optional<uintptr_t> start = AllocationOf(address);
  if (!start) return false;
  const Allocation& range = allocations_[*start];
  if (!range.only_addresses || address - *start + bytes > range.bytes) return false;
  for (size_t offset = 0; offset < bytes; offset += kGranuleBytes) {
    if (IsAllocated(address + offset, 1)) return false;
  }
  Mark(address, bytes, true);
  return true;
}

bool AddressSpace::IsAllocated(uintptr_t address, size_t bytes) const {
  const size_t offset = address - base_;
  if (offset >= span_bytes_ || bytes > span_bytes_ - offset) return false;
  const size_t last = (offset + (bytes == 0 ? 0 : bytes - 1)) / kGranuleBytes;
  for (size_t granule = offset / kGranuleBytes; granule <= last; ++granule) {
    if (!allocated_granules_[granule].load(std::memory_order_relaxed)) return false;
  }
  return true;
}

std::optional<uintptr_t> AddressSpace::AllocationOf(uintptr_t address) const {
  const auto above = allocations_.upper_bound(address);
  if (above == allocations_.begin()) return {};
  const auto& [start, allocation] = *std::prev(above);
  return address - start < allocation.bytes ? std::optional(start) : std::nullopt;
}

void AddressSpace::Mark(uintptr_t address, size_t bytes, bool allocated) {
  const size_t first = (address - base_) / kGranuleBytes;
  for (size_t granule = first; granule < first + bytes / kGranuleBytes; ++granule) {
    allocated_granules_[granule].store(allocated, std::memory_order_relaxed);
  }
}

}  // namespace tidemark::phantom::device
