// The answer of `tidemark fit -- PROGRAM`, as text for people and as JSON for programs. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "app/cli/programs/card_verdicts.h"
#include "app/cli/reports/report.h"

namespace tidemark::cli {

// `why_no_runs`: a sentence on why other kinds of cards had no run; "" if they had, as far as looked for.
// `fits_with`: settings of the allocator that give it room on the card that was asked for; "" = none are
// known.
std::string VerdictsText(const CardVerdicts& verdicts, const std::string& title,
                         const std::string& why_no_runs, const std::string& fits_with = "");
// `notes`: what makes the figures less than certain.
Json VerdictsJson(const CardVerdicts& verdicts, const std::string& title, const std::string& why_no_runs,
                  const std::vector<std::string>& notes);
// `why`: a sentence on why there are no verdicts.
Json NoVerdictsJson(const phantom::Card& asked, const std::string& title, const std::string& why,
                    const std::vector<std::string>& notes);

}  // namespace tidemark::cli
