// Reserved memory that a request could not have, or no block ever used: in pieces, in private pools, in
// memory of other streams. Pure functions, any thread. O(failures · (steps + live blocks · log)).
#pragma once

#include <optional>

#include "profiler/advice/findings.h"

namespace tidemark::advice {

// Sizes in its sentences are in `unit`. `card_bytes`: what the card has; 0 = not known.
std::optional<Finding> UnusedMemory(const timeline::View& view, ByteUnit unit, int64_t card_bytes);

}  // namespace tidemark::advice
