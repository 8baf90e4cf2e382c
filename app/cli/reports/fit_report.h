// The answers of `tidemark fit` and `tidemark what-if`, as text for people and as JSON for programs. Pure
// functions.
#pragma once

#include <string>

#include "app/cli/reports/report.h"
#include "profiler/advice/fit.h"
#include "profiler/advice/what_if.h"

namespace tidemark::cli {

// `seconds`: how long the search took.
std::string FitText(const advice::FitQuestion& question, const advice::FitAnswer& answer, double seconds);
Json FitJson(const advice::FitQuestion& question, const advice::FitAnswer& answer, double seconds);

// That workspaces are the first card's; "" where there is no other.
std::string OtherCardNote(const advice::AllocatorSetup& own, const advice::AllocatorSetup& other);
// "NVIDIA T4, 16.0 GiB, PyTorch's own settings".
std::string SetupInWords(const advice::AllocatorSetup& setup);
std::string WhatIfText(const advice::AllocatorSetup& own, const advice::AllocatorSetup& other,
                       const advice::WhatIf& answer);
Json WhatIfJson(const advice::AllocatorSetup& own, const advice::AllocatorSetup& other,
                const advice::WhatIf& answer);

}  // namespace tidemark::cli
