// What is to be said beside the phantom's prediction. Pure functions, any thread. O(1).
#pragma once

#include <cstdint>
#include <string>

#include "profiler/session/predictor.h"

namespace tidemark::presenters {

// What the phantom's prediction leaves out, in sentences; "" = nothing. Of files the names: in which folders
// of this machine they were looked for says nothing of the figures.
std::string LeftOut(const session::Prediction& prediction);
// Beside a run that has gone on for longer and needs something else: of how many steps the prediction is, as
// a sentence; "" where there is nothing to tell. `steps`: those of the run until then.
std::string OfFewerSteps(const session::Prediction& prediction, int64_t steps, bool differs);

}  // namespace tidemark::presenters
