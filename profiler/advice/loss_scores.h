// Scores over a large vocabulary, of which a loss makes several copies: their log-softmax and the gradients
// of both are as large as they are, and all alive where backward begins. Pure function, any thread. O(live
// blocks).
#pragma once

#include <optional>

#include "profiler/advice/findings.h"

namespace tidemark::advice {

// Sizes in its sentences are in `unit`.
std::optional<Finding> LossScores(const timeline::View& view, const timeline::Step& step, ByteUnit unit);

}  // namespace tidemark::advice
