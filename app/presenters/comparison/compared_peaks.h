// At which moments two sides are compared where nobody names one: at each one's peak. But where one side is
// as high, but for rounding, at the place of the other's peak, at that place in both: moments that are as
// high hold other things, and their difference would tell of nothing that was changed. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "app/presenters/comparison/stream_comparison.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

struct ComparedPeaks {
  events::EventIndex a = 0;
  events::EventIndex b = 0;
};

// `in_a` and `in_b`: where a peak of the other side lies; none where it has no such place. Where both sides
// are as high there, the earlier of the two places, so that either order of them tells the same.
ComparedPeaks PeaksToCompare(const timeline::View& view_a, events::EventIndex peak_a,
                             const timeline::View& view_b, events::EventIndex peak_b,
                             std::optional<events::EventIndex> in_a, std::optional<events::EventIndex> in_b);

// Of two runs, in these ranges of theirs; none where one has nothing. `same`: as same_place.h has it.
std::optional<ComparedPeaks> PeaksOfRuns(const timeline::View& a, const std::vector<EventRange>& in_a,
                                         const timeline::View& b, const std::vector<EventRange>& in_b,
                                         std::span<const SameEvent> same);

}  // namespace tidemark::presenters
