// The gate at the ranges that a Python program announces to profilers (torch.profiler.record_function), which
// torch.optim does around each step(); they come whether a profiler listens or not. user_scope_gate.cpp
// defines LibTorch's two functions and passes every call on; whoever links it defines what is told here, in
// the thread that announces.
#pragma once

#include <string_view>

namespace tidemark::capture {

// The function around each step() of torch.optim, which takes the optimizer first.
inline constexpr std::string_view kOptimizerWrapper = "wrapper";
inline constexpr std::string_view kOptimizerFile = "/torch/optim/optimizer.py";

// `scope` is LibTorch's object for it, which lives at least until it ends.
void OnUserScopeBegins(std::string_view name, const void* scope);
// A RecordFunction ends: one that lies inside of a scope's object, or any other.
void OnRecordFunctionEnds(const void* record_function);

}  // namespace tidemark::capture
