// The search of `tidemark fit`, with its progress on the terminal: also asked after a run that ran out of
// memory. Takes seconds; main thread only.
#pragma once

#include <optional>
#include <string>

#include "app/cli/reports/report.h"
#include "profiler/advice/fit.h"
#include "profiler/session/run.h"

namespace tidemark::cli {

// Ends early, with a sentence, where the person interrupts it.
Result<advice::FitAnswer> SearchFit(const advice::FitQuestion& question);

struct WaysOut {
  advice::FitQuestion question;
  advice::FitAnswer answer;
};
// What would have made a run fit on its card. Fails with a sentence for what is not known: a network or a
// card that is none of ours.
Result<WaysOut> FindWaysOut(const session::Run& run);

// The three cheapest, with what each saves of the present need.
std::string WaysOutRows(const WaysOut& ways);
Json WaysOutJson(const WaysOut& ways);

}  // namespace tidemark::cli
