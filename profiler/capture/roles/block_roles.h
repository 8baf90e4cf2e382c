// What blocks of a program that we do not own were found to hold, by their addresses. The first role that a
// block takes holds until it is freed, but that a gradient may have been an activation before (saved for a
// second backward), or lie in a bucket; a leaf, or state that an optimizer loaded, may have been an input;
// and an output may become anything.
//
// Any thread. Nothing is called under the lock, so it may be asked under the allocator's. O(1), but for what
// awaits a forward or an evaluation, and what a maker made: O(log blocks that do, or that it made), and as
// many when they are taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
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

// Who made a block, of those that leave something behind when they end: an optimizer's step, a forward, an
// update by hand, the backward before one, or an evaluation, which has the number of its thread.
using Maker = uint64_t;
inline constexpr Maker kNobody = 0;
inline constexpr Maker kOptimizer = std::numeric_limits<Maker>::max();
inline constexpr Maker kForward = kOptimizer - 1;
inline constexpr Maker kUpdate = kOptimizer - 2;
inline constexpr Maker kBackward = kOptimizer - 3;

struct Birth {
  events::Category category = events::Category::kUnknown;
  Maker maker = kNobody;
  bool before_gradients = false;  // gradients may be put into it later, which are not there yet
  bool in_model = false;          // within a call of a module
  int64_t bytes = 0;              // where an update made it
};

// Of a block that nothing ever said of what it holds, who made it: if a forward did, or an update, it was
// temporary. Of one that was state by hand, the block that an update put in its place; 0 = none.
struct Death {
  Maker maker = kNobody;
  uint64_t heir = 0;
};

class BlockRoles {
 public:
  // Whether the block is `role` from here on, and was not before, or not by this name. `gradient_name`: what
  // a parameter's gradient is called; `bytes`: how large it is, where that is known.
  bool Take(uint64_t address, events::Category role, events::NameId gradient_name = 0, int64_t bytes = 0);
  // Likewise a parameter, since it is a copy of one, of all of it; but what is found to be anything else
  // later, and no output, is that.
  bool TakeCopy(uint64_t address, const Block& original);
  // Input, since a model is called with it; but for what a model made, and a forward's results.
  bool TakeArgument(uint64_t address);
  events::NameId GradientNameOf(uint64_t address);  // 0 where nobody told
  bool Is(uint64_t address, events::Category role) { return TurnOf(address, role) != 0; }
  // Which taking of a role made the block `role`: 0 = it is not. No two blocks of one address have the same.
  uint64_t TurnOf(uint64_t address, events::Category role);
  void Born(uint64_t address, const Birth& birth);
  bool WasBeforeGradients(uint64_t address);
  // What an update by hand reads and did not make, of the size of a parameter, that nobody said of what it
  // holds: a gradient where backward made it, as torch.autograd.grad returns, and else state that the program
  // keeps. Unknown where it is neither, or was found before.
  events::Category TakeReadByUpdate(const Block& block);
  // Its heir is what the update made last of its size and keeps, as `v = 0.9 * v + p.grad` does; it is of the
  // same role from here on.
  Death Died(uint64_t address);
  // Copied from the host, and what for is not known yet. `records_gradients`: they are recorded meanwhile.
  void AwaitUse(const Block& block, bool records_gradients);
  // Inputs, now that the first forward begins: what came after the last for which none were recorded, as
  // Module.to fills parameters. What is alive of it, in the order of copies.
  std::vector<Block> TakeAwaitingForward();
  // Inputs, now that an evaluation begins: all that nobody said anything else of.
  std::vector<Block> TakeAwaitingEvaluation();
  // What it made since the last call and is alive, in the order of birth.
  std::vector<uint64_t> TakeMadeBy(Maker maker);

 private:
  struct Known {
    uint64_t turn = 0;  // 0 = no role yet
    events::Category role = events::Category::kUnknown;
    Maker maker = kNobody;
    uint64_t birth = 0;  // its number in made_by_, where it has a maker
    bool was_before_gradients = false;
    bool is_of_model = false;
    bool is_copy = false;  // of a parameter
    int64_t bytes = 0;     // of a parameter, state by hand and what an update made; 0 = not known
    uint64_t awaits = 0;   // its number in awaiting_; 0 = it does not
    events::NameId gradient_name = 0;
  };
  std::vector<Block> TakeAwaitingFrom(uint64_t first) TIDEMARK_REQUIRES(mutex_);
  bool TakeKnown(Known& block, events::Category role, events::NameId gradient_name) TIDEMARK_REQUIRES(mutex_);
  void Forget(const Known& block) TIDEMARK_REQUIRES(mutex_);
  void Assign(Known& block, events::Category role) TIDEMARK_REQUIRES(mutex_);
  uint64_t HeirOf(const Known& block) TIDEMARK_REQUIRES(mutex_);

  Mutex mutex_;
  std::unordered_set<int64_t> parameter_bytes_ TIDEMARK_GUARDED_BY(mutex_);  // that any ever had
  std::unordered_map<uint64_t, Known> blocks_ TIDEMARK_GUARDED_BY(mutex_);
  uint64_t turns_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  // What is alive of it, by birth.
  std::unordered_map<Maker, std::map<uint64_t, uint64_t>> made_by_ TIDEMARK_GUARDED_BY(mutex_);
  uint64_t births_ TIDEMARK_GUARDED_BY(mutex_) = 0;  // that had a maker
  std::map<uint64_t, Block> awaiting_ TIDEMARK_GUARDED_BY(mutex_);
  uint64_t copies_ TIDEMARK_GUARDED_BY(mutex_) = 0;             // that were ever awaiting
  uint64_t first_for_forward_ TIDEMARK_GUARDED_BY(mutex_) = 0;  // of them
};

}  // namespace tidemark::capture
