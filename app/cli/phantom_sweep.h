// `tidemark phantom --sweep`: one row for each value of an argument of the user's program.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/programs/sweep.h"

namespace tidemark::cli {

// A row a value. A run that failed has no peaks. `card` with the memory that it has.
std::string SweepTable(const phantom::SweepTask& task, const phantom::Card& card,
                       const std::vector<phantom::SweepAnswer>& answers);

// Runs it and answers on standard output; the exit code. `doubts`: what is told after it, and in JSON's
// "notes".
int RunSweep(const phantom::SweepTask& task, const phantom::Card& card, bool json,
             const std::function<std::vector<std::string>()>& doubts);

}  // namespace tidemark::cli
