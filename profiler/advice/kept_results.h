// Whether a tensor that was saved for a backward is kept for itself, as a result of which the graph was let
// go. Pure functions, any thread.
#pragma once

#include <vector>

#include "profiler/timeline/timeline.h"

namespace tidemark::advice {

// Of saved tensors that are alive after their steps, at a moment, whether most of the latest are: what the
// same step had saved next to them is gone, and a graph holds all that it saved. One that is detached,
// or whose backward has run, is there for whoever keeps it, and keeps no graph. O(events between
// checkpoints).
bool AreKeptResults(const timeline::View& view, std::vector<timeline::LiveBlock> kept,
                    timeline::EventIndex moment);

}  // namespace tidemark::advice
