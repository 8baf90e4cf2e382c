// How often a run replayed CUDA graphs, as its scopes tell (events/cuda_graphs.h). Pure functions,
// any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

struct GraphReplays {
  int64_t in_all = 0;
  int64_t of_steps = 0;      // that were looked at: the complete ones that are kept
  int64_t steps = 0;         // in which there were any, of these
  int64_t most_in_step = 0;  // of these
};
// Those between two steps are of the later one: a step that replays its forward and backward is told from its
// optimizer on. O(steps · log replays).
GraphReplays GraphReplaysIn(const View& view);

// The same of a run's views as they come: O(steps that are new · log replays), and as above where the oldest
// steps are others than before, as they are when events are let go. One thread grows it.
class GraphReplayCount {
 public:
  const GraphReplays& Of(const View& view);

 private:
  bool HasCounted(const Sequence<Step>& steps) const;

  GraphReplays told_;
  size_t counted_ = 0;  // steps, from the oldest on, which do not change any more
  Step oldest_;         // of these
  Step latest_;
  std::optional<EventIndex> since_;  // replays from there on are of the next step
};

// Where it shows what private pools keep for replays: the latest of these, for as a program ends it lets go
// of what it holds in pools, too. Where none is told, while most is reserved the end of the latest step, and
// without steps the last event; but a warm-up may have reserved more, which PyTorch gives back as a capture
// begins. O(1), and without replays as View::PeakIn, EndWhileReserved, and O(steps).
EventIndex MomentBetweenReplays(const View& view);

}  // namespace tidemark::timeline
