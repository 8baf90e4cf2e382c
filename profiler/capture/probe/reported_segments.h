// PyTorch's segments, which it does not report: only how much they are in all, with each block. When that
// grows, the block that is reported lies in what is new, and CUPTI knows where that begins and ends; what is
// given back the driver is told of before it has it again (OnDriverMemoryLeaves). Without CUPTI a new segment
// is taken to begin with the block, and what goes is taken from the highest: then the sum is right at each
// block, and which segments those are is not known.
//
// Any thread; the allocator reports a card's blocks under a lock of its own. O(log segments), and nothing but
// a load where nothing has changed.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>

#include "profiler/base/thread_annotations.h"
#include "profiler/capture/gates/allocator_gate.h"
#include "profiler/events/event.h"

namespace tidemark::capture {

class ReportedSegments {
 public:
  // kSegmentAllocate or kSegmentFree; under the lock.
  using Listener = void (*)(events::EventKind kind, uint64_t address, int64_t bytes, uint16_t device);
  explicit ReportedSegments(Listener listener) : listener_(listener) {}

  // With that block the card's segments are so many bytes. `device` as c10::Device has it.
  void Follow(uint64_t block, uint64_t block_bytes, int64_t reserved, uint16_t device);
  // Whatever of them lies there is given back.
  void Leave(uint64_t address, uint64_t bytes);

  // Whether Follow has something to do.
  bool IsNew(int64_t reserved, uint16_t device) const {
    return Reserved(device).load(std::memory_order_relaxed) != reserved;
  }

 private:
  static constexpr size_t kMostDevices = 256;  // c10::DeviceIndex has eight bits
  struct Segment {
    uint64_t bytes = 0;
    uint16_t device = 0;
  };
  using Segments = std::map<uint64_t, Segment>;  // by address

  const std::atomic<int64_t>& Reserved(uint16_t device) const {
    return reserved_[DeviceNumberOf(device) % kMostDevices];
  }
  std::atomic<int64_t>& Reserved(uint16_t device) { return reserved_[DeviceNumberOf(device) % kMostDevices]; }
  void Add(uint64_t address, uint64_t bytes, uint16_t device) TIDEMARK_REQUIRES(mutex_);
  void Grow(uint64_t address, uint64_t bytes, uint16_t device) TIDEMARK_REQUIRES(mutex_);
  Segments::iterator Remove(Segments::iterator segment) TIDEMARK_REQUIRES(mutex_);
  void Shrink(uint64_t bytes, uint16_t device) TIDEMARK_REQUIRES(mutex_);

  const Listener listener_;
  Mutex mutex_;
  Segments segments_ TIDEMARK_GUARDED_BY(mutex_);
  std::array<std::atomic<int64_t>, kMostDevices> reserved_{};  // what segments_ are, by device
};

}  // namespace tidemark::capture
