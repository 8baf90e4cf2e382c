// Which cards a user's program would fit on: its requests, on each of the known cards.
#pragma once

#include <string>
#include <vector>

#include "app/cli/report.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/allocator_trial.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::cli {

struct CardVerdict {
  phantom::Card card;
  bool fits = false;
  bool empties_cache = false;  // it fits, but PyTorch gives its cache back in between
  int64_t reserved_bytes = 0;  // at the peak; 0 where it does not fit
};

// By memory; `asked` with the memory that it shall have. `settings`: the allocator's. Reads the assets
// folder; replays the run where it is close.
Result<std::vector<CardVerdict>> VerdictsOf(const timeline::View& view, const phantom::Card& asked,
                                            const std::string& settings,
                                            const session::AllocatorOf& allocator);

// `asked`: the card that --card names, with the memory of --memory.
std::string VerdictsText(const std::vector<CardVerdict>& verdicts, const phantom::Card& asked,
                         const std::string& title);
Json VerdictsJson(const std::vector<CardVerdict>& verdicts, const phantom::Card& asked,
                  const std::string& title);

}  // namespace tidemark::cli
