// What a process holds of device memory, from what it asks of the CUDA driver: allocations, physical memory
// that it makes and maps (virtual memory management), and what memory pools have reserved. Told twice of the
// same thing (the CUDA runtime's call and the driver's inside it), it counts it once. What lies on the host
// is not to be told of.
//
// Any thread. Every change is told to the listener, under the lock, so that totals come in order; the
// listener neither allocates device memory nor calls back. Bytes are as asked for: the driver's rounding (2
// MiB) is not in them. O(log live) a call.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "profiler/base/thread_annotations.h"

namespace tidemark::capture::cupti {

struct Region {
  uint64_t address = 0;
  uint64_t bytes = 0;
};

class DriverMemory {
 public:
  using Listener = void (*)(int64_t live_bytes, int64_t change_bytes, uint64_t address);
  explicit DriverMemory(Listener listener) : listener_(listener) {}

  // Where a block was that leaves, another thread was given its place before the call that frees it ended.
  // `context`: that it goes with; null = of none that is known.
  void Allocated(uint64_t address, uint64_t bytes, const void* context = nullptr);
  // A call that frees begins; it has ended, and the block is gone; or it failed.
  void Leaves(uint64_t address);
  void Freed(uint64_t address);
  void Stays(uint64_t address);
  // All its blocks are. O(live)
  void ContextGone(const void* context);
  std::vector<Region> RegionsOf(const void* context) const;
  // Physical memory lives until it is released and mapped nowhere any more (cuMemRelease's documentation).
  // Handles and addresses may be another's by the time a call that gives them up has ended, as blocks' may.
  void Created(uint64_t handle, uint64_t bytes);
  void HandleLeaves(uint64_t handle);
  void Released(uint64_t handle);
  void HandleStays(uint64_t handle);
  // Whether it is counted, and mapped for the first time: handles that another process or a host's memory is
  // behind are none of ours.
  bool Mapped(uint64_t address, uint64_t bytes, uint64_t handle);
  void MappingsLeave(uint64_t address, uint64_t bytes);
  void Unmapped(uint64_t address, uint64_t bytes);
  void MappingsStay(uint64_t address, uint64_t bytes);
  struct PoolSize {
    uint64_t reserved_bytes = 0;
    uint64_t kept_bytes = 0;  // its release threshold: what is above it goes back at a synchronization
  };
  // Of the pool at this address, at that time; older news than what is known change nothing.
  void PoolIs(uint64_t address, const PoolSize& size, uint64_t time_ns);
  // That pool's memory is not on the device, whatever else is told of it.
  void PoolIsElsewhere(uint64_t address);
  // Whether one holds more than it keeps.
  bool PoolsMayShrink() const;

  // Nobody tells of them any more: tells the listener that nothing is held, and keeps it so.
  void CountNoMore();

  // The allocations and mapped pieces that overlap these bytes.
  std::vector<Region> RegionsIn(uint64_t address, uint64_t bytes) const;
  int64_t live_bytes() const;
  // Allocations by address so far, to compare with CUPTI's records of them.
  uint64_t allocations() const;

 private:
  struct Block {
    uint64_t bytes = 0;
    const void* context = nullptr;
    bool leaves = false;
  };
  struct Piece {
    uint64_t bytes = 0;
    int users = 0;  // its handle and its mappings
    bool was_mapped = false;
  };
  // Pieces have numbers of ours: a handle that was released may be another piece's while this one is mapped.
  struct Handle {
    uint64_t piece = 0;
    bool leaves = false;
  };
  struct Mapping {
    uint64_t bytes = 0;
    uint64_t piece = 0;
    bool leaves = false;
  };
  struct Pool {
    PoolSize size;
    uint64_t time_ns = 0;
    bool is_elsewhere = false;
  };
  void Change(int64_t bytes, uint64_t address) TIDEMARK_REQUIRES(mutex_);
  void SetLeaves(uint64_t address, bool leaves);
  void SetHandleLeaves(uint64_t handle, bool leaves);
  void SetMappingsLeave(uint64_t address, uint64_t bytes, bool leave);
  void LetGo(uint64_t piece) TIDEMARK_REQUIRES(mutex_);

  const Listener listener_;
  mutable Mutex mutex_;
  std::map<uint64_t, Block> blocks_ TIDEMARK_GUARDED_BY(mutex_);
  std::map<uint64_t, Piece> pieces_ TIDEMARK_GUARDED_BY(mutex_);
  uint64_t pieces_so_far_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, Handle> handles_ TIDEMARK_GUARDED_BY(mutex_);
  std::map<uint64_t, Mapping> mappings_ TIDEMARK_GUARDED_BY(mutex_);
  std::map<uint64_t, Pool> pools_ TIDEMARK_GUARDED_BY(mutex_);
  int64_t live_bytes_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  uint64_t allocations_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  bool is_over_ TIDEMARK_GUARDED_BY(mutex_) = false;
};

}  // namespace tidemark::capture::cupti
