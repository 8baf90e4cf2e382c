#include "profiler/advice/kept_results.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "profiler/timeline/counted_blocks.h"
#include "profiler/timeline/series.h"
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

// The births of those saved tensors that are alive at a moment and were born in such a range.
std::vector<EventIndex> SavedAt(const View& view, EventIndex moment, EventIndex begin, EventIndex end) {
  std::vector<EventIndex> births;
  const timeline::State state = timeline::SettledStateAt(view, moment, timeline::SettledBy(view, moment));
  for (const LiveBlock& block : timeline::CountedBlocks(state)) {
    if (block.born >= begin && block.born < end && WasSaved(view, block)) births.push_back(block.born);
  }
  return births;
}

// What the same step saved next to it: right before it, or right after it where it was the first and no
// layer's, as a label is that the loss saves. A layer's is of a graph that may be kept whole where that of
// another forward is not.
std::optional<EventIndex> SavedNextTo(const View& view, const LiveBlock& saved) {
  const auto before = SavedAt(view, saved.born, EndOfStepBefore(view, saved.born), saved.born);
  if (!before.empty()) return std::ranges::max(before);
  const timeline::Step* const step = timeline::LatestStepAt(view, saved.born);
  if (saved.layer != 0 || step == nullptr || step->end <= saved.born) return std::nullopt;
  const timeline::Series activations = timeline::SeriesOf(events::Category::kActivation);
  const EventIndex fullest = view.PeakIn(activations, saved.born, step->end).index;
  const auto after = SavedAt(view, fullest, saved.born + 1, step->end);
  return after.empty() ? std::nullopt : std::optional(std::ranges::min(after));
}

bool IsKeptAlone(const View& view, const LiveBlock& saved, EventIndex moment) {
  const std::optional<EventIndex> next = SavedNextTo(view, saved);
  return next && view.StopsCountingAt(*next).value_or(view.end()) <= moment;
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
