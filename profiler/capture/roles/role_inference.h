// What the blocks of a program hold that tells only what it does with its tensors (events::IsHint), as a
// probe does: a leaf that gradients are accumulated for is a parameter, what is accumulated there a gradient,
// what is saved for backward an activation, what an optimizer's step leaves its state. That is how
// torch.profiler's memory timeline infers them; what a forward leaves for the program as backward begins, and
// a model's call without gradients, is output.
// Found out by who reads the ring, and not in the program: a training waits for each table that is looked at
// in it.
//
// Where the ring was too full for a hint, what would follow from it is not known, or taken for something
// else, until the block is freed; that it was lost is told. What a forward made and let go of, and nothing
// was said of, was temporary.
//
// One thread. O(log segments) an event, but for the end of an optimizer, a forward or such a call: O(blocks
// that it made).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "profiler/capture/roles/block_roles.h"
#include "profiler/events/event.h"

namespace tidemark::capture {

class RoleInference {
 public:
  // The events, in the order of the ring, with what follows from the hints among them in their places. Valid
  // until the next call, and as long as `events` are.
  std::span<const events::Event> Infer(std::span<const events::Event> events);

 private:
  struct Leaf {
    // Its c10::TensorImpl: its own block may hold other leaves, as the flat weights of an RNN do.
    uint64_t tensor = 0;
    uint64_t block = 0;
  };
  // Of a leaf. A turn of its block's, so that a gradient that has died is nobody's.
  struct Gradient {
    uint64_t block = 0;
    uint64_t turn = 0;
  };
  void Follow(const events::Event& event);
  void Take(const events::Event& hint);
  void Born(const events::Event& event);
  void FindGradient(const events::Event& hint);
  void FindArgument(const events::Event& hint);
  void FindOptimizerState(const events::Event& hint);
  void FindOutputs(Maker maker, const events::Event& end);
  void Announce(uint64_t block, events::Category role, const events::Event& cause, events::NameId name = 0);
  // Unless it holds something else already. 0 = no block.
  void Assume(uint64_t block, events::Category role, const events::Event& hint, events::NameId name = 0,
              events::NameId gradient_name = 0);
  bool LiesInSegment(uint64_t address) const;
  // 0 where nobody told of it: the tensor may lie elsewhere, or be laid out otherwise than the probe took it
  // to be.
  uint64_t Known(uint64_t address) const;
  Leaf LeafOf(uint64_t node) const;

  BlockRoles roles_;
  std::map<uint64_t, uint64_t> segments_;  // by address: the end
  std::unordered_set<uint64_t> outside_;   // blocks that lie in none, as the CPU's do
  // By AccumulateGrad; the next that is made where one was takes its place.
  std::unordered_map<uint64_t, Leaf> leaves_;
  std::unordered_map<uint64_t, Gradient> gradients_;  // by Leaf::tensor
  std::vector<events::Event> inferred_;
};

}  // namespace tidemark::capture
