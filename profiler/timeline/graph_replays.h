// How often a run replayed CUDA graphs, as its scopes tell (events/cuda_graphs.h). Pure functions,
// any thread.
#pragma once

#include <cstdint>

#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

struct GraphReplays {
  int64_t in_all = 0;
  int64_t steps = 0;         // in which there were any, of those that are complete
  int64_t most_in_step = 0;  // of these
};
// Those between two steps are of the later one: a step that replays its forward and backward is told from its
// optimizer on. O(steps · log replays).
GraphReplays GraphReplaysIn(const View& view);

// Where it shows what private pools keep for replays: the latest of these, for as a program ends it lets go
// of what it holds in pools, too. Where none is told, while most is reserved the end of the latest step, and
// without steps the last event; but a warm-up may have reserved more, which PyTorch gives back as a capture
// begins. O(1), and without replays as View::PeakIn, EndWhileReserved, and O(steps).
EventIndex MomentBetweenReplays(const View& view);

}  // namespace tidemark::timeline
