// How long the window's own frames take. UI thread only.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace tidemark::gui {

class FrameTimes {
 public:
  void Add(double seconds) {
    seconds_[count_++] = seconds;
    if (count_ < seconds_.size()) return;
    count_ = 0;
    std::array<double, kFrames> sorted = seconds_;
    auto* const p95 = sorted.begin() + kFrames * 95 / 100;
    std::nth_element(sorted.begin(), p95, sorted.end());
    p95_seconds_ = *p95;
  }

  // Of 20 frames 19 take no longer: of the latest kFrames that are complete; 0 = there are not so many yet.
  double p95_seconds() const { return p95_seconds_; }

  static constexpr size_t kFrames = 240;

 private:
  std::array<double, kFrames> seconds_{};
  size_t count_ = 0;
  double p95_seconds_ = 0;
};

}  // namespace tidemark::gui
