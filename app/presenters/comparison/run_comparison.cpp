#include "app/presenters/comparison/run_comparison.h"

#include <algorithm>
#include <optional>

#include "app/presenters/comparison/compared_peaks.h"
#include "app/presenters/comparison/same_place.h"

namespace tidemark::presenters {
namespace {

using timeline::Series;

bool IsOfAllocator(const ComparedBytes& level) {
  return level.level == Series::kRequested || level.level == Series::kAllocated ||
         level.level == Series::kReserved;
}

}  // namespace

bool RunComparison::same() const {
  return streams.blocks_known && !streams.ranges.empty() && streams.allocations.differences.empty() &&
         streams.segments.differences.empty() &&
         std::none_of(levels.begin(), levels.end(), [](const ComparedBytes& level) {
           return IsOfAllocator(level) && level.Difference().value_or(0) != 0;
         });
}

RunComparison CompareRuns(const timeline::View& a, const timeline::View& b, ComparedSteps steps) {
  RunComparison comparison;
  comparison.streams = CompareStreams(a, b, steps);
  const StreamsCompared& streams = comparison.streams;
  const std::vector<EventRange> in_a = streams.RangesOf(&RangePair::a);
  const std::vector<EventRange> in_b = streams.RangesOf(&RangePair::b);
  comparison.levels = CompareLevels(a, in_a, b, in_b);
  const std::vector<SameEvent> same =
      AlignByAllocations(a, b) ? SameEvents(a, b, streams) : std::vector<SameEvent>();
  const std::optional<ComparedPeaks> peaks = PeaksOfRuns(a, in_a, b, in_b, same);
  const Moment at_a = peaks ? MomentAt(a, peaks->a) : PeakMomentIn(a, in_a);
  const Moment at_b = peaks ? MomentAt(b, peaks->b) : PeakMomentIn(b, in_b);
  comparison.peak_a = at_a.state.index;
  comparison.peak_b = at_b.state.index;
  comparison.at_peak = CompareStates(at_a, at_b, streams.by_requested());
  return comparison;
}

}  // namespace tidemark::presenters
