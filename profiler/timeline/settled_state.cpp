#include "profiler/timeline/settled_state.h"

#include <algorithm>
#include <unordered_map>

#include "profiler/timeline/ledger.h"
#include "profiler/timeline/steps.h"

namespace tidemark::timeline {
namespace {

using events::Category;
using events::Event;
using events::EventKind;

bool IsLoose(const LiveBlock& block) {
  return !block.pending_free &&
         (block.category == Category::kTemporary || block.category == Category::kUnknown);
}

// What is saved for backward later was no activation yet; only of what is unknown any word is better than
// none.
bool Tells(const LiveBlock& block, Category category) {
  return category != Category::kActivation || block.category == Category::kUnknown;
}

// Moves the block and its bytes.
void Settle(State& state, LiveBlock& block, const Event& event) {
  SubtractFrom(state.values[static_cast<size_t>(block.category)], block.rounded_bytes);
  AddTo(state.values[static_cast<size_t>(event.category)], block.rounded_bytes);
  block.category = event.category;
  if (event.name != 0) block.name = event.name;
}

}  // namespace

State SettledStateAt(const View& view, EventIndex index, EventIndex until) {
  State state = view.StateAt(index);
  std::unordered_map<uint64_t, LiveBlock*> loose;
  for (LiveBlock& block : state.blocks) {
    if (IsLoose(block)) loose.emplace(block.address, &block);
  }
  const EventIndex end = std::min(until, view.end());
  for (EventIndex at = state.index + 1; at < end && !loose.empty(); ++at) {
    const Event& event = view.event(at);
    if (event.kind > EventKind::kCategorize) continue;
    const auto found = loose.find(event.address);
    if (found == loose.end()) continue;
    if (event.kind == EventKind::kCategorize) {
      if (Tells(*found->second, event.category)) Settle(state, *found->second, event);
    } else {
      loose.erase(found);
    }
  }
  return state;
}

EventIndex SettledBy(const View& view, EventIndex index) {
  constexpr EventIndex kMostEvents = 1'000'000;
  if (const Step* step = StepAt(view, index); step != nullptr && step->complete) return step->end;
  const auto next = FirstStepAfter(view, index);
  const EventIndex until = next == view.steps().end() ? view.end() : next->begin;
  return std::min(until, index + kMostEvents);
}

}  // namespace tidemark::timeline
