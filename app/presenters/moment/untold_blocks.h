// Of a run whose blocks nobody told of: what to say where they would stand. Pure function.
#pragma once

#include <string>

#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// Where nobody told of the run's blocks (View::tells_blocks) why, in a sentence: "What is allocated is not
// known. There is no PyTorch in this process."; "" where they are told.
std::string WhyUntold(const timeline::View& view);

}  // namespace tidemark::presenters
