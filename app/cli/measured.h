// The peaks of a run, for comparison with what the phantom predicts. Pure function, O(steps).
#pragma once

#include "profiler/session/predictor.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::cli {

// Steady state: the largest of the complete steps after the first, which creates the optimizer's state and
// differs; their median time. Of a run that has no such step, everything there is; of one that ran out of
// memory, everything up to the failure, which is where its peak is. All figures are 0 if no step began.
session::Prediction MeasuredPeaks(const timeline::View& view);

}  // namespace tidemark::cli
