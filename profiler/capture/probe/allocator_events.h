// What LibTorch's allocators report, as events. Blocks are told as PyTorch rounded them: what was asked for
// is not in the report. A free counts from the report on, though the block may still wait for other streams.
//
// Any thread; reports come under the allocator's lock.
#pragma once

#include <cstdint>

namespace tidemark::capture {

// Whether that address lies in what PyTorch has reserved on a card.
bool LiesInSegment(uint64_t address);

}  // namespace tidemark::capture
