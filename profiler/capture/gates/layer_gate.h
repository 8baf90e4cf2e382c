// What Python's side of us (profiler/phantom/programs/python/tidemark_layers.py) calls around each call of a
// torch.nn.Module, and for each parameter of one that gets its name, with Python's lock: told to who listens
// at layer_begins, layer_ends and parameter_known.
#pragma once

#include <cstdint>

extern "C" {
// `name` ends in a zero. True, so that an expression of Python's can ask whether it began.
__attribute__((visibility("default"))) bool TidemarkLayerBegins(const char* name);
__attribute__((visibility("default"))) void TidemarkLayerEnds();
// The block that it lies in. `name` ends in a zero.
__attribute__((visibility("default"))) void TidemarkParameter(const void* block, int64_t bytes,
                                                              const char* name);
}
