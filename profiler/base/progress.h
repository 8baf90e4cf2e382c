// How what takes long tells how far it is, and hears whether it is still wanted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

namespace tidemark {

// Told now and then, on the thread that works, which share is done (0..1); false from it means that nobody
// waits for the outcome any more. None = nobody wants to know, and it goes on to the end.
using Progress = std::function<bool(double share)>;

// Asks it once in some thousands of steps, each of which takes too little to ask at each; once it is not
// wanted, it stays so. Not thread safe.
class ProgressOfMany {
 public:
  // `progress` outlives this. Of more steps than were expected the share stays at 1.
  ProgressOfMany(const Progress& progress, uint64_t expected) : progress_(progress), expected_(expected) {}

  // Whether it is still wanted.
  bool AfterOneMore() { return AfterMore(1); }
  bool AfterMore(uint64_t steps) {
    done_ += steps;
    if (progress_ && is_wanted_ && done_ - asked_at_ >= kBetween) {
      asked_at_ = done_;
      const uint64_t all = std::max<uint64_t>({1, expected_, done_});
      is_wanted_ = progress_(static_cast<double>(done_) / static_cast<double>(all));
    }
    return is_wanted_;
  }

 private:
  static constexpr uint64_t kBetween = 1 << 12;

  const Progress& progress_;
  const uint64_t expected_;
  uint64_t done_ = 0;
  uint64_t asked_at_ = 0;
  bool is_wanted_ = true;
};

}  // namespace tidemark
