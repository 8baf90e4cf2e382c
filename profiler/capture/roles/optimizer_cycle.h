// Where a step ends in a program with several optimizers, as a GAN's: once each has had its turn. Who they
// are is found out by watching: the first turn of one that was not known ends a step, so the first round of
// two is told as two steps. One that had no turn while another had kMostTurns is taken for gone; up to then a
// discriminator may step more often than its generator (5 times in "Wasserstein GAN", Arjovsky, Chintala,
// Bottou, 2017).
//
// Not thread safe. O(optimizers).
#pragma once

#include <algorithm>
#include <vector>

namespace tidemark::capture {

class OptimizerCycle {
 public:
  // Whether the turn of `optimizer` (its address; null where that is not known) ends a step.
  bool Completes(const void* optimizer) {
    const auto known = std::ranges::find(known_, optimizer, &Known::optimizer);
    if (known == known_.end()) {
      known_.push_back({optimizer, 0});
      return BeginsAnew();
    }
    ++known->turns;
    const bool others_are_gone = known->turns >= kMostTurns;
    if (others_are_gone) std::erase_if(known_, [](const Known& one) { return one.turns == 0; });
    const bool all = std::ranges::all_of(known_, [](const Known& one) { return one.turns > 0; });
    return all && BeginsAnew();
  }

 private:
  static constexpr int kMostTurns = 10;
  struct Known {
    const void* optimizer;
    int turns;  // in this cycle
  };
  bool BeginsAnew() {
    for (Known& one : known_) one.turns = 0;
    return true;
  }
  std::vector<Known> known_;
};

}  // namespace tidemark::capture
