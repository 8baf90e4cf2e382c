// What techniques that a user's program does not use itself would make of it on a card: it runs on a phantom
// of that card, with its own memory, as if it used them. Main thread only, but for the texts, which are pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/programs/phantom_order.h"
#include "app/cli/programs/program_launch.h"
#include "app/cli/reports/report.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/programs/techniques.h"

namespace tidemark::cli {

struct TechniqueVerdict {
  phantom::Techniques techniques;
  bool fits = false;            // it came to its end there
  bool ran_out = false;         // of memory, and ended by it
  std::string failure = {};     // why it did not come to its end; "" if it did
  int64_t allocated_bytes = 0;  // at the peak, on the fullest of several; these are 0 where it does not fit
  int64_t reserved_bytes = 0;
  std::vector<std::string> in_vain = {};  // its options that changed nothing
};

// Runs it with each of phantom::TechniquesToTry. Ctrl-C ends that early, with the verdicts that there are.
// Errors: as RunTrials'.
Result<std::vector<TechniqueVerdict>> TryTechniques(
    const std::vector<std::string>& program, const ProgramLaunch& launch, const phantom::Card& card,
    const std::function<void(std::string_view line)>& progress);

// "" where there are none. `asked`: how the program ran, of which the command that shows more is; `command`:
// the program's.
std::string TechniquesText(const std::vector<TechniqueVerdict>& verdicts, const phantom::Card& card,
                           const PhantomOptions& asked, const std::string& command);
Json TechniquesJson(const std::vector<TechniqueVerdict>& verdicts);

}  // namespace tidemark::cli
