// The values of --card and --memory. Reads the assets folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profiler/base/result.h"
#include "profiler/phantom/cards/card.h"

namespace tidemark::cli {

// The card of that name; of an unknown one, which is meant.
Result<phantom::Card> CardNamed(std::string_view name);

// "16GiB" and the like, more than the card's context takes.
Result<int64_t> MemoryFromText(const std::string& text, const phantom::Card& card);

}  // namespace tidemark::cli
