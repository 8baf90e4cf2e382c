// What an optimizer works in where its step decides the peak: operators on lists of tensors (foreach) make a
// result for each parameter before the first is used. Pure function, any thread. O(phases + live blocks).
#pragma once

#include <optional>

#include "profiler/advice/findings.h"

namespace tidemark::advice {

// Sizes in its sentences are in `unit`.
std::optional<Finding> OptimizerWork(const timeline::View& view, const timeline::Step& step, ByteUnit unit);

}  // namespace tidemark::advice
