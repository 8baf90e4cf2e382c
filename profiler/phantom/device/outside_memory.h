// Memory that others than PyTorch's allocator take from the driver: libraries, the program itself. PyTorch's
// figures are without it, so a doubt tells how much it was at most, and whose: at once, whenever that has
// doubled, and as the process exits. Any thread. Some microseconds for each allocation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tidemark::phantom::device {

// By the call that this thread is in. Where it is, or which piece of what is mapped (virtual_memory.h).
void NoteTaken(uint64_t place, size_t bytes);
void NoteGivenBack(uint64_t place);

}  // namespace tidemark::phantom::device
