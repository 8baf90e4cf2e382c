// What blocks of a program that we do not own were found to hold, by their addresses. The first role that a
// block takes holds until it is freed, but that a gradient may have been an activation before (saved for a
// second backward), or lie in a bucket, and a leaf, or state that an optimizer loaded, may have been an
// input.
//
// Any thread. Nothing is called under the lock, so it may be asked under the allocator's. O(1), but for what
// awaits the first forward, and what optimizers made: O(blocks that do, or that they made).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
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
  // Whether the block is `role` from here on, and was not before, or not by this name. `gradient_name`: what
  // a parameter's gradient is called.
  bool Take(uint64_t address, events::Category role, events::NameId gradient_name = 0);
  events::NameId GradientNameOf(uint64_t address);  // 0 where nobody told
  bool Is(uint64_t address, events::Category role) { return TurnOf(address, role) != 0; }
  // Which taking of a role made the block `role`: 0 = it is not. No two blocks of one address have the same.
  uint64_t TurnOf(uint64_t address, events::Category role);
  void Born(uint64_t address, events::Category category, bool in_optimizer);
  // One that gradients may be put into later, which were not there yet when it was made.
  void BornBeforeGradients(uint64_t address);
  bool WasBeforeGradients(uint64_t address);
  void Died(uint64_t address);
  // Copied from the host before the first forward: an input if nothing but inputs follows. None = all before
  // is none.
  void AwaitForward(const std::optional<Block>& block);
  std::vector<Block> TakeAwaitingForward();
  // What optimizers made since the last call and is alive, in the order of birth.
  std::vector<uint64_t> TakeMadeByOptimizer();

 private:
  struct Known {
    uint64_t turn = 0;  // 0 = no role yet
    events::Category role = events::Category::kUnknown;
    bool made_by_optimizer = false;
    bool was_before_gradients = false;
    events::NameId gradient_name = 0;
  };
  void Assign(Known& block, events::Category role) TIDEMARK_REQUIRES(mutex_);

  Mutex mutex_;
  std::unordered_map<uint64_t, Known> blocks_ TIDEMARK_GUARDED_BY(mutex_);
  uint64_t turns_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  // In the order of their births; those that died since are left in it.
  std::vector<uint64_t> made_by_optimizer_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<Block> awaiting_forward_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace tidemark::capture
