#include "tests/integration/training/replay.h"

#include <algorithm>

#include "tests/support/catch.h"

namespace tidemark::tests {

using events::Event;
using events::EventKind;

void MemoryState::Apply(const Event& event) {
  auto& total = by_category;
  switch (event.kind) {
    case EventKind::kAllocate: {
      const bool is_new = blocks
                              .emplace(event.address, LiveBlock{event.bytes, event.rounded_bytes,
                                                                event.category, 0, event.layer, event.op})
                              .second;
      if (!is_new) FAIL("allocated twice: " << event.address);
      allocated_bytes += event.rounded_bytes;
      requested_bytes += event.bytes;
      total[static_cast<size_t>(event.category)] += event.rounded_bytes;
      return;
    }
    case EventKind::kFreeCompleted: {
      const auto block = blocks.find(event.address);
      if (block == blocks.end()) FAIL("freed, but not allocated: " << event.address);
      allocated_bytes -= block->second.rounded_bytes;
      requested_bytes -= block->second.bytes;
      total[static_cast<size_t>(block->second.category)] -= block->second.rounded_bytes;
      blocks.erase(block);
      return;
    }
    case EventKind::kCategorize: {
      const auto block = blocks.find(event.address);
      if (block == blocks.end()) FAIL("tagged, but not allocated: " << event.address);
      total[static_cast<size_t>(block->second.category)] -= block->second.rounded_bytes;
      total[static_cast<size_t>(event.category)] += block->second.rounded_bytes;
      block->second.category = event.category;
      block->second.name = event.name;
      return;
    }
    case EventKind::kSegmentAllocate:
    case EventKind::kSegmentMap:
      reserved_bytes += event.bytes;
      return;
    case EventKind::kSegmentFree:
    case EventKind::kSegmentUnmap:
      reserved_bytes -= event.bytes;
      return;
    default:
      return;
  }
}

std::vector<StepPeaks> Replay(const std::vector<Event>& events,
                              const std::function<void(const Event&, const MemoryState&)>& observe) {
  std::vector<StepPeaks> steps;
  MemoryState state;
  bool in_step = false;
  for (const Event& event : events) {
    state.Apply(event);
    if (observe) observe(event, state);
    if (event.kind == EventKind::kStepEnd) in_step = false;
    if (event.kind == EventKind::kStepBegin) {
      in_step = true;
      steps.push_back(
          {state.allocated_bytes, state.requested_bytes, state.reserved_bytes, state.by_category});
    }
    if (!in_step) continue;
    StepPeaks& peaks = steps.back();
    if (state.allocated_bytes > peaks.allocated_bytes) peaks.by_category = state.by_category;
    peaks.allocated_bytes = std::max(peaks.allocated_bytes, state.allocated_bytes);
    peaks.requested_bytes = std::max(peaks.requested_bytes, state.requested_bytes);
    peaks.reserved_bytes = std::max(peaks.reserved_bytes, state.reserved_bytes);
  }
  return steps;
}

}  // namespace tidemark::tests
