// Where a card's memory lies: a range of addresses that belongs to it, handed out in whole granules.
//
// The ranges of a machine's cards follow each other, and begin where no program of Linux has memory unless it
// asks for such addresses by name: above 48 bits (Documentation/arch/x86/x86_64/mm.rst and arm64/memory.rst
// of the kernel). It takes no addresses of the process, so no sanitizer has a say in it; no device address is
// ever also a host address, and a program that reads through one on the host crashes as it would with a real
// card. It stays within the 49 bits that GPUs have for addresses since Pascal, unless it is of many large
// cards, or of more memory than any card has.
//
// Where in it an allocation lies goes by the system's rule, or by none (profiler/phantom/address_order.h).
// Reserved addresses come from a window of their own: an expandable segment of PyTorch takes 9/8 of the
// card's for itself, and every stream and pool of a program has one or two.
//
// Not thread safe, but for Contains and IsAllocated, which take no lock and are exact for memory that is not
// being allocated or freed at that moment. Allocate, Reserve and Free are O(n) and O(granules); the others
// O(log n) or O(1).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>

#include "profiler/phantom/address_order.h"
#include "profiler/phantom/device/address_pieces.h"

namespace tidemark::phantom::device {

inline constexpr uintptr_t kFirstDeviceAddress = uintptr_t{1} << 48;

// cudaMalloc takes memory from the driver in pages of this size.
inline constexpr size_t kGranuleBytes = size_t{2} << 20;

struct Allocation {
  size_t asked_bytes = 0;
  size_t bytes = 0;             // in whole granules
  bool only_addresses = false;  // no memory behind it but what is mapped there
};

class AddressSpace {
 public:
  // `card`: its number among cards that are alike.
  explicit AddressSpace(size_t capacity_bytes, const AddressOrder& order = {}, int multiprocessors = 0,
                        int card = 0);

  // The card's first kernel of the process is about to run. Under WSL and with driver 580 what the driver
  // holds for each multiprocessor grows then, and moves: where it was there is room.
  void KernelsBegin();
  // A library takes that much for itself, which counts as none of what is allocated here, but lies among it
  // where libraries' addresses are known (driver 580). For as long as the process lives.
  void HoldForLibrary(size_t bytes);

  // None when it does not fit; zero bytes take a granule as well.
  std::optional<uintptr_t> Allocate(size_t bytes);
  // None if nothing was allocated at exactly this address.
  std::optional<Allocation> Free(uintptr_t address);

  // Addresses without memory; memory without addresses; and memory at such addresses. See virtual_memory.h.
  std::optional<uintptr_t> Reserve(size_t bytes);
  bool Unreserve(uintptr_t address);
  bool TakePhysical(size_t bytes);
  void GivePhysicalBack(size_t bytes) { used_bytes_ -= bytes; }
  bool Map(uintptr_t address, size_t bytes);
  void Unmap(uintptr_t address, size_t bytes) { Mark(address, bytes, false); }

  bool Contains(uintptr_t address) const { return address - base_ < span_bytes_; }
  // Whether all of it lies in allocated memory (in however many allocations).
  bool IsAllocated(uintptr_t address, size_t bytes) const;
  // The start of the allocation that holds this address.
  std::optional<uintptr_t> AllocationOf(uintptr_t address) const;
  // None if nothing was allocated at exactly this address.
  std::optional<Allocation> AllocationAt(uintptr_t address) const;

  uintptr_t base() const { return base_; }
  size_t span_bytes() const { return span_bytes_; }  // of its addresses
  size_t capacity_bytes() const { return capacity_bytes_; }
  size_t used_bytes() const { return used_bytes_; }

 private:
  struct Window {
    uintptr_t begin = 0;
    uintptr_t end = 0;
  };
  std::optional<uintptr_t> Place(const Window& window, size_t bytes);
  std::optional<uintptr_t> PlaceAnywhere(const Window& window, size_t bytes);
  std::optional<uintptr_t> HighestPlace(const Window& window, uintptr_t end, size_t bytes) const;
  std::optional<uintptr_t> LowestPlace(const Window& window, size_t bytes) const;
  bool HasPieces() const;
  size_t BytesForMultiprocessors(double mebibytes) const;
  void HoldForDriver(double mebibytes_per_multiprocessor);
  void Mark(uintptr_t address, size_t bytes, bool allocated);

  const size_t capacity_bytes_;
  const size_t span_bytes_;
  const uintptr_t base_;
  const AddressOrder order_;
  const int multiprocessors_;
  std::minstd_rand scattering_;
  const Window reservations_;
  const Window blocks_;
  AddressPieces pieces_;  // of the blocks, on Linux
  std::optional<uintptr_t> held_for_driver_;
  size_t used_bytes_ = 0;
  std::map<uintptr_t, Allocation> allocations_;
  struct FreeMemory {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::atomic<bool>[], FreeMemory>
      allocated_granules_;  // pages of it exist once they are written
};

}  // namespace tidemark::phantom::device
