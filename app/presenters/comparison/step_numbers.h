// Which step of another run, or of another rank, has a step's number: the one in the same place where that
// has it, for a rank that was restarted counts from 0 again; else the latest of the number. One thread. O(1),
// but for the first whose place differs: O(steps).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

namespace tidemark::presenters {

class StepNumbers {
 public:
  // `number_at`: of the step in a place below `count`.
  StepNumbers(size_t count, std::function<int64_t(size_t place)> number_at)
      : count_(count), number_at_(std::move(number_at)) {}

  // Nothing where no step has it.
  std::optional<size_t> PlaceOf(size_t place, int64_t number) {
    if (place < count_ && number_at_(place) == number) return place;
    if (latest_.empty()) {
      for (size_t each = 0; each < count_; ++each) latest_[number_at_(each)] = each;
    }
    const auto found = latest_.find(number);
    return found == latest_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  size_t count_;
  std::function<int64_t(size_t place)> number_at_;
  std::unordered_map<int64_t, size_t> latest_;  // made where places differ
};

}  // namespace tidemark::presenters
