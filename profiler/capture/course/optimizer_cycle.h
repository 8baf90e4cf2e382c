// Where a step ends in a program with several optimizers, as a GAN's: once each has had its turn. Who they
// are is found out by watching: the first turn of one that was not known ends a step. So in the first round
// each turn does, until the next optimizer's first shows that the round goes on: what was told as steps until
// then was one. One that had no turn while another had kMostTurns is taken for gone; up to then a
// discriminator may step more often than its generator (5 times in "Wasserstein GAN", Arjovsky, Chintala,
// Bottou, 2017).
//
// Where nothing ran forward or backward since the turn before, both are of one round for sure: with one
// optimizer for each layer or parameter there are as many as there are of those.
//
// A new one that has two turns in a row is of another training: all others are gone, and if its first turn
// ended the first round, there was none. Or it has several turns in each round, as a generator that steps
// twice: that shows when the first comes again, and then all before that was the first round, and a step ends
// with as many turns of the last one. Not so where first and last had as many: so has a loop that trains anew
// with one optimizer after the other, and a later one may lie where the first did. Of another training are,
// too, several that come after the first round with no pass between them, once each of them has its
// second turn before any of the others.
//
// Not thread safe. O(optimizers).
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "profiler/events/joined_steps.h"

namespace tidemark::capture {

class OptimizerCycle {
 public:
  enum class Turn {
    kGoesOn,
    kEndsStep,
    kEndsFirst,    // all steps so far were one, the first, and that ends
    kEndsOther,    // those that were taken for one before this one were not
    kBeganSecond,  // all steps that have ended were one, the first; this turn's is the second, and goes on
  };
  // What the turn of `optimizer` (its address; null where that is not known) does, now that it is over.
  // `follows_pass`: something ran forward or backward since the one before.
  Turn After(const void* optimizer, bool follows_pass) {
    const void* const newcomer = std::exchange(newcomer_, nullptr);
    if (!follows_pass && JoinsFirstRound(optimizer)) return JoinFirstRound(optimizer);
    if (is_first_round_ || !first_round_.empty()) ++turns_;
    if (newcomer != nullptr && newcomer == optimizer) return EndOther(optimizer);
    if (!first_round_.empty() && known_.front().optimizer != optimizer) {
      const std::vector<Known> first_round = std::exchange(first_round_, {});
      if (GoesOn(first_round.front().optimizer, optimizer)) return BeginSecond(first_round);
    }
    if (!IsKnown(optimizer))
      return together_ > 0 && !follows_pass ? GoOnWithNewcomer(optimizer) : EndWithNewcomer(optimizer);
    const auto known = std::ranges::find(known_, optimizer, &Known::optimizer);
    // With two that are known the first one's next turn is the second round's.
    is_first_round_ = is_first_round_ && known_.size() == 1 && turns_ <= events::kMostJoinedSteps;
    ++known->turns;
    const bool had_most = known->turns >= kMostTurns;
    if (known < known_.end() - together_) together_ = 0;
    ForgetWhoWasBefore();
    if (had_most) ForgetWhoRests();
    if (!EachHadItsTurn(optimizer)) return Turn::kGoesOn;
    BeginAnew();
    return Turn::kEndsStep;
  }

 private:
  static constexpr int kMostTurns = 10;
  struct Known {
    const void* optimizer;
    int turns;  // in this cycle
  };
  static bool HasHadTurn(const Known& one) { return one.turns > 0; }
  // A new one, beside others, while what was told as steps can still be joined.
  bool JoinsFirstRound(const void* optimizer) const {
    if (!is_first_round_ || known_.empty()) return false;
    return !IsKnown(optimizer) && (known_.size() > 1 || turns_ < events::kMostJoinedSteps);
  }
  bool IsKnown(const void* optimizer) const {
    return std::ranges::find(known_, optimizer, &Known::optimizer) != known_.end();
  }
  Turn JoinFirstRound(const void* optimizer) {
    known_.push_back({optimizer, 0});
    if (known_.size() == 2) turns_of_first_ = turns_;
    BeginAnew();
    return Turn::kEndsFirst;
  }
  Turn EndWithNewcomer(const void* optimizer) {
    is_first_round_ = is_first_round_ && turns_ <= events::kMostJoinedSteps;
    known_.push_back({optimizer, 0});
    last_turns_ = 1;
    if (known_.size() == 2) turns_of_first_ = turns_ - 1;
    BeginAnew();
    if (known_.size() > 1) newcomer_ = optimizer;
    together_ = is_first_round_ ? 0 : 1;
    return is_first_round_ && known_.size() > 1 ? Turn::kEndsFirst : Turn::kEndsStep;
  }
  // The step that the newcomer before it ended was not over: this turn is in the next one.
  Turn GoOnWithNewcomer(const void* optimizer) {
    known_.push_back({optimizer, 0});
    ++together_;
    return Turn::kGoesOn;
  }
  // Once each of several that came together has its second turn.
  void ForgetWhoWasBefore() {
    const auto first_of_them = known_.end() - together_;
    if (together_ < 2 || !std::all_of(first_of_them, known_.end(), HasHadTurn)) return;
    known_.erase(known_.begin(), first_of_them);
    together_ = 0;
    last_turns_ = 1;
  }
  Turn EndOther(const void* optimizer) {
    const bool first_was_one = is_first_round_ && known_.size() == 2;
    if (std::exchange(is_first_round_, false)) {
      first_round_ = known_;
      turns_before_ = turns_ - 2;
    }
    known_ = {{optimizer, 0}};
    together_ = 0;
    return first_was_one ? Turn::kEndsOther : Turn::kEndsStep;
  }
  // Whether this is the first one's turn again, after the last had several.
  bool GoesOn(const void* first, const void* optimizer) const {
    const int turns_of_last = turns_ - 1 - turns_before_;
    return first == optimizer && turns_ <= kMostTurns && turns_of_last != turns_of_first_;
  }
  Turn BeginSecond(const std::vector<Known>& first_round) {
    last_turns_ = turns_ - 1 - turns_before_;
    known_ = first_round;
    together_ = 0;
    BeginAnew();
    known_.front().turns = 1;
    return turns_ - 1 <= events::kMostJoinedSteps ? Turn::kBeganSecond : Turn::kGoesOn;
  }
  bool EachHadItsTurn(const void* optimizer) {
    if (!std::ranges::all_of(known_, HasHadTurn)) return false;
    if (last_turns_ == 1) return true;
    if (known_.back().optimizer == optimizer) return known_.back().turns >= last_turns_;
    last_turns_ = 1;  // another round has begun, and it had fewer
    return false;
  }
  void ForgetWhoRests() {
    together_ = 0;
    std::erase_if(known_, [](const Known& one) { return one.turns == 0; });
    last_turns_ = 1;
  }
  void BeginAnew() {
    for (Known& one : known_) one.turns = 0;
  }
  std::vector<Known> known_;
  const void* newcomer_ = nullptr;  // whose first turn was the last one
  // Of known_ the last: who came after the first round, one behind the other with no pass between them, and
  // had one turn.
  std::ptrdiff_t together_ = 0;
  int last_turns_ = 1;  // which the last of known_ has in a round
  bool is_first_round_ = true;
  int turns_ = 0;           // of all, in the first round
  int turns_of_first_ = 0;  // before the second's
  // Until it shows whether the last of them was of another training: who had turns, and how many before it.
  std::vector<Known> first_round_;
  int turns_before_ = 0;
};

}  // namespace tidemark::capture
