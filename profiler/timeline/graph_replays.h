// How often a run replayed CUDA graphs, as its scopes tell (events/cuda_graphs.h). Pure; O(events).
#pragma once

#include <cstdint>

#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

struct GraphReplays {
  int64_t in_all = 0;
  int64_t steps = 0;         // in which there were any, of those that are complete
  int64_t most_in_step = 0;  // of these
};
GraphReplays GraphReplaysIn(const View& view);

// Where it shows what private pools keep for replays: while most is reserved the latest of these; where none
// is told the end of the latest step, and without steps the last event. As a program ends it lets go of what
// it holds in pools, too.
EventIndex MomentBetweenReplays(const View& view);

}  // namespace tidemark::timeline
