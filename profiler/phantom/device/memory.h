// The memory of the machine's cards, which are all alike: allocation within the limit of each, by its number,
// and copies as cudaMemcpy makes them, for which all are one space of addresses. Thread safe; an allocation
// or a free takes a lock, a copy that the device takes part in another, one between host and host none.
// Allocate is O(n) in what is allocated, Copy and Fill are O(bytes) for what is small enough to be kept
// (contents.h), else O(pages that something is known of).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/device/address_space.h"
#include "profiler/phantom/device/contents.h"
#include "profiler/phantom/device/driver_faults.h"

namespace tidemark::phantom::device {

class Memory {
 public:
  // `total_bytes` as a card reports it, `context_bytes` of which the CUDA context takes.
  Memory(int64_t total_bytes, int64_t context_bytes, const Faults& faults = {},
         const AddressOrder& order = {}, int multiprocessors = 0, int cards = 1);

  // Null when the card is full.
  void* Allocate(size_t bytes, int card) TIDEMARK_EXCLUDES(mutex_);
  // The bytes that were asked for; none if nothing is allocated at exactly this address.
  std::optional<size_t> Free(void* pointer) TIDEMARK_EXCLUDES(mutex_);

  // See address_space.h.
  void HoldForLibrary(size_t bytes, int card) TIDEMARK_EXCLUDES(mutex_);

  // Of an allocation with memory of its own, in whole granules; none if there is none at exactly this
  // address.
  std::optional<size_t> BytesAllocatedAt(const void* pointer) const TIDEMARK_EXCLUDES(mutex_);

  // Virtual memory management: see virtual_memory.h. Sizes in whole granules. Any card's memory can be mapped
  // to addresses of any other.
  void* ReserveAddresses(size_t bytes, int card) TIDEMARK_EXCLUDES(mutex_);  // null: no room
  bool FreeAddresses(void* pointer) TIDEMARK_EXCLUDES(mutex_);
  bool TakePhysical(size_t bytes, int card) TIDEMARK_EXCLUDES(mutex_);
  void GivePhysicalBack(size_t bytes, int card) TIDEMARK_EXCLUDES(mutex_);
  bool MapReserved(void* pointer, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  void UnmapReserved(void* pointer, size_t bytes) TIDEMARK_EXCLUDES(mutex_);

  size_t total_bytes() const { return total_bytes_; }
  // What can be handed out: whole granules. Less than one may be neither free nor taken.
  size_t free_bytes(int card) const TIDEMARK_EXCLUDES(mutex_);
  // By the context and by all that was handed out.
  size_t taken_bytes(int card) const TIDEMARK_EXCLUDES(mutex_);

  // An address of some card, allocated or not.
  bool IsDevice(const void* pointer) const { return CardOf(pointer).has_value(); }
  std::optional<int> CardOf(const void* pointer) const;
  bool IsAllocated(const void* pointer, size_t bytes) const;

  // Between host and device in any combination; the addresses say which. False where device memory that is
  // not allocated would be touched. `certainty`, if given, becomes how far what the host got can be trusted:
  // see contents.h.
  bool Copy(void* to, const void* from, size_t bytes, Certainty* certainty = nullptr);
  bool Fill(void* pointer, int value, size_t bytes);
  // However many, into device memory: see contents.h.
  bool WriteNumbers(void* pointer, const void* from, size_t bytes);
  // Of each byte that is copied from there to the host; of device memory.
  std::vector<CertaintyRun> CertaintyOf(const void* pointer, size_t bytes) {
    return contents_.CertaintyOf(OffsetOf(pointer), bytes);
  }
  // What was just copied there is no more certain than this.
  void Weaken(void* pointer, size_t bytes, Certainty certainty) {
    contents_.Weaken(OffsetOf(pointer), bytes, certainty);
  }
  // PyTorch hands out this part of what it had allocated, or has it back; other addresses are nothing to
  // this.
  void ForgetBlock(const void* pointer, size_t bytes) {
    if (IsDevice(pointer)) contents_.Forget(OffsetOf(pointer), bytes);
  }
  // A computation ran there: see contents.h.
  void KernelRan(int card) {
    std::atomic<bool>& kernels_ran = cards_[static_cast<size_t>(card)].kernels_ran;
    if (!kernels_ran.load(std::memory_order_relaxed)) BeginKernels(card);
    contents_.KernelRan();
  }

 private:
  struct CardSpace {
    CardSpace(size_t capacity_bytes, const AddressOrder& order, int multiprocessors, int card)
        : addresses(capacity_bytes, order, multiprocessors, card) {}

    AddressSpace addresses;
    std::atomic<bool> kernels_ran{false};
  };

  static size_t OffsetOf(const void* pointer) {
    return reinterpret_cast<uintptr_t>(pointer) - kFirstDeviceAddress;
  }
  AddressSpace& SpaceOf(int card) { return cards_[static_cast<size_t>(card)].addresses; }
  const AddressSpace& SpaceOf(int card) const { return cards_[static_cast<size_t>(card)].addresses; }
  // Of an address of some card.
  AddressSpace& SpaceWith(const void* pointer) { return SpaceOf(CardOf(pointer).value()); }

  bool Grants(size_t bytes, AddressSpace& space) TIDEMARK_REQUIRES(mutex_);
  void BeginKernels(int card) TIDEMARK_EXCLUDES(mutex_);

  const size_t total_bytes_;
  const size_t context_bytes_;
  mutable Mutex mutex_;  // of all cards' allocations
  DriverFaults faults_;
  std::deque<CardSpace> cards_;
  Contents contents_;
};

}  // namespace tidemark::phantom::device
