// `tidemark phantom --sweep`: one row for each value of an argument of the user's program.
#pragma once

#include "profiler/phantom/programs/sweep.h"

namespace tidemark::cli {

// Runs it and answers on standard output; the exit code.
int RunSweep(const phantom::SweepTask& task, bool json);

}  // namespace tidemark::cli
