// Which lines of code asked for what was allocated at a run's peak: for people and for programs. Pure
// functions.
#pragma once

#include <string>

#include "app/cli/report.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::cli {

// The largest; "" if the run has no stacks.
std::string LinesText(const timeline::View& view);
// The same as a list, the largest first; empty if it has none.
Json LinesJson(const timeline::View& view);

}  // namespace tidemark::cli
