// What PyTorch calls the ranges that it announces to profilers, for whoever hears of them: within its
// process, or in a file.
#pragma once

#include <string_view>

namespace tidemark::events {

// Around each optimizer's step(): "Optimizer.step#AdamW.step" (torch/optim/optimizer.py, profile_hook_step).
inline constexpr std::string_view kOptimizerRangePrefix = "Optimizer.step#";
// Around all that autograd's engine does with a node of backward: this, and the node's name
// (torch/csrc/autograd/engine.cpp, evaluate_function).
inline constexpr std::string_view kEngineRangePrefix = "autograd::engine::evaluate_function: ";

}  // namespace tidemark::events
