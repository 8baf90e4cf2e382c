// Numbers as people type them, with a sentence for what is none. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "profiler/base/result.h"

namespace tidemark::cli {

// "--batch must be a whole number between 1 and 4096, not 'abc'."
Result<int64_t> WholeNumber(std::string_view option, std::string_view text, int64_t least, int64_t most);
Result<uint64_t> Seed(std::string_view option, std::string_view text);
// Any decimal number; its range is for the caller to check.
Result<double> DecimalNumber(std::string_view option, std::string_view text);
// "16GiB", "16g" (the same), "24 GB", "500000000": a size above 0; without a unit bytes.
Result<int64_t> ByteSize(std::string_view option, std::string_view text);
// "3-5", "3" (that one alone): from one step to a later one.
struct StepRange {
  int64_t first = 0;
  int64_t last = 0;
};
Result<StepRange> Steps(std::string_view option, std::string_view text);

}  // namespace tidemark::cli
