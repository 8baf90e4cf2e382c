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
#include <set>
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
  int64_t bytes = 0;
};

// Of a block that is freed.
struct Death {
  events::Category role = events::Category::kUnknown;
  Maker maker = kNobody;  // where nothing ever said what it holds
  bool was_read = false;  // by an update by hand, of the size of a parameter, and nothing said what it holds
};

// What an update by hand made, changed or let go of, and left.
struct Left {
  std::vector<Block> state;
  std::vector<Block> unknown;  // it made it, and the program keeps it
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
  // An operator of an update by hand reads a block that it did not make, and maybe changes it in place. Where
  // that is of the size of a parameter, and nobody said what it holds, it is a gradient if backward made it
  // since the last update, as torch.autograd.grad returns: then that is returned, else kUnknown. It may prove
  // to be state that the program keeps.
  events::Category ReadInUpdate(const Block& block, bool is_changed);
  // The update is over. State is from here on what it changed in place; and what it made, as much as it let
  // go of state of that size, as `v = 0.9 * v + p.grad` does. What passes with no update between them change
  // only adds up gradients, and is none.
  Left EndUpdate();
  // The next pass begins: what was made since the last, and what was changed once the update was over, as a
  // moving average.
  Left ForgetUpdate();
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
    bool is_read = false;  // in an update by hand
    bool adds_up = false;  // gradients, from pass to pass
    int64_t bytes = 0;     // 0 = not known
    uint64_t awaits = 0;   // its number in awaiting_; 0 = it does not
    events::NameId gradient_name = 0;
  };
  std::vector<Block> TakeAwaitingFrom(uint64_t first) TIDEMARK_REQUIRES(mutex_);
  bool TakeKnown(Known& block, events::Category role, events::NameId gradient_name) TIDEMARK_REQUIRES(mutex_);
  void Forget(const Known& block) TIDEMARK_REQUIRES(mutex_);
  void Assign(Known& block, events::Category role) TIDEMARK_REQUIRES(mutex_);
  void TakeState(uint64_t address, Known& block, Left& left) TIDEMARK_REQUIRES(mutex_);
  void TakeChanged(Left& left) TIDEMARK_REQUIRES(mutex_);

  Mutex mutex_;
  bool was_update_ TIDEMARK_GUARDED_BY(mutex_) = false;              // since the last pass
  std::set<uint64_t> changed_ TIDEMARK_GUARDED_BY(mutex_);           // in the update that is under way
  std::map<int64_t, int> state_let_go_ TIDEMARK_GUARDED_BY(mutex_);  // in that, by size
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
