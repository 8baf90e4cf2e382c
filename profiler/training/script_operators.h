// PyTorch's operators as kinds of layers, where the textbook has one. Pure functions.
#pragma once

#include <ATen/core/ivalue.h>

#include <vector>

#include "profiler/networks/layer.h"

namespace tidemark::training {

// By `layer.op` and what it was given; shapes have the batch in them. Else it stays an operator.
void Classify(const std::vector<c10::IValue>& arguments, networks::Layer& layer);
// Once its shapes are of one sample: what the kinds' rules read in them.
void Settle(networks::Layer& layer);

}  // namespace tidemark::training
