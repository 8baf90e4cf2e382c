// Sweeps over an option of a person's program that the window starts.
#pragma once

#include <string>
#include <vector>

#include "profiler/session/program_order.h"

namespace tidemark::cli {

// session::SweepProgram; what cuBLAS and cuDNN keep and what the order of addresses moves are told as
// `tidemark phantom --sweep` tells them.
Result<std::vector<std::string>> SweepProgram(const session::SweepOrder& order,
                                              const session::SweepListener& listener,
                                              const session::StartWatch& watch);

}  // namespace tidemark::cli
