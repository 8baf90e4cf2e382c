// Steps that need more than those beside them: the first, in which plans are tried and state is made, and a
// later one with a longer batch, an evaluation or a checkpoint in it. Pure functions, any thread. O(steps +
// live blocks).
#pragma once

#include <optional>

#include "profiler/advice/examined_steps.h"
#include "profiler/advice/findings.h"

namespace tidemark::advice {

// Sizes in their sentences are in `unit`.
std::optional<Finding> FirstStepSpike(const timeline::View& view, const ExaminedSteps& steps, ByteUnit unit);
std::optional<Finding> LaterStepSpike(const timeline::View& view, const ExaminedSteps& steps, ByteUnit unit);

}  // namespace tidemark::advice
