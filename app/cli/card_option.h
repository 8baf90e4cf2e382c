// The value of --card. Reads the assets folder.
#pragma once

#include <string_view>

#include "profiler/base/result.h"
#include "profiler/phantom/cards/card.h"

namespace tidemark::cli {

// The card of that name; of an unknown one, which is meant.
Result<phantom::Card> CardNamed(std::string_view name);

}  // namespace tidemark::cli
