// What Python's side of us (profiler/phantom/programs/python/tidemark_layers.py) calls around each call of a
// torch.nn.Module, with Python's lock: told to who listens at layer_begins and layer_ends.
#pragma once

extern "C" {
// `name` ends in a zero. True, so that an expression of Python's can ask whether it began.
__attribute__((visibility("default"))) bool TidemarkLayerBegins(const char* name);
__attribute__((visibility("default"))) void TidemarkLayerEnds();
}
