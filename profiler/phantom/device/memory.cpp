#include "profiler/phantom/device/memory.h"

#include <algorithm>
#include <cstring>

namespace tidemark::phantom::device {

Memory::Memory(int64_t total_bytes, int64_t context_bytes, const Faults& faults, const AddressOrder& order,
               int multiprocessors, int cards)
    : total_bytes_(static_cast<size_t>(total_bytes)),
      context_bytes_(static_cast<size_t>(context_bytes)),
      faults_(faults) {
  for (int card = 0; card < cards; ++card) {
    cards_.emplace_back(static_cast<size_t>(total_bytes - context_bytes), order, multiprocessors, card);
  }
}

std::optional<int> Memory::CardOf(const void* pointer) const {
  const size_t card = OffsetOf(pointer) / cards_.front().addresses.span_bytes();
  return card < cards_.size() ? std::optional(static_cast<int>(card)) : std::nullopt;
}

bool Memory::IsAllocated(const void* pointer, size_t bytes) const {
  const std::optional<int> card = CardOf(pointer);
  return card && SpaceOf(*card).IsAllocated(reinterpret_cast<uintptr_t>(pointer), bytes);
}

void Memory::BeginKernels(int card) {
  const MutexLock lock(mutex_);
  CardSpace& space = cards_[static_cast<size_t>(card)];
  if (!space.kernels_ran.exchange(true, std::memory_order_relaxed)) space.addresses.KernelsBegin();
}

void Memory::HoldForLibrary(size_t bytes, int card) {
  const MutexLock lock(mutex_);
  SpaceOf(card).HoldForLibrary(bytes);
}

// A request of the driver: whether it is answered at all.
bool Memory::Grants(size_t bytes, AddressSpace& space) {
  const size_t taken = std::min(faults_.TakenByAnother(), space.capacity_bytes() - space.used_bytes());
  if (taken > 0) space.TakePhysical(taken);
  return !faults_.Fails(bytes);
}

void* Memory::Allocate(size_t bytes, int card) {
  faults_.Delay();
  const MutexLock lock(mutex_);
  AddressSpace& space = SpaceOf(card);
  if (!Grants(bytes, space)) return nullptr;
  const std::optional<uintptr_t> address = space.Allocate(bytes);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are what this is about
  return address ? reinterpret_cast<void*>(*address) : nullptr;
}

std::optional<size_t> Memory::Free(void* pointer) {
  if (!IsDevice(pointer)) return {};
  const MutexLock lock(mutex_);
  const std::optional<Allocation> freed = SpaceWith(pointer).Free(reinterpret_cast<uintptr_t>(pointer));
  if (!freed) return {};
  contents_.Release(OffsetOf(pointer), freed->bytes);
  return freed->asked_bytes;
}

std::optional<size_t> Memory::BytesAllocatedAt(const void* pointer) const {
  const std::optional<int> card = CardOf(pointer);
  if (!card) return {};
  const MutexLock lock(mutex_);
  const std::optional<Allocation> found = SpaceOf(*card).AllocationAt(reinterpret_cast<uintptr_t>(pointer));
  if (!found || found->only_addresses) return {};
  return found->bytes;
}

void* Memory::ReserveAddresses(size_t bytes, int card) {
  const MutexLock lock(mutex_);
  const std::optional<uintptr_t> address = SpaceOf(card).Reserve(bytes);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are what this is about
  return address ? reinterpret_cast<void*>(*address) : nullptr;
}

bool Memory::FreeAddresses(void* pointer) {
  const MutexLock lock(mutex_);
  return IsDevice(pointer) && SpaceWith(pointer).Unreserve(reinterpret_cast<uintptr_t>(pointer));
}

bool Memory::TakePhysical(size_t bytes, int card) {
  faults_.Delay();
  const MutexLock lock(mutex_);
  AddressSpace& space = SpaceOf(card);
  return Grants(bytes, space) && space.TakePhysical(bytes);
}

void Memory::GivePhysicalBack(size_t bytes, int card) {
  const MutexLock lock(mutex_);
  SpaceOf(card).GivePhysicalBack(bytes);
}

bool Memory::MapReserved(void* pointer, size_t bytes) {
  const MutexLock lock(mutex_);
  return IsDevice(pointer) && SpaceWith(pointer).Map(reinterpret_cast<uintptr_t>(pointer), bytes);
}

void Memory::UnmapReserved(void* pointer, size_t bytes) {
  const MutexLock lock(mutex_);
  SpaceWith(pointer).Unmap(reinterpret_cast<uintptr_t>(pointer), bytes);
  contents_.Release(OffsetOf(pointer), bytes);
}

size_t Memory::free_bytes(int card) const {
  const MutexLock lock(mutex_);
  return SpaceOf(card).capacity_bytes() - SpaceOf(card).used_bytes();
}

size_t Memory::taken_bytes(int card) const {
  const MutexLock lock(mutex_);
  return context_bytes_ + SpaceOf(card).used_bytes();
}

bool Memory::Copy(void* to, const void* from, size_t bytes, Certainty* certainty) {
  if (certainty != nullptr) *certainty = Certainty::kKnown;
  if (bytes == 0) return true;
  const bool to_device = IsDevice(to);
  const bool from_device = IsDevice(from);
  if ((to_device && !IsAllocated(to, bytes)) || (from_device && !IsAllocated(from, bytes))) return false;
  if (to_device && from_device) {
    contents_.Copy(OffsetOf(to), OffsetOf(from), bytes);
  } else if (to_device) {
    contents_.Write(OffsetOf(to), from, bytes);
  } else if (from_device) {
    const Certainty read = contents_.Read(OffsetOf(from), to, bytes);
    if (certainty != nullptr) *certainty = read;
  } else {
    std::memmove(to, from, bytes);
  }
  return true;
}

bool Memory::WriteNumbers(void* pointer, const void* from, size_t bytes) {
  if (!IsDevice(pointer) || !IsAllocated(pointer, bytes)) return false;
  contents_.WriteNumbers(OffsetOf(pointer), from, bytes);
  return true;
}

bool Memory::Fill(void* pointer, int value, size_t bytes) {
  if (bytes == 0) return true;
  if (!IsDevice(pointer)) {
    std::memset(pointer, value, bytes);
    return true;
  }
  if (!IsAllocated(pointer, bytes)) return false;
  contents_.Fill(OffsetOf(pointer), value, bytes);
  return true;
}

}  // namespace tidemark::phantom::device
