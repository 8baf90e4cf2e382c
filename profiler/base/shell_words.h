// Words for a command line that a person types or pastes. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tidemark {

// The word as a shell reads it: "train.py" as it is, "my runs/a.tide" in quotes.
std::string InShell(std::string_view word);

// The words of a line of them, quotes (single ones) and backslashes taken away. A quote that is not closed
// reaches to the end.
std::vector<std::string> OutOfShell(std::string_view line);

}  // namespace tidemark
