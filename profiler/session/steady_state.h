// The peaks of a run once it has settled.
#pragma once

#include "profiler/session/predictor.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::session {

// The largest of the complete steps after the first: the first creates the optimizer's state and differs. Of
// a run with only one step, that one; of one that ended within its first, the part of it there is. All
// figures 0 if no step began.
Prediction SteadyState(const timeline::View& view);

}  // namespace tidemark::session
