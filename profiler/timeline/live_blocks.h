// The blocks that are alive, by address: an open-addressing table over a pool whose nodes are chained in
// order of birth. Addresses are those of one process, where no two devices share one. Not thread safe. Add,
// find and remove O(1) expected; AppendTo O(live), by birth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

class LiveBlocks {
 public:
  LiveBlocks();

  LiveBlock* Find(uint64_t address);
  void Add(const LiveBlock& block);    // its address is not alive
  LiveBlock Remove(uint64_t address);  // its address is alive
  size_t size() const { return size_; }
  void AppendTo(std::vector<LiveBlock>& blocks) const;

 private:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  struct Slot {
    uint64_t address = 0;
    uint32_t node = kNone;
  };
  struct Node {
    LiveBlock block;
    uint32_t before = kNone;
    uint32_t after = kNone;
  };

  size_t HomeOf(uint64_t address) const;
  size_t SlotOf(uint64_t address) const;  // where it is, or the free slot where it would go
  void Grow();
  uint32_t TakeNode(const LiveBlock& block);
  void CloseGap(size_t slot);

  std::vector<Slot> slots_;  // a power of two of them, at most half taken
  std::vector<Node> nodes_;
  uint32_t free_nodes_ = kNone;
  uint32_t oldest_ = kNone;
  uint32_t youngest_ = kNone;
  size_t size_ = 0;
};

}  // namespace tidemark::timeline
