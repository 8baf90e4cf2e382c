// Tells the phantom device, where this process has one, what PyTorch does with the blocks of its memory. Any
// thread; where there is no phantom it costs one load.
#pragma once

#include <cstddef>

namespace tidemark::capture {

// It hands this out anew: what was written there belongs to something else from now on.
void BlockBegins(const void* pointer, size_t bytes);
// It took one back: what was written there is nobody's.
void BlockEnds(const void* pointer, size_t bytes);
// It keeps one that was freed until another stream is done with it.
void BlockWaits();

}  // namespace tidemark::capture
