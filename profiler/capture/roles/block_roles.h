// What blocks of a program that we do not own were found to hold, by their addresses. The first role that a
// block takes holds until it is freed, but that a gradient may have been an activation before (saved for a
// second backward), or lie in a bucket, and a leaf may have been an input.
//
// Any thread. Nothing is called under the lock, so it may be asked under the allocator's. O(1), but for what
// awaits the first forward: O(blocks that do).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "profiler/base/thread_annotations.h"
#include "profiler/events/event.h"

namespace tidemark::capture {

struct Block {
  uint64_t address = 0;  // 0 = none on the device
  int64_t bytes = 0;
};

// Categories that a block can have by the time it is announced.
constexpr bool IsFromBirth(events::Category category) {
  return category == events::Category::kAutocastCache || category == events::Category::kWorkspace ||
         category == events::Category::kCommunication;
}

class BlockRoles {
 public:
  // Whether the block is `role` from here on, and was not before.
  bool Take(uint64_t address, events::Category role);
  bool Is(uint64_t address, events::Category role);
  void Born(uint64_t address, events::Category category, bool in_optimizer);
  bool Died(uint64_t address);  // whether it had a role
  // Copied from the host before the first forward: an input if nothing but inputs follows. None = all before
  // is none.
  void AwaitForward(const std::optional<Block>& block);
  std::vector<Block> TakeAwaitingForward();
  // What optimizers made since the last call and is alive.
  std::vector<uint64_t> TakeMadeByOptimizer();

 private:
  Mutex mutex_;
  std::unordered_map<uint64_t, events::Category> roles_ TIDEMARK_GUARDED_BY(mutex_);
  std::unordered_set<uint64_t> made_by_optimizer_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<Block> awaiting_forward_ TIDEMARK_GUARDED_BY(mutex_);
};

// The process's own.
BlockRoles& Roles();

}  // namespace tidemark::capture
