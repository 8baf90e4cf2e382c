// Which layers ran under the timeline's columns, by the operators that were told of them. Pure.
#pragma once

#include <vector>

#include "app/presenters/plot/timeline_plot.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// One layer's operators in a row, in one phase.
struct LayerSpan {
  double begin = 0;
  double end = 0;
  events::NameId layer = 0;
  events::Phase phase = events::Phase::kIdle;
};

// In their order. Empty where there are too many to tell apart, and where nobody told of operators. At most
// some thousand events are looked at.
std::vector<LayerSpan> LayersInSight(const timeline::View& view, const TimelinePlotRequest& request);

}  // namespace tidemark::presenters
