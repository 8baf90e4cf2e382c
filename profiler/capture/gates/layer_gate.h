// What Python's side of us calls, with Python's lock: around each call of a torch.nn.Module
// (profiler/phantom/programs/python/tidemark_layers.py), and for tensors of which it knows what they are
// (tidemark_tensors.py, tidemark_shards.py). Told to who listens at layer_begins, layer_ends and
// tensor_known.
#pragma once

#include <cstdint>

extern "C" {
// `name` ends in a zero. 1, so that an expression of Python's can ask whether it began; 2 for one that is in
// no other of its thread.
__attribute__((visibility("default"))) int TidemarkLayerBegins(const char* name);
__attribute__((visibility("default"))) void TidemarkLayerEnds();
// The block that it lies in, and the number of its events::Category. `name`
// (events/tensor_names.h) ends in a zero.
__attribute__((visibility("default"))) void TidemarkTensor(const void* block, int64_t bytes, uint8_t category,
                                                           const char* name);
// A torch.optim.Optimizer is made, which the program will step: its parameters are not updated by hand.
__attribute__((visibility("default"))) void TidemarkOptimizerMade();
// What tells of the blocks of a tensor that wraps others (a DTensor, a jagged one), which autograd has saved,
// or accumulated for a parameter (else itself): it takes PyObjects, and Python's lock by itself. Lives as
// long as the process.
using WrappedTelling = void (*)(void* object, uint8_t category, void* parameter);
__attribute__((visibility("default"))) void TidemarkTellWrappedBy(WrappedTelling tell);
}
