// Memory that others than PyTorch's allocator take from the driver: libraries, the program itself. PyTorch's
// figures are without it, so as the process ends a doubt tells how much it was at most, and whose. Of what
// cudaMalloc and cuMemAlloc give; not of pools, nor of what is mapped. Any thread. Some microseconds for each
// allocation.
#pragma once

#include <cstddef>

namespace tidemark::phantom::device {

// By the call that this thread is in.
void NoteTaken(const void* pointer, size_t bytes);
void NoteGivenBack(const void* pointer);

}  // namespace tidemark::phantom::device
