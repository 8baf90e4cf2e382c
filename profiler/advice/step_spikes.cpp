#include "profiler/advice/step_spikes.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/base/saturating.h"
#include "profiler/session/shortage.h"
#include "profiler/timeline/counted_blocks.h"
#include "profiler/timeline/steps.h"

namespace tidemark::advice {
namespace {

using timeline::EventIndex;
using timeline::LiveBlock;
using timeline::Step;

// So few steps have no others beside them.
constexpr size_t kFewestSteps = 3;

// What lived at the step's peak and was gone at its end; of one that came to none, what was made in it.
std::vector<EventIndex> OnlyInPeakOf(const timeline::View& view, const Step& step) {
  std::vector<LiveBlock> blocks;
  const timeline::State state = view.StateAt(step.peak);
  for (const LiveBlock& block : timeline::CountedBlocks(state)) {
    const std::optional<EventIndex> freed = view.StopsCountingAt(block.born);
    const bool is_gone = freed && *freed <= step.end;
    if (step.complete ? is_gone : block.born >= step.begin) blocks.push_back(block);
  }
  return BirthsOf(std::move(blocks));
}

// The one with the median peak.
const Step& UsualOf(std::vector<Step>& steps) {
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::ranges::nth_element(steps, middle, {}, AllocatedPeak);
  return *middle;
}

// Then the step was tried until it had room: what it needs, the later ones tell.
bool RanOut(const timeline::View& view, const Step& step) {
  return std::ranges::any_of(view.out_of_memory(), [&](const timeline::OutOfMemory& failure) {
    return failure.index >= step.begin && failure.index < step.end;
  });
}

// The step in which memory ended the run; null where it did not, or in none.
const Step* StepThatRanOut(const timeline::View& view) {
  const timeline::OutOfMemory* const failure = session::FailureThatEnded(view);
  return failure == nullptr ? nullptr : timeline::StepAt(view, failure->index);
}

// The one that needed the most; the one that ran out of memory had as much at least.
const Step& HighestOf(const timeline::View& view, const ExaminedSteps& steps) {
  const Step& highest = *std::ranges::max_element(steps.steady, {}, AllocatedPeak);
  const Step* const failed = StepThatRanOut(view);
  return failed != nullptr && AllocatedPeak(*failed) > AllocatedPeak(highest) ? *failed : highest;
}

int64_t WorkspacesAt(const timeline::View& view, EventIndex moment) {
  return ValueOf(view.ValuesAt(moment), timeline::SeriesOf(events::Category::kWorkspace));
}

int64_t CudnnsWorkspacesAt(const timeline::View& view, EventIndex moment) {
  int64_t bytes = 0;
  const timeline::State state = view.StateAt(moment);
  for (const LiveBlock& block : timeline::CountedBlocks(state)) {
    if (IsOfCudnn(view, block)) bytes = SaturatingSum(bytes, block.rounded_bytes);
  }
  return bytes;
}

// What makes the first step's peak higher than that of all others.
std::string MakerOfFirst(const timeline::View& view, const ExaminedSteps& steps, int64_t spike) {
  int64_t later = 0;
  for (const Step& step : steps.steady) later = std::max(later, WorkspacesAt(view, step.peak));
  const EventIndex peak = steps.first->peak;
  if (WorkspacesAt(view, peak) - later > spike / 2 && CudnnsWorkspacesAt(view, peak) > spike / 2) {
    return "Plans that cuDNN tries make such a spike: torch.backends.cudnn.benchmark = False avoids them; ";
  }
  return "What is made or tried once makes such a spike, as torch.compile does while it tunes kernels; ";
}

}  // namespace

std::optional<Finding> FirstStepSpike(const timeline::View& view, const ExaminedSteps& steps, ByteUnit unit) {
  if (!steps.first || RanOut(view, *steps.first)) return {};
  int64_t later = 0;
  for (const Step& step : steps.steady) later = std::max(later, AllocatedPeak(step));
  const int64_t spike = AllocatedPeak(*steps.first) - later;
  if (spike <= 0 || !IsWorthTelling(spike, later)) return {};
  return Finding{FindingKind::kFirstStepSpike,
                 "Step 0 needs " + FormatBytes(AllocatedPeak(*steps.first), unit) +
                     " at its peak, every later step at most " + FormatBytes(later, unit) + ".",
                 "The card must hold the first step too. " + MakerOfFirst(view, steps, spike) +
                     "torch.cuda.empty_cache() after it gives back what it reserved.",
                 spike,
                 steps.first->peak,
                 OnlyInPeakOf(view, *steps.first)};
}

std::optional<Finding> LaterStepSpike(const timeline::View& view, const ExaminedSteps& steps, ByteUnit unit) {
  if (steps.steady.size() < kFewestSteps) return {};
  const Step& highest = HighestOf(view, steps);
  std::vector<Step> by_peak = steps.steady;
  const Step& usual = UsualOf(by_peak);
  const int64_t spike = AllocatedPeak(highest) - AllocatedPeak(usual);
  if (spike <= 0 || !IsWorthTelling(spike, AllocatedPeak(usual))) return {};
  std::vector<EventIndex> allocations = OnlyInPeakOf(view, highest);
  const std::string maker = MostIsMadeBy(view, allocations, OnlyInPeakOf(view, usual));
  return Finding{
      FindingKind::kLaterStepSpike,
      "Step " + FormatNumber(highest.number) + (highest.complete ? " needs " : " had up to ") +
          FormatBytes(AllocatedPeak(highest), unit) +
          (highest.complete ? " at its peak" : " allocated before memory ran out") +
          ", half of the steps at most " + FormatBytes(AllocatedPeak(usual), unit) + "." + maker,
      "The card must hold the largest step. Where batches differ, make them alike (padded to one "
      "length, or sorted by it); what comes only now and then, such as an evaluation, runs best under "
      "torch.no_grad() and after optimizer.zero_grad(set_to_none=True), and what is compiled or "
      "captured into a CUDA graph, before training.",
      spike,
      highest.peak,
      std::move(allocations)};
}

}  // namespace tidemark::advice
