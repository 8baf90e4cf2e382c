#include "profiler/advice/optimizer_work.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "profiler/advice/examined_steps.h"
#include "profiler/events/stack.h"
#include "profiler/timeline/counted_blocks.h"

namespace tidemark::advice {
namespace {

using events::Phase;
using timeline::EventIndex;
using timeline::LiveBlock;
using timeline::Series;
using timeline::View;

bool IsOfList(const View& view, const LiveBlock& block) {
  return events::InnermostFrame(view.name(block.op)).starts_with("aten::_foreach_");
}

// Made by the optimizer's step and gone at its end.
std::vector<LiveBlock> WorkAt(const View& view, const timeline::Step& step) {
  std::vector<LiveBlock> work;
  const timeline::State state = view.StateAt(step.peak);
  for (const LiveBlock& block : timeline::CountedBlocks(state)) {
    if (block.born < step.begin || view.event(block.born).phase != Phase::kOptimizer) continue;
    const std::optional<EventIndex> freed = view.StopsCountingAt(block.born);
    if (freed && *freed <= step.end && IsOfList(view, block)) work.push_back(block);
  }
  return work;
}

EventIndex BeginOfPhaseAt(const View& view, EventIndex index) {
  EventIndex begin = view.first();
  for (const timeline::PhaseSpan& span : view.phases()) {
    if (span.begin <= index) begin = span.begin;
  }
  return begin;
}

}  // namespace

std::optional<Finding> OptimizerWork(const View& view, const timeline::Step& step, ByteUnit unit) {
  if (step.begin < view.first() || view.event(step.peak).phase != Phase::kOptimizer) return {};
  std::vector<LiveBlock> blocks = WorkAt(view, step);
  const int64_t work = BytesOf(blocks);
  const int64_t peak = AllocatedPeak(step);
  const EventIndex begin = std::max(step.begin, BeginOfPhaseAt(view, step.peak));
  const View::Peak before = view.PeakIn(Series::kAllocated, step.begin, begin);
  const int64_t gain = std::min(work, peak - ValueOf(before.values, Series::kAllocated));
  if (!IsWorthTelling(gain, peak)) return {};
  return Finding{FindingKind::kOptimizerWork,
                 "Step " + FormatNumber(step.number) + " has its peak of " + FormatBytes(peak, unit) +
                     " while the optimizer steps: " + FormatBytes(work, unit) +
                     " of it is what it works in, for all parameters at once (foreach). Without it the peak "
                     "is " +
                     FormatBytes(gain, unit) + " lower.",
                 "Made with fused=True (Adam, AdamW, SGD, Adagrad) it works in no memory of its own; with "
                 "foreach=False in that for one parameter at a time, which takes longer.",
                 gain,
                 step.peak,
                 BirthsOf(std::move(blocks))};
}

}  // namespace tidemark::advice
