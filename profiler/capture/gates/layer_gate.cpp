#include "profiler/capture/gates/layer_gate.h"

#include <dlfcn.h>

#include "profiler/capture/gates/gates.h"

using tidemark::capture::Tell;
using tidemark::capture::TheGates;

// Behind either may be the same of another library of ours: the probe stands before a phantom's gates.
bool TidemarkLayerBegins(const char* name) {
  static const auto next = reinterpret_cast<bool (*)(const char*)>(dlsym(RTLD_NEXT, "TidemarkLayerBegins"));
  Tell(TheGates().layer_begins, name);
  if (next != nullptr) next(name);
  return true;
}

void TidemarkLayerEnds() {
  static const auto next = reinterpret_cast<void (*)()>(dlsym(RTLD_NEXT, "TidemarkLayerEnds"));
  if (next != nullptr) next();
  Tell(TheGates().layer_ends);
}
