// Tells the phantom device, where this process has one, which part of its memory PyTorch hands out anew: what
// was written there belongs to something else from then on. Any thread; where there is no phantom it costs
// one load.
#pragma once

#include <cstddef>

namespace tidemark::capture {

void BlockBegins(const void* pointer, size_t bytes);

}  // namespace tidemark::capture
