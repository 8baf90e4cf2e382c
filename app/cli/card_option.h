// The card of a run, and the values of --memory. Reads the assets folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profiler/base/result.h"
#include "profiler/events/run_description.h"
#include "profiler/phantom/cards/card.h"

namespace tidemark::cli {

// The card that a run was on, with the memory that it had; nothing where a file does not tell it, or it is
// none of the known ones.
Result<std::optional<phantom::Card>> CardOfRun(const events::RunDescription& description);

// "16GiB" and the like, more than the card's context takes.
Result<int64_t> MemoryFromText(const std::string& text, const phantom::Card& card);

}  // namespace tidemark::cli
