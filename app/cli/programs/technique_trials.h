// Techniques that the window tries on a person's program.
#pragma once

#include "profiler/session/program_order.h"

namespace tidemark::cli {

// Those that `tidemark fit -- PROGRAM` tries, and the program as it is where it runs with one of them.
session::TechniqueTrials TechniqueTrials();

}  // namespace tidemark::cli
