#include "profiler/advice/kept_outputs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/advice/examined_steps.h"
#include "profiler/base/saturating.h"
#include "profiler/timeline/counted_blocks.h"
#include "profiler/timeline/settled_state.h"

namespace tidemark::advice {
namespace {

using timeline::EventIndex;
using timeline::LiveBlock;
using timeline::PhaseSpan;
using timeline::Series;
using timeline::View;

// What the last one left is in use, and so may be what the one before it did.
constexpr size_t kPassesInUse = 2;
constexpr size_t kFewestPasses = 5;
// Of one evaluation, if the run has several.
constexpr size_t kFewestOfEvaluation = 3;

struct Kept {
  std::vector<LiveBlock> blocks;
  std::set<size_t> passes;  // that left them
  int64_t bytes = 0;
  int64_t joined = 0;  // of them: made between passes, of what several left
};

bool IsPass(const PhaseSpan& span) { return span.phase == events::Phase::kEvaluation; }

// The latest that begin before the moment and have nothing that trains between them: one evaluation.
std::vector<PhaseSpan> EvaluationBefore(const View& view, EventIndex moment) {
  std::vector<PhaseSpan> passes;
  bool trained = false;
  for (const PhaseSpan& span : view.phases()) {
    if (span.begin > moment) break;
    if (!IsPass(span)) {
      trained = trained || span.phase != events::Phase::kIdle;
      continue;
    }
    if (std::exchange(trained, false)) passes.clear();
    passes.push_back(span);
  }
  return passes;
}

EventIndex EndOfLastPass(const View& view) {
  EventIndex end = view.first();
  for (const PhaseSpan& span : view.phases()) {
    if (IsPass(span)) end = std::min(span.end, view.end() - 1);
  }
  return end;
}

// What is put together of one pass's results alone does not, nor what is used up.
bool OutputsGrow(const View& view, std::span<const PhaseSpan> passes) {
  const size_t stride = passes.size() / kMostSteps + 1;
  int64_t before = -1;
  for (size_t i = 0; i < passes.size(); i += stride) {
    const Series outputs = timeline::SeriesOf(events::Category::kOutput);
    const int64_t now = ValueOf(view.ValuesAt(passes[i].begin), outputs);
    if (now <= before) return false;
    before = now;
  }
  return true;
}

// Of all but the latest of those passes, and between them.
Kept KeptOf(const View& view, std::span<const PhaseSpan> passes, EventIndex moment) {
  Kept kept;
  const std::span earlier = passes.first(passes.size() - kPassesInUse);
  const bool grow = OutputsGrow(view, passes);
  const timeline::State state = timeline::SettledStateAt(view, moment, timeline::SettledBy(view, moment));
  for (const LiveBlock& block : timeline::CountedBlocks(state)) {
    const auto behind = std::ranges::upper_bound(passes, block.born, {}, &PhaseSpan::begin);
    if (behind == passes.begin() || block.category != events::Category::kOutput) continue;
    const bool is_of_one = block.born < std::prev(behind)->end;
    const auto pass = static_cast<size_t>(behind - passes.begin());
    if (is_of_one ? pass > earlier.size() : !grow) continue;
    if (is_of_one)
      kept.passes.insert(pass);
    else
      kept.joined = SaturatingSum(kept.joined, block.rounded_bytes);
    kept.bytes = SaturatingSum(kept.bytes, block.rounded_bytes);
    kept.blocks.push_back(block);
  }
  return kept;
}

// " Most of it is of layer fc."; "" where none has most.
std::string MostIsOfLayer(const View& view, const Kept& kept) {
  std::map<std::string_view, int64_t> by_layer;
  for (const LiveBlock& block : kept.blocks) {
    int64_t& bytes = by_layer[view.name(block.layer)];
    bytes = SaturatingSum(bytes, block.rounded_bytes);
  }
  const auto most = std::ranges::max_element(by_layer, {}, [](const auto& entry) { return entry.second; });
  if (most->first.empty() || most->second <= kept.bytes / 2) return "";
  return " Most of it is of layer " + std::string(most->first) + ".";
}

bool IsJoined(const Kept& kept) { return kept.joined > kept.bytes / 2; }

std::string EvidenceOf(const View& view, const Kept& kept, std::string_view when, size_t passes,
                       ByteUnit unit) {
  if (IsJoined(kept)) {
    return FormatBytes(kept.bytes, unit) + " alive " + std::string(when) + " are results of " +
           FormatNumber(static_cast<int64_t>(passes)) +
           " passes without gradients, put together on the card after each: meanwhile old and new are there "
           "at once.";
  }
  const auto left_by = static_cast<int64_t>(kept.passes.size());
  return FormatBytes(kept.bytes, unit) + " that " + FormatNumber(left_by) +
         " passes without gradients left are still alive " + std::string(when) + ": " +
         FormatBytes(kept.bytes / left_by, unit) + " more with each." + MostIsOfLayer(view, kept);
}

}  // namespace

std::optional<Finding> KeptOutputs(const View& view, ByteUnit unit) {
  const auto passes_of_run = static_cast<size_t>(std::ranges::count_if(view.phases(), IsPass));
  if (passes_of_run < kFewestPasses + kPassesInUse) return {};
  const View::Peak peak = view.PeakIn(Series::kAllocated, view.first(), view.end());
  const bool trains = std::ranges::any_of(view.steps(), &timeline::Step::complete);
  const EventIndex moment = trains ? peak.index : EndOfLastPass(view);
  const std::vector<PhaseSpan> passes = EvaluationBefore(view, moment);
  if (passes.size() < kFewestOfEvaluation + kPassesInUse) return {};
  Kept kept = KeptOf(view, passes, moment);
  if (!IsJoined(kept) && 2 * kept.passes.size() < passes.size() - kPassesInUse) return {};
  if (!IsWorthTelling(kept.bytes, ValueOf(peak.values, Series::kAllocated))) return {};
  Finding finding;
  finding.kind = FindingKind::kKeptOutputs;
  finding.bytes = kept.bytes;
  finding.moment = moment;
  finding.grows = !trains;
  finding.evidence =
      EvidenceOf(view, kept, trains ? "at the run's peak" : "after the last one", passes.size(), unit);
  finding.advice =
      IsJoined(kept) ? "Take each pass's results to the host before they are put together (result.cpu(); a "
                       "trainer may have an argument for it, as eval_accumulation_steps), or keep only what "
                       "is needed of them."
                     : "Look what keeps what the model gives, as a list of results: take them to the host "
                       "(result.cpu()), or keep only what is needed of them.";
  finding.allocations = BirthsOf(std::move(kept.blocks));
  finding.evidence += MostIsMadeBy(view, finding.allocations);
  return finding;
}

}  // namespace tidemark::advice
