#include "profiler/capture/gates/gates.h"

#include <new>

namespace tidemark::capture {

Gates& TheGates() {
  static constinit Gates gates;
  return gates;
}

void CloseGates() { new (&TheGates()) Gates; }

}  // namespace tidemark::capture
