// What techniques that a user's program does not use itself would make of it on a card: it runs on a phantom
// of that card, with its own memory, as if it used them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/programs/phantom_order.h"
#include "app/cli/programs/program_launch.h"
#include "app/cli/reports/report.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/programs/techniques.h"
#include "profiler/session/program_order.h"

namespace tidemark::cli {

struct TechniquesToRun {
  std::vector<phantom::Techniques> techniques;
  phantom::Card card;
  bool takes_what_there_is = false;  // so that room for all tells nothing
};

struct TechniquesWatch {
  session::TechniqueAnswered answered;                       // each as soon as it is known, as it says
  std::function<void(std::string_view line)> progress = {};  // several times a second, if there is any
  std::function<bool()> goes_on = {};                        // asked as often; false ends it early
};

// Runs it with each, one at a time, then those that ran out once more with room for all, to know what they
// need. `launch` has none of them. Any thread. Errors: as RunTrials'.
Status TryTechniques(const std::vector<std::string>& program, const ProgramLaunch& launch,
                     const TechniquesToRun& next, const TechniquesWatch& watch);

struct TechniqueVerdict : session::TechniqueAnswer {
  phantom::Techniques techniques;
};

// Pure. "" where there are none. `asked`: how the program ran, of which the command that shows more is;
// `command`: the program's. `state_bytes`: what its parameters and optimizers hold on each card, as far as
// that is known.
std::string TechniquesText(const std::vector<TechniqueVerdict>& verdicts, const phantom::Card& card,
                           const PhantomOptions& asked, const std::string& command, int64_t state_bytes = 0);
Json TechniquesJson(const std::vector<TechniqueVerdict>& verdicts);

}  // namespace tidemark::cli
