// How many floating-point operations a layer's forward takes. The rules are those of PyTorch's own counter
// (torch/utils/flop_counter.py, 2.11): a multiplication and an addition are two; convolutions, products of
// matrices and attention count, all else is as nothing. Backward takes about twice as many. Pure function.
#pragma once

#include <cstdint>

#include "profiler/networks/layer.h"

namespace tidemark::textbook {

// Of one sample.
int64_t ForwardOperations(const networks::Layer& layer);

}  // namespace tidemark::textbook
