// Where a step ends in a program that updates its parameters itself, as one that teaches gradient descent:
// once each that got a gradient since the step before has been written to in place, or those that the step
// before wrote to. Where some are left as they are, it shows as the next pass begins.
//
// Not thread safe. O(parameters) each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tidemark::capture {

class UpdatesByHand {
 public:
  // Of a parameter: the address of its block.
  void GotGradient(uint64_t parameter) { Insert(parameter, awaited_); }

  // A parameter is written to behind a backward: before, it is set up. Whether the step ends with it.
  bool WriteTo(uint64_t parameter) {
    Insert(parameter, written_);
    const bool was_awaited = std::erase(awaited_, parameter) > 0;
    const bool was_last = (was_awaited && awaited_.empty()) || written_ == written_before_;
    return was_last && EndTurn();
  }
  // Ends those that have begun; whether there were any. None that have not: gradients are accumulated.
  bool EndTurn() {
    if (written_.empty()) return false;
    written_before_ = std::exchange(written_, {});
    awaited_.clear();
    return true;
  }

 private:
  using Parameters = std::vector<uint64_t>;  // in order, each once
  static void Insert(uint64_t parameter, Parameters& parameters) {
    const auto place = std::ranges::lower_bound(parameters, parameter);
    if (place == parameters.end() || *place != parameter) parameters.insert(place, parameter);
  }
  Parameters awaited_;
  Parameters written_;
  Parameters written_before_;  // in the step before
};

}  // namespace tidemark::capture
