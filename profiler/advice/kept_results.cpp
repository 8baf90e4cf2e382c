#include "profiler/advice/kept_results.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "profiler/timeline/counted_blocks.h"
#include "profiler/timeline/settled_state.h"
#include "profiler/timeline/steps.h"

namespace tidemark::advice {
namespace {

using timeline::EventIndex;
using timeline::LiveBlock;
using timeline::View;

constexpr size_t kMostAsked = 8;

// A step begins as its first tensor is saved, which was made before.
EventIndex EndOfStepBefore(const View& view, EventIndex index) {
  const timeline::Step* const step = timeline::LatestStepAt(view, index);
  if (step == nullptr || step->begin == view.first()) return view.first();
  const timeline::Step* const before = timeline::LatestStepAt(view, step->begin - 1);
  return before == nullptr ? view.first() : before->end;
}

// What is an activation from birth need not have been saved.
bool WasSaved(const View& view, const LiveBlock& block) {
  return block.category == events::Category::kActivation &&
         view.event(block.born).category != events::Category::kActivation;
}

// In the same step.
std::optional<EventIndex> SavedRightBefore(const View& view, const LiveBlock& saved) {
  const EventIndex begin = EndOfStepBefore(view, saved.born);
  std::optional<EventIndex> latest;
  const timeline::State state =
      timeline::SettledStateAt(view, saved.born, timeline::SettledBy(view, saved.born));
  for (const LiveBlock& block : timeline::CountedBlocks(state)) {
    const bool is_before = block.born >= begin && block.born < saved.born;
    if (is_before && WasSaved(view, block)) latest = std::max(latest.value_or(block.born), block.born);
  }
  return latest;
}

bool IsKeptAlone(const View& view, const LiveBlock& saved, EventIndex moment) {
  const std::optional<EventIndex> before = SavedRightBefore(view, saved);
  return before && view.StopsCountingAt(*before).value_or(view.end()) <= moment;
}

}  // namespace

bool AreKeptResults(const View& view, std::vector<LiveBlock> kept, EventIndex moment) {
  std::ranges::sort(kept, std::ranges::greater(), &LiveBlock::born);
  const std::span latest = std::span(kept).first(std::min(kept.size(), kMostAsked));
  const auto alone =
      std::ranges::count_if(latest, [&](const LiveBlock& one) { return IsKeptAlone(view, one, moment); });
  return 2 * static_cast<size_t>(alone) > latest.size();
}

}  // namespace tidemark::advice
