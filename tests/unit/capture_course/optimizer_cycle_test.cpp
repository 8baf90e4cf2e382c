// Turns of several optimizers, played one after the other.
#include "profiler/capture/course/optimizer_cycle.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/catch.h"

namespace tidemark::capture {
namespace {

// The optimizers that take turns, one after the other, as digits; back come as many signs: . the step goes
// on, | it ends, < all so far was the first, > it ends and that was not so, * this is the second and goes on.
// Something ran forward or backward before each of them but those behind a +.
std::string TurnsOf(OptimizerCycle& cycle, std::string_view turns) {
  static const std::array<int, 10> optimizers{};
  std::string signs;
  bool follows_pass = true;
  for (const char turn : turns) {
    if (turn == '+') {
      follows_pass = false;
      continue;
    }
    const OptimizerCycle::Turn what =
        cycle.After(&optimizers.at(static_cast<size_t>(turn - '0')), std::exchange(follows_pass, true));
    signs += what == OptimizerCycle::Turn::kGoesOn      ? '.'
             : what == OptimizerCycle::Turn::kEndsStep  ? '|'
             : what == OptimizerCycle::Turn::kEndsFirst ? '<'
             : what == OptimizerCycle::Turn::kEndsOther ? '>'
                                                        : '*';
  }
  return signs;
}

}  // namespace

TEST_CASE("A step of several optimizers ends once each has had its turn, from the first round on") {
  OptimizerCycle gan;
  CHECK(TurnsOf(gan, "01010101") == "|<.|.|.|");
  CHECK(TurnsOf(gan, "000001000001") == ".....|.....|");
  CHECK(TurnsOf(gan, "222") == "|||");  // the others are gone
  CHECK(TurnsOf(gan, "3232323333333333333") == "|.|.|.|.........|||");
  OptimizerCycle critic_first;
  CHECK(TurnsOf(critic_first, "000001000001") == "|||||<.....|");
  OptimizerCycle three;
  CHECK(TurnsOf(three, "012012012") == "|<<..|..|");
  OptimizerCycle late;
  CHECK(TurnsOf(late, "01012012") == "|<.||..|");
}

TEST_CASE("A second training soon after the first has steps of its own") {
  OptimizerCycle longer_than_a_critics_round;
  CHECK(TurnsOf(longer_than_a_critics_round, "0000001111") == "||||||||||");
  OptimizerCycle short_ones;
  CHECK(TurnsOf(short_ones, "000111222") == "|||<>||||");
  OptimizerCycle of_one_step;
  CHECK(TurnsOf(of_one_step, "0111") == "|<>|");
  OptimizerCycle in_a_loop;  // whose third lies where the first did
  CHECK(TurnsOf(in_a_loop, "001100") == "||<>||");
  OptimizerCycle unknown;  // whose optimizers are not known apart
  for (int turn = 0; turn < 3; ++turn) CHECK(unknown.After(nullptr, true) == OptimizerCycle::Turn::kEndsStep);
}

TEST_CASE("Trainings one after the other, each with several optimizers, have their own steps each") {
  OptimizerCycle together;  // both behind one backward
  CHECK(TurnsOf(together, "0+10+10+1") == "|<.|.|");
  CHECK(TurnsOf(together, "2+32+32+3") == "|..|.|");
  CHECK(TurnsOf(together, "4+54+5") == "|..|");
  OptimizerCycle with_one_that_was_before;
  CHECK(TurnsOf(with_one_that_was_before, "0000001+21+21+2") == "|||||||..|.|");
  OptimizerCycle of_one_round;  // whose first had turns alone before
  CHECK(TurnsOf(of_one_round, "0000000110+20110+20110+2") == "||||||||||.....|....|");
}

TEST_CASE("Optimizers that step with no pass between them are of one round, however many they are") {
  OptimizerCycle of_layers;
  CHECK(TurnsOf(of_layers, "0+1+2+3+4+5+6+7+8+90+1+2+3+4+5+6+7+8+9") == "|<<<<<<<<<.........|");
  OptimizerCycle gan;
  CHECK(TurnsOf(gan, "0+12+30+12+3") == "|<<<...|");
  OptimizerCycle behind_a_critic;
  CHECK(TurnsOf(behind_a_critic, "000001+2+3000001+2+3") == "|||||<<<.......|");
  OptimizerCycle behind_two_of_which_the_last_steps_twice;
  CHECK(TurnsOf(behind_two_of_which_the_last_steps_twice, "0+1220+122") == "|<<|*..|");
  OptimizerCycle known_late;  // when six steps are over, which cannot be taken back
  CHECK(TurnsOf(known_late, "000000+10+10+1") == "|||||||.|.|");
  OptimizerCycle without_passes;  // whose gradients come from elsewhere
  CHECK(TurnsOf(without_passes, "0+0+0") == "|||");
}

TEST_CASE("A step of a generator that has several turns in a round ends with the last of them") {
  OptimizerCycle twice;
  CHECK(TurnsOf(twice, "011011011") == "|<>*.|..|");
  CHECK(TurnsOf(twice, "010101") == "...|.|");  // once from here on
  OptimizerCycle behind_two;
  CHECK(TurnsOf(behind_two, "012201220122") == "|<<|*..|...|");
  OptimizerCycle behind_a_critic;  // too many to be joined
  CHECK(TurnsOf(behind_a_critic, "000001100000110000011") == "|||||<>......|......|");
  OptimizerCycle first;
  CHECK(TurnsOf(first, "001001001") == "||<..|..|");
}

}  // namespace tidemark::capture
