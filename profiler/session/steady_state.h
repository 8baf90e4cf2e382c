// The peaks of a run once it has settled: what a prediction answers with, and what a measurement is compared
// by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/session/predictor.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::session {

// Of the steps that begin at event `begin` or later: the largest of the complete steps after the first, which
// creates the optimizer's state and differs, and their median time; but what is reserved is the most of all
// of them, since the card has to have it. Of a run that has no such step, every step there is; of one that
// memory ended, everything from `begin` to the failure, which is where its peak is. All figures are 0 if
// nothing happened. Pure function, O(steps + failures).
Prediction SteadyState(const timeline::View& view, timeline::EventIndex begin = 0);

inline constexpr size_t kStepColumns = 32;
// The highest allocated in each of so many equal parts of a step's events; empty for a shorter step.
std::vector<int64_t> CurveOf(const timeline::View& view, const timeline::Step& step);

// Of everything from `begin` to the end of the view, steps or not.
Prediction LargestSince(const timeline::View& view, timeline::EventIndex begin = 0);

}  // namespace tidemark::session
