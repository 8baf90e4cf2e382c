// Where replays of CUDA graphs lie on the timeline: those that are too near to each other to be told apart
// are one, with their number. The axis is cut into stretches for that, wherever what is in sight begins, so
// that no group changes as it moves. Pure; a bounded number, found by search: O(pixels · log replays).
#pragma once

#include <cstdint>
#include <vector>

#include "app/presenters/plot/timeline_plot.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

struct PlotReplays {
  double begin = 0;  // of the first, on the axis
  double end = 0;    // of the last
  int64_t count = 0;
  int64_t first = 0;  // its number among all of the run that are kept, from 1
  int64_t graph = 0;  // whose all of them are; 0 = of several, or not told (or too many to look at each)
};

// In their order; of a group that is partly in sight all. `pixels`: how wide a stretch is that is told as
// one.
std::vector<PlotReplays> ReplaysInSight(const timeline::View& view, const TimelinePlotRequest& request,
                                        double pixels);

}  // namespace tidemark::presenters
