// The terms of what comes and goes within a step: the input, what forward keeps for backward, with or without
// checkpointing, what the loss saves, what a pipeline's stage sends and has in flight, and autocast's copies.
// Pure function, O(layers).
#pragma once

#include "profiler/textbook/subject.h"

namespace tidemark::textbook {

void AddActivationTerms(const Subject& of, Estimate& estimate);

}  // namespace tidemark::textbook
