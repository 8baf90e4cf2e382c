// Replays of CUDA graphs as scopes (events/cuda_graphs.h): a step that only replays one allocates nothing,
// and would look like one in which nothing happened.
#pragma once

namespace tidemark::capture {

// One is over, on the thread that asked for it. Of how long the GPU takes for it the scope tells nothing.
// `graph` is told apart from others by its address: one that is made where another was is taken for that. Any
// thread; O(log graphs).
void GraphReplayed(const void* graph);

}  // namespace tidemark::capture
