// The state of memory as a stream of events tells it, computed anew in the tests: independent of
// profiler/timeline.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "profiler/events/event.h"

namespace tidemark::tests {

struct LiveBlock {
  int64_t bytes = 0;
  int64_t rounded_bytes = 0;
  events::Category category = events::Category::kUnknown;
  events::NameId name = 0;
  events::NameId layer = 0;
  events::NameId op = 0;
};

struct MemoryState {
  std::map<uint64_t, LiveBlock> blocks;
  int64_t allocated_bytes = 0;
  int64_t requested_bytes = 0;
  int64_t reserved_bytes = 0;
  std::array<int64_t, events::kCategoryCount> by_category{};

  // An event that does not fit (a free of nothing, a second allocation of a block, a tag for no block) fails
  // the test.
  void Apply(const events::Event& event);
  int64_t operator[](events::Category category) const { return by_category[static_cast<size_t>(category)]; }
};

struct StepPeaks {
  int64_t allocated_bytes = 0;
  int64_t requested_bytes = 0;
  int64_t reserved_bytes = 0;
  std::array<int64_t, events::kCategoryCount> by_category{};  // when allocated was highest
};

// Peaks of each step, counted from kStepBegin to kStepEnd. `observe` sees every event and the state after it.
std::vector<StepPeaks> Replay(
    const std::vector<events::Event>& events,
    const std::function<void(const events::Event&, const MemoryState&)>& observe = {});

}  // namespace tidemark::tests
