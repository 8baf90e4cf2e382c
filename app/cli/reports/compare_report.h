// What `tidemark compare` answers, as text for people and as JSON for programs. Pure functions. Sizes are
// exact bytes.
#pragma once

#include <string>
#include <vector>

#include "app/cli/reports/report.h"
#include "app/presenters/comparison/run_comparison.h"
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
// At most the first 100 differences of a stream, beside how many there are.
Json CompareJson(const ComparedFile& a, const ComparedFile& b, const presenters::RunComparison& comparison);

}  // namespace tidemark::cli
