#include "profiler/timeline/settled_state.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "profiler/base/wrapping.h"
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
void Settle(State& state, LiveBlock& block, Category category, events::NameId name) {
  if (!Tells(block, category)) return;
  SubtractFrom(state.values[static_cast<size_t>(block.category)], block.rounded_bytes);
  AddTo(state.values[static_cast<size_t>(category)], block.rounded_bytes);
  block.category = category;
  if (name != 0) block.name = name;
}

}  // namespace

// A free comes back with what its block held; what is not freed is looked up among what is alive at the end.
State SettledStateAt(const View& view, EventIndex index, EventIndex until) {
  State state = view.StateAt(index);
  const EventIndex end = std::min(until, view.end());
  std::vector<LiveBlock*> outlive;  // the loose ones, by birth
  for (LiveBlock& block : state.blocks) {
    if (!IsLoose(block)) continue;
    const std::optional<EventIndex> freed = view.FreedAt(block.born);
    if (!freed || *freed >= end) {
      outlive.push_back(&block);
      continue;
    }
    if (const auto free = view.FreeIn(*freed)) Settle(state, block, free->category, free->name);
  }
  if (outlive.empty() || end <= state.index + 1) return state;
  const std::vector<LiveBlock> later = view.StateAt(end - 1).blocks;
  auto found = later.begin();
  for (LiveBlock* block : outlive) {
    found = std::find_if(found, later.end(),
                         [block](const LiveBlock& candidate) { return candidate.born >= block->born; });
    if (found == later.end()) break;
    if (found->born == block->born) Settle(state, *block, found->category, found->name);
  }
  return state;
}

View::StateEffort EffortOfSettledState(const View& view, EventIndex index, EventIndex until) {
  const View::StateEffort at_index = view.EffortOfState(index);
  const EventIndex end = std::min(until, view.end());
  if (end <= index + 1) return at_index;
  return at_index + view.EffortOfState(end - 1);
}

EventIndex SettledBy(const View& view, EventIndex index) {
  if (const Step* step = StepAt(view, index); step != nullptr && step->complete) return step->end;
  const auto next = FirstStepAfter(view, index);
  return next == view.steps().end() ? view.end() : next->begin;
}

}  // namespace tidemark::timeline
