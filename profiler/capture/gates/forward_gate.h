// The gate at what LibTorch's operators save for backward (torch::autograd::SavedVariable). forward_gate.cpp
// defines LibTorch's function and passes every call on; whoever links it defines what is told here, in the
// thread that saves.
#pragma once

namespace tidemark::capture {

// An operator has saved something for backward.
void OnForwardRecorded();

}  // namespace tidemark::capture
