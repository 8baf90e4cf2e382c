// Where a step ends in a program that updates its parameters itself, as one that teaches gradient descent:
// once each that got a gradient since the step before has been written to in place, or all have been as often
// as in the step before. Where some are left as they are, it shows as the next pass begins.
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
  void GotGradient(uint64_t parameter) { CountOf(parameter, awaited_) = 1; }

  // A parameter is written to behind a backward: before, it is set up. Whether the step ends with it, if it
  // has not ended; what comes after the end is expected in the next.
  bool WriteTo(uint64_t parameter) {
    ++CountOf(parameter, written_);
    const bool was_awaited =
        std::erase_if(awaited_, [&](const Count& one) { return one.parameter == parameter; }) > 0;
    const bool goes_on_as_before = written_ != written_before_ && AreAllIn(written_before_);
    return written_ == written_before_ || (was_awaited && awaited_.empty() && !goes_on_as_before);
  }
  bool HasBegun() const { return !written_.empty(); }
  // Before the next pass, where it has begun.
  void EndTurn() {
    written_before_ = std::exchange(written_, {});
    awaited_.clear();
  }

 private:
  struct Count {
    uint64_t parameter = 0;
    int times = 0;
    bool operator==(const Count&) const = default;
  };
  using Counts = std::vector<Count>;  // in the order of parameters, each once
  static int& CountOf(uint64_t parameter, Counts& counts) {
    const auto place = std::ranges::lower_bound(counts, parameter, {}, &Count::parameter);
    if (place != counts.end() && place->parameter == parameter) return place->times;
    return counts.insert(place, {parameter, 0})->times;
  }
  bool AreAllIn(const Counts& counts) const {
    return std::ranges::all_of(written_, [&](const Count& written) {
      const auto place = std::ranges::lower_bound(counts, written.parameter, {}, &Count::parameter);
      return place != counts.end() && place->parameter == written.parameter && written.times <= place->times;
    });
  }
  Counts awaited_;
  Counts written_;
  Counts written_before_;  // in the step before
};

}  // namespace tidemark::capture
