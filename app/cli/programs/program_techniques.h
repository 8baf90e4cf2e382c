// What techniques that a user's program does not use itself would make of it on a card: it runs on a phantom
// of that card, with its own memory, as if it used them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/programs/program_trials.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/programs/techniques.h"
#include "profiler/session/program_order.h"

namespace tidemark::cli {

struct TechniquesToRun {
  std::vector<phantom::Techniques> techniques;
  phantom::Card card;
  bool takes_what_there_is = false;            // so that room for all tells nothing
  std::optional<TrialArgument> argument = {};  // in all runs
};

struct TechniquesWatch {
  session::TechniqueAnswered answered;                       // each as soon as it is known, as it says
  std::function<void(std::string_view line)> progress = {};  // several times a second, if there is any
  std::function<bool()> goes_on = {};                        // asked as often; false ends it early
  std::function<void(double share)> share = {};              // how far it is, 0..1, after each run
};

// Of several at once: with which of `techniques` a program is the same, since the rest of it changed nothing
// where the program ran with that alone and came to its end: it uses autocast itself, or has no blocks.
// Together they would do the same again, which what merely takes no less memory need not: with autocast,
// which leaves casts of weights behind, checkpointing may help that does not alone. `answers`: those known so
// far.
struct SameProgram {
  size_t technique = 0;
  std::vector<std::string> in_vain;
};
std::optional<SameProgram> SameProgramWith(const phantom::Techniques& several,
                                           const std::vector<phantom::Techniques>& techniques,
                                           const std::map<size_t, session::TechniqueAnswer>& answers);

// Runs it with each, one at a time, but for those of which another's run tells all, then those that ran out
// once more with room for all, to know what they need. Errors: as ProgramTrials'.
Status TryTechniques(ProgramTrials& program, const TechniquesToRun& next, const TechniquesWatch& watch);

struct TechniqueVerdict : session::TechniqueAnswer {
  phantom::Techniques techniques;
};

}  // namespace tidemark::cli
