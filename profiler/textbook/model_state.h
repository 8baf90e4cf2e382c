// The terms of what a model keeps from step to step: parameters, buffers, the optimizer's state and
// gradients, whole or shared among ranks, with the buckets in which gradients travel. Pure function,
// O(layers).
#pragma once

#include "profiler/textbook/subject.h"

namespace tidemark::textbook {

void AddModelState(const Subject& of, Estimate& estimate);

}  // namespace tidemark::textbook
