#include "profiler/phantom/device/address_space.h"

#include "profiler/phantom/device/refusal.h"
#include "profiler/phantom/device/rounding.h"

namespace tidemark::phantom::device {
namespace {

// Room enough for memory that lies in pieces with holes, or anywhere.
constexpr size_t kBlocksPerCapacity = 16;
// More than a hundred expandable segments, each of 9/8.
constexpr size_t kReservationsPerCapacity = 128;

// What the driver holds under WSL and Windows before and after the first kernel, in MiB for each
// multiprocessor: the RTX 4060 Ti (34) began at 80 and 98 MiB, the RTX 4090 (128) at 300 and 362; others fit
// within a tenth. Read off the gaps between addresses (address_order.h), so a driver's own small blocks are
// in it.
constexpr double kHeldBeforeKernels = 2.35;
constexpr double kHeldWithKernels = 2.85;
// And with driver 580 on Linux: an H200 (132) with 580.159.04 held 414 MiB behind the first 8, in every
// process that was looked at, Python's and the trainer's; with the first kernel of PyTorch 96 MiB came, and
// the 414 were free.
constexpr size_t kHeldFirst580 = size_t{8} << 20;
constexpr double kHeldBeforeKernels580 = 3.13;
constexpr double kComesWithKernels580 = 0.72;

size_t RoundToGranules(size_t bytes) { return RoundUp(bytes, kGranuleBytes); }

}  // namespace

AddressSpace::AddressSpace(size_t capacity_bytes, const AddressOrder& order, int multiprocessors, int card)
    : capacity_bytes_(capacity_bytes / kGranuleBytes * kGranuleBytes),
      span_bytes_(capacity_bytes_ * (kReservationsPerCapacity + kBlocksPerCapacity)),
      base_(kFirstDeviceAddress + static_cast<size_t>(card) * span_bytes_),
      order_(order),
      multiprocessors_(multiprocessors),
      scattering_(order.seed),
      reservations_{base_, base_ + capacity_bytes_ * kReservationsPerCapacity},
      blocks_{reservations_.end, base_ + span_bytes_},
      pieces_(blocks_.begin, blocks_.end),
      allocated_granules_(static_cast<std::atomic<bool>*>(
          std::calloc(span_bytes_ / kGranuleBytes, sizeof(std::atomic<bool>)))) {
  if (!allocated_granules_) {
    EndProcess(
        "tidemark phantom: There is no room to keep account of the cards' memory: raise the limit on "
        "addresses (ulimit -v), or ask for fewer cards (--gpus).");
  }
  if (order_.kind == AddressOrder::Kind::kWsl) HoldForDriver(kHeldBeforeKernels);
  if (order_.kind != AddressOrder::Kind::kLinux580 || multiprocessors_ == 0) return;
  pieces_.Place(kHeldFirst580);
  held_for_driver_ = pieces_.Place(BytesForMultiprocessors(kHeldBeforeKernels580));
}

void AddressSpace::KernelsBegin() {
  if (order_.kind == AddressOrder::Kind::kLinux580 && held_for_driver_) {
    pieces_.Place(BytesForMultiprocessors(kComesWithKernels580));
    pieces_.Release(*held_for_driver_);
  }
  if (order_.kind != AddressOrder::Kind::kWsl) return;
  const std::optional<uintptr_t> before = held_for_driver_;
  HoldForDriver(kHeldWithKernels);
  if (before) Unreserve(*before);
}

void AddressSpace::HoldForLibrary(size_t bytes) {
  if (order_.kind == AddressOrder::Kind::kLinux580) pieces_.Place(RoundToGranules(bytes));
}

bool AddressSpace::HasPieces() const {
  return order_.kind == AddressOrder::Kind::kLinux || order_.kind == AddressOrder::Kind::kLinux580;
}

size_t AddressSpace::BytesForMultiprocessors(double mebibytes) const {
  return RoundToGranules(static_cast<size_t>(mebibytes * multiprocessors_ * (1 << 20)));
}

void AddressSpace::HoldForDriver(double mebibytes_per_multiprocessor) {
  if (multiprocessors_ == 0) return;
  const size_t bytes = BytesForMultiprocessors(mebibytes_per_multiprocessor);
  held_for_driver_ = LowestPlace(blocks_, bytes);
  if (held_for_driver_) allocations_[*held_for_driver_] = {bytes, bytes, true};
}

std::optional<uintptr_t> AddressSpace::Allocate(size_t bytes) {
  if (bytes > capacity_bytes_) return {};
  const size_t rounded = RoundToGranules(bytes);
  if (rounded > capacity_bytes_ - used_bytes_) return {};
  const std::optional<uintptr_t> address = HasPieces() ? pieces_.Place(rounded) : Place(blocks_, rounded);
  if (!address) return {};
  allocations_[*address] = {bytes, rounded, false};
  used_bytes_ += rounded;
  Mark(*address, rounded, true);
  return address;
}

std::optional<uintptr_t> AddressSpace::Place(const Window& window, size_t bytes) {
  if (HasPieces()) return HighestPlace(window, window.end, bytes);
  if (order_.kind == AddressOrder::Kind::kWsl) return LowestPlace(window, bytes);
  return PlaceAnywhere(window, bytes);
}

std::optional<uintptr_t> AddressSpace::PlaceAnywhere(const Window& window, size_t bytes) {
  const size_t granules = (window.end - window.begin) / kGranuleBytes;
  const uintptr_t end =
      window.begin + std::uniform_int_distribution<size_t>(1, granules)(scattering_) * kGranuleBytes;
  if (const std::optional<uintptr_t> address = HighestPlace(window, end, bytes)) return address;
  return HighestPlace(window, window.end, bytes);
}

// That ends there or below it, between what is allocated.
std::optional<uintptr_t> AddressSpace::HighestPlace(const Window& window, uintptr_t end, size_t bytes) const {
  while (end - window.begin >= bytes) {
    const uintptr_t candidate = end - bytes;
    const auto above = allocations_.lower_bound(end);
    if (above == allocations_.begin()) return candidate;
    const auto& [below, allocation] = *std::prev(above);
    if (below + allocation.bytes <= candidate) return candidate;
    end = below;
  }
  return {};
}

std::optional<uintptr_t> AddressSpace::LowestPlace(const Window& window, size_t bytes) const {
  uintptr_t begin = window.begin;
  for (auto next = allocations_.lower_bound(begin); next != allocations_.end(); ++next) {
    if (next->first - begin >= bytes) break;
    begin = next->first + next->second.bytes;
  }
  return window.end >= begin && window.end - begin >= bytes ? std::optional(begin) : std::nullopt;
}

std::optional<Allocation> AddressSpace::Free(uintptr_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || found->second.only_addresses) return {};
  const Allocation freed = found->second;
  Mark(address, freed.bytes, false);
  used_bytes_ -= freed.bytes;
  allocations_.erase(found);
  if (HasPieces()) pieces_.Release(address);
  return freed;
}

std::optional<uintptr_t> AddressSpace::Reserve(size_t bytes) {
  const size_t rounded = RoundToGranules(bytes);
  if (rounded < bytes) return {};
  const std::optional<uintptr_t> address = Place(reservations_, rounded);
  if (!address) return {};
  allocations_[*address] = {bytes, rounded, true};
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

std::optional<Allocation> AddressSpace::AllocationAt(uintptr_t address) const {
  const auto found = allocations_.find(address);
  return found == allocations_.end() ? std::nullopt : std::optional(found->second);
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
