// A run's findings (profiler/advice/findings.h) as text for people and as JSON for programs, by what its card
// has (0 = not known). Pure functions.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/reports/report.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::cli {

// What other settings of the allocator do to the run, as a sentence; nothing where they are no advice; ""
// where they could not be tried.
using SettingsTrial = std::function<std::optional<std::string>()>;
// A title, its evidence and advice each; where the advice is to try settings, what `trial` says of them, if
// there is one. "" where nothing was found.
std::string FindingRows(const timeline::View& view, int64_t card_bytes, const SettingsTrial& trial = {});
// The same after a program has run, and how its lines of code would be told, where they would say more.
std::string ProgramFindingRows(const timeline::View& view, int64_t card_bytes,
                               const SettingsTrial& trial = {});
// Why figures of so many steps are too small for more of them; "" where they are not.
std::string GrowthNote(const timeline::View& view);
// One each, for a page.
std::vector<std::string> FindingSentences(const timeline::View& view, int64_t card_bytes);
Json FindingsJson(const timeline::View& view, int64_t card_bytes);

}  // namespace tidemark::cli
