// What state PyTorch's allocator is in as a source of events, told from here on whenever it changes: "live"
// once it reports, "absent" where there is no PyTorch, "blocked" where its settings keep it from reporting.
//
// Any thread, also under the allocator's lock.
#pragma once

namespace tidemark::capture {

// CUDA begins in this process: says whether PyTorch's allocator is going to tell of the card's blocks.
void TellAllocatorsOutlook();

// It has reported a block, of the card or the CPU. Costs one load but for the first of either kind.
void TellAllocatorReports(bool is_cuda);

}  // namespace tidemark::capture
