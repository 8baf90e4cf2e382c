// Words for a command line that a person types or pastes. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace tidemark {

// The word as a shell reads it: "train.py" as it is, "my runs/a.tide" in quotes.
std::string InShell(std::string_view word);

}  // namespace tidemark
