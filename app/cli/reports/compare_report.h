// What `tidemark compare` answers, of two runs or of two steps of one, as text for people and as JSON for
// programs. Pure functions. Sizes are exact bytes.
#pragma once

#include <string>
#include <vector>

#include "app/cli/reports/report.h"
#include "app/presenters/comparison/run_comparison.h"
#include "app/presenters/comparison/side_by_side.h"
#include "profiler/events/run_description.h"

namespace tidemark::cli {

struct ComparedFile {
  std::string file;
  events::RunDescription description;
  const timeline::View* view = nullptr;
  std::vector<std::string> warnings;  // why it is not the whole story
};

std::string CompareText(const ComparedFile& a, const ComparedFile& b,
                        const presenters::RunComparison& comparison);
// Two steps of one run.
std::string StepsText(const ComparedFile& file, const presenters::SideBySide& steps);
Json StepsJson(const ComparedFile& file, const presenters::SideBySide& steps);
// Whether they hold the same at their peaks.
bool AreTheSame(const presenters::SideBySide& steps);
// At most the first 100 differences of a stream, beside how many there are.
Json CompareJson(const ComparedFile& a, const ComparedFile& b, const presenters::RunComparison& comparison);

}  // namespace tidemark::cli
