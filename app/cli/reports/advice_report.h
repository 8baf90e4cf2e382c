// A run's findings (profiler/advice/findings.h) as text for people and as JSON for programs, by what its card
// has (0 = not known). Pure functions.
#pragma once

#include <string>
#include <vector>

#include "app/cli/reports/report.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::cli {

// A title and its evidence each; "" where nothing was found.
std::string FindingRows(const timeline::View& view, int64_t card_bytes);
// The same after a program has run, and how its lines of code would be told, where they would say more.
std::string ProgramFindingRows(const timeline::View& view, int64_t card_bytes);
// Why figures of so many steps are too small for more of them; "" where they are not.
std::string GrowthNote(const timeline::View& view);
// One each, for a page.
std::vector<std::string> FindingSentences(const timeline::View& view, int64_t card_bytes);
Json FindingsJson(const timeline::View& view, int64_t card_bytes);

}  // namespace tidemark::cli
