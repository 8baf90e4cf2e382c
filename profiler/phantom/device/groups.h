// How many ranks the groups have that a distributed program splits from larger ones. NCCL tells a rank no
// more than its own colour; PyTorch's Python knows the ranks, and tells them here
// (profiler/phantom/programs/python/tidemark_pretended_ranks.py). Any thread.
#pragma once

namespace tidemark::phantom::device {

// Of the group of that colour, or else of the one that this thread is splitting now; 0 where nobody told.
int RanksOfSplit(int color);

}  // namespace tidemark::phantom::device
