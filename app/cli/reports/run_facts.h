// What a run is, in words: for `info` and for pages. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "profiler/session/run.h"

namespace tidemark::cli {

// As titles and texts: "steps", "50".
std::vector<std::pair<std::string, std::string>> FactsOf(const session::Run& run);

int64_t DurationNs(const timeline::View& view);
std::vector<double> LossesOf(const timeline::View& view);  // of the steps that told one

}  // namespace tidemark::cli
