// Where a step ends in a program with several optimizers, as a GAN's: once each has had its turn. Who they
// are is found out by watching: the first turn of one that was not known ends a step. So in the first round
// each turn does, until the next optimizer's first shows that the round goes on: what was told as steps until
// then was one. One that had no turn while another had kMostTurns is taken for gone; up to then a
// discriminator may step more often than its generator (5 times in "Wasserstein GAN", Arjovsky, Chintala,
// Bottou, 2017).
//
// A new one that has two turns in a row is of another training: all others are gone, and if its first turn
// ended the first round, there was none. (A generator that steps twice in a round is taken for that until its
// discriminator comes again.)
//
// Not thread safe. O(optimizers).
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "profiler/events/joined_steps.h"

namespace tidemark::capture {

class OptimizerCycle {
 public:
  enum class Turn {
    kGoesOn,
    kEndsStep,
    kEndsFirst,  // all steps so far were one, the first, and that ends
    kEndsOther,  // those that were taken for one before this one were not
  };
  // What the turn of `optimizer` (its address; null where that is not known) does, now that it is over.
  Turn After(const void* optimizer) {
    const void* const newcomer = std::exchange(newcomer_, nullptr);
    if (newcomer != nullptr && newcomer == optimizer) return EndOther(optimizer);
    const auto known = std::ranges::find(known_, optimizer, &Known::optimizer);
    const bool is_new = known == known_.end();
    // With two that are known the first one's next turn is the second round's.
    is_first_round_ = is_first_round_ && (is_new || known_.size() == 1) && turns_ < events::kMostJoinedSteps;
    if (is_first_round_) ++turns_;
    if (is_new) {
      known_.push_back({optimizer, 0});
      BeginAnew();
      if (known_.size() > 1) newcomer_ = optimizer;
      return is_first_round_ && known_.size() > 1 ? Turn::kEndsFirst : Turn::kEndsStep;
    }
    ++known->turns;
    const bool others_are_gone = known->turns >= kMostTurns;
    if (others_are_gone) std::erase_if(known_, [](const Known& one) { return one.turns == 0; });
    if (!std::ranges::all_of(known_, [](const Known& one) { return one.turns > 0; })) return Turn::kGoesOn;
    BeginAnew();
    return Turn::kEndsStep;
  }

 private:
  static constexpr int kMostTurns = 10;
  struct Known {
    const void* optimizer;
    int turns;  // in this cycle
  };
  Turn EndOther(const void* optimizer) {
    const bool first_was_one = is_first_round_ && known_.size() == 2;
    is_first_round_ = false;
    known_ = {{optimizer, 0}};
    return first_was_one ? Turn::kEndsOther : Turn::kEndsStep;
  }
  void BeginAnew() {
    for (Known& one : known_) one.turns = 0;
  }
  std::vector<Known> known_;
  const void* newcomer_ = nullptr;  // whose first turn was the last one
  bool is_first_round_ = true;
  int turns_ = 0;  // of all, in the first round
};

}  // namespace tidemark::capture
