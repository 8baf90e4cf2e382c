// The tables of `fit -- PROGRAM` have columns alike.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace tidemark::cli {

// Two figures, and a verdict in words.
inline std::string FitRow(std::string_view what, std::string_view first, std::string_view second,
                          std::string_view verdict) {
  return fmt::format("  {:<58}{:>14}{:>14}  {}\n", what, first, second, verdict);
}

}  // namespace tidemark::cli
