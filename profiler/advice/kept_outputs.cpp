#include "profiler/advice/kept_outputs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/advice/examined_steps.h"
#include "profiler/base/saturating.h"

namespace tidemark::advice {
namespace {

using timeline::LiveBlock;
using timeline::PhaseSpan;
using timeline::View;

// What the last one left is in use, and so may be what the one before it did.
constexpr size_t kPassesInUse = 2;
constexpr size_t kFewestPasses = 5;

struct Kept {
  std::vector<LiveBlock> blocks;
  std::set<size_t> passes;  // that left them
  int64_t bytes = 0;
};

std::vector<PhaseSpan> PassesOf(const View& view) {
  std::vector<PhaseSpan> passes;
  std::ranges::copy_if(view.phases(), std::back_inserter(passes),
                       [](const PhaseSpan& span) { return span.phase == events::Phase::kEvaluation; });
  return passes;
}

// Of those passes, after the last of all.
Kept KeptOf(const View& view, const std::vector<PhaseSpan>& passes, timeline::EventIndex moment) {
  Kept kept;
  for (const LiveBlock& block : view.StateAt(moment).blocks) {
    const auto behind = std::ranges::upper_bound(passes, block.born, {}, &PhaseSpan::begin);
    const bool is_of_one = behind != passes.begin() && block.born < std::prev(behind)->end;
    if (!is_of_one || block.category != events::Category::kOutput || block.pending_free) continue;
    kept.passes.insert(static_cast<size_t>(behind - passes.begin()));
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

}  // namespace

std::optional<Finding> KeptOutputs(const View& view, ByteUnit unit) {
  std::vector<PhaseSpan> passes = PassesOf(view);
  if (passes.size() < kFewestPasses + kPassesInUse) return {};
  const timeline::EventIndex moment = std::min(passes.back().end, view.end() - 1);
  passes.resize(passes.size() - kPassesInUse);
  Kept kept = KeptOf(view, passes, moment);
  const timeline::Series allocated = timeline::Series::kAllocated;
  const int64_t peak = ValueOf(view.PeakIn(allocated, view.first(), view.end()).values, allocated);
  if (2 * kept.passes.size() < passes.size() || !IsWorthTelling(kept.bytes, peak)) return {};
  Finding finding;
  finding.kind = FindingKind::kKeptOutputs;
  finding.bytes = kept.bytes;
  finding.moment = moment;
  finding.grows = true;
  const auto left_by = static_cast<int64_t>(kept.passes.size());
  finding.evidence = FormatBytes(kept.bytes, unit) + " that " + FormatNumber(left_by) +
                     " passes without gradients left are still alive after the last one: " +
                     FormatBytes(kept.bytes / left_by, unit) + " more with each." + MostIsOfLayer(view, kept);
  finding.advice =
      "Look what keeps what the model gives, as a list of results: take them to the host (result.cpu()), or "
      "keep only what is needed of them.";
  finding.allocations = BirthsOf(std::move(kept.blocks));
  finding.evidence += MostIsMadeBy(view, finding.allocations);
  return finding;
}

}  // namespace tidemark::advice
