// What Python's side of us (profiler/phantom/programs/python/tidemark_layers.py) calls around each call of a
// torch.nn.Module, for each parameter of one that gets its name, and for what an optimizer keeps for it, with
// Python's lock: told to who listens at layer_begins, layer_ends, parameter_known and optimizer_state_known.
#pragma once

#include <cstdint>
#include <string>

namespace tidemark::capture {

// What a parameter's gradient is called, as in PyTorch.
inline std::string GradientName(const char* parameter) { return std::string(parameter) + ".grad"; }

}  // namespace tidemark::capture

extern "C" {
// `name` ends in a zero. True, so that an expression of Python's can ask whether it began.
__attribute__((visibility("default"))) bool TidemarkLayerBegins(const char* name);
__attribute__((visibility("default"))) void TidemarkLayerEnds();
// The block that it lies in. `name` ends in a zero: "layer1.0.conv1.weight", of state with its key,
// "layer1.0.conv1.weight exp_avg".
__attribute__((visibility("default"))) void TidemarkParameter(const void* block, int64_t bytes,
                                                              const char* name);
__attribute__((visibility("default"))) void TidemarkOptimizerState(const void* block, int64_t bytes,
                                                                   const char* name);
}
