// What a moment is called. Pure functions, any thread. O(log steps).
#pragma once

#include <string>

#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// "step 3", "after step 3" between that and the next, "before the first step"; "" where the view knows no
// step at or before the event because it tells of none, or has let go of what came before.
std::string StepTitle(const timeline::View& view, events::EventIndex index);

// "step 3 · event 1,204"; only the event where StepTitle is "".
std::string MomentTitle(const timeline::View& view, events::EventIndex index);

}  // namespace tidemark::presenters
