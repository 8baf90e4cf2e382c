// What calls of a model without gradients leave, pass after pass, and nobody lets go of: results that are
// gathered in a list on the card, or put together there after each. Pure function, any thread. O(phases +
// live blocks).
#pragma once

#include <optional>

#include "profiler/advice/findings.h"

namespace tidemark::advice {

// Nothing where what they left is used up, as a KV cache that each pass makes anew, nor of a training where
// its peak does without it. Sizes in its sentences are in `unit`.
std::optional<Finding> KeptOutputs(const timeline::View& view, ByteUnit unit);

}  // namespace tidemark::advice
