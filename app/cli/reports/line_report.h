// Which lines of code asked for what was allocated at a run's peak: for people and for programs. Pure
// functions.
#pragma once

#include <string>
#include <vector>

#include "app/cli/reports/report.h"
#include "profiler/advice/owners.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::cli {

// Those that hold most at a moment, and what is in none that is named as one, too; empty where no
// stacks are told.
std::vector<advice::Owner> LinesAt(const timeline::View& view, timeline::EventIndex moment);

// At the peak of the run; "" if the run has no stacks.
std::string LinesText(const timeline::View& view);
// The same as a list, the largest first; empty if it has none.
Json LinesJson(const timeline::View& view);

}  // namespace tidemark::cli
