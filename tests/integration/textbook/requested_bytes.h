// Bytes as the program asked for them, by category, and the most there were of each in a step.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>

#include "profiler/events/event.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::textbook {

// The most since Reset().
class RequestedBytes {
 public:
  void Apply(const events::Event& event) {
    if (event.kind == events::EventKind::kAllocate) {
      live_[event.address] = {event.category, event.bytes};
      Count(event.category, event.bytes);
    }
    const auto block = live_.find(event.address);
    if (block == live_.end()) return;
    if (event.kind == events::EventKind::kCategorize) {
      Count(block->second.category, -block->second.bytes);
      block->second.category = event.category;
      Count(event.category, block->second.bytes);
    } else if (event.kind == events::EventKind::kFreeCompleted) {
      Count(block->second.category, -block->second.bytes);
      live_.erase(block);
    }
  }
  void Reset() { most_ = now_; }
  int64_t Most(events::Category category) const { return most_[static_cast<size_t>(category)]; }

 private:
  struct Block {
    events::Category category;
    int64_t bytes;
  };
  void Count(events::Category category, int64_t bytes) {
    const auto index = static_cast<size_t>(category);
    now_[index] += bytes;
    most_[index] = std::max(most_[index], now_[index]);
  }

  std::map<uint64_t, Block> live_;
  std::array<int64_t, events::kCategoryCount> now_{};
  std::array<int64_t, events::kCategoryCount> most_{};
};

inline RequestedBytes OfLastStep(const timeline::View& view) {
  const timeline::Step& step = view.steps().back();
  RequestedBytes bytes;
  for (events::EventIndex index = view.first(); index < step.end; ++index) {
    if (index == step.begin) bytes.Reset();
    bytes.Apply(view.event(index));
  }
  return bytes;
}

}  // namespace tidemark::textbook
