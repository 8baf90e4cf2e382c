// The memory of the phantom device: allocation within the card's limit, and copies as cudaMemcpy makes them.
// Thread safe; an allocation or a free takes a lock, a copy that the device takes part in another, one
// between host and host none. Allocate is O(n) in what is allocated, Copy and Fill are O(bytes) for what
// is small enough to be kept (contents.h), else O(pages that something is known of).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/device/address_space.h"
#include "profiler/phantom/device/contents.h"
#include "profiler/phantom/device/driver_faults.h"

namespace tidemark::phantom::device {

class Memory {
 public:
  // `total_bytes` as the card reports it, `context_bytes` of which the CUDA context takes.
  Memory(int64_t total_bytes, int64_t context_bytes, const Faults& faults = {},
         const AddressOrder& order = {}, int multiprocessors = 0);

  // Null when the device is full.
  void* Allocate(size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  // The bytes that were asked for; none if nothing is allocated at exactly this address.
  std::optional<size_t> Free(void* pointer) TIDEMARK_EXCLUDES(mutex_);

  // See address_space.h.
  void HoldForLibrary(size_t bytes) TIDEMARK_EXCLUDES(mutex_);

  // Of an allocation with memory of its own, in whole granules; none if there is none at exactly this
  // address.
  std::optional<size_t> BytesAllocatedAt(const void* pointer) const TIDEMARK_EXCLUDES(mutex_);

  // Virtual memory management: see virtual_memory.h. Sizes in whole granules.
  void* ReserveAddresses(size_t bytes) TIDEMARK_EXCLUDES(mutex_);  // null: no room
  bool FreeAddresses(void* pointer) TIDEMARK_EXCLUDES(mutex_);
  bool TakePhysical(size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  void GivePhysicalBack(size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  bool MapReserved(void* pointer, size_t bytes) TIDEMARK_EXCLUDES(mutex_);
  void UnmapReserved(void* pointer, size_t bytes) TIDEMARK_EXCLUDES(mutex_);

  size_t total_bytes() const { return total_bytes_; }
  // What can be handed out: whole granules. Less than one may be neither free nor taken.
  size_t free_bytes() const TIDEMARK_EXCLUDES(mutex_);
  // By the context and by all that was handed out.
  size_t taken_bytes() const TIDEMARK_EXCLUDES(mutex_);

  // An address of the device, allocated or not.
  bool IsDevice(const void* pointer) const { return space_.Contains(reinterpret_cast<uintptr_t>(pointer)); }
  bool IsAllocated(const void* pointer, size_t bytes) const {
    return space_.IsAllocated(reinterpret_cast<uintptr_t>(pointer), bytes);
  }

  // Between host and device in any combination; the addresses say which. False where device memory that is
  // not allocated would be touched. `certainty`, if given, becomes how far what the host got can be trusted:
  // see contents.h.
  bool Copy(void* to, const void* from, size_t bytes, Certainty* certainty = nullptr);
  bool Fill(void* pointer, int value, size_t bytes);
  // What was just copied there is no more certain than this.
  void Weaken(void* pointer, size_t bytes, Certainty certainty) {
    contents_.Weaken(OffsetOf(pointer), bytes, certainty);
  }
  // PyTorch hands out this part of what it had allocated; other addresses are nothing to this.
  void BlockBegins(const void* pointer, size_t bytes) {
    if (IsDevice(pointer)) contents_.Forget(OffsetOf(pointer), bytes);
  }
  // A computation ran on the device: see contents.h.
  void KernelRan() {
    if (!kernels_ran_.load(std::memory_order_relaxed)) BeginKernels();
    contents_.KernelRan();
  }

 private:
  size_t OffsetOf(const void* pointer) const { return reinterpret_cast<uintptr_t>(pointer) - space_.base(); }

  bool Grants(size_t bytes) TIDEMARK_REQUIRES(mutex_);
  void BeginKernels() TIDEMARK_EXCLUDES(mutex_);

  const size_t total_bytes_;
  const size_t context_bytes_;
  mutable Mutex mutex_;  // of space_'s allocations
  DriverFaults faults_;
  AddressSpace space_;
  Contents contents_;
  std::atomic<bool> kernels_ran_{false};
};

}  // namespace tidemark::phantom::device
