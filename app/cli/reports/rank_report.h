// The answer of `info` for the ranks of a distributed run, one file each: every rank's peaks, which is the
// largest, the smallest and the odd one out, and the same step by step. Pure functions.
#pragma once

#include <string>

#include "app/cli/reports/report.h"
#include "profiler/session/ranks.h"

namespace tidemark::cli {

std::string RanksText(const session::Ranks& ranks);
// Sizes in bytes; every step of every rank.
Json RanksJson(const session::Ranks& ranks);

}  // namespace tidemark::cli
