// What private pools of PyTorch's allocator keep for themselves: what CUDA graphs work in as they are
// replayed, which allocates nothing, and what a torch.cuda.MemPool has free. Where memory ran out it is told
// as what was out of reach (unused_memory.h). Pure function, any thread. O(segments + live blocks · log).
#pragma once

#include <optional>

#include "profiler/advice/findings.h"

namespace tidemark::advice {

// Sizes in its sentences are in `unit`. `card_bytes`: what the card has; 0 = not known. Nothing where nobody
// tells whose the pools are.
std::optional<Finding> PoolMemory(const timeline::View& view, ByteUnit unit, int64_t card_bytes);

}  // namespace tidemark::advice
