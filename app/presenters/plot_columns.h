// How a visible range is cut into columns, and what the store says of each. Pure; see timeline_plot.h.
#pragma once

#include <vector>

#include "app/presenters/timeline_plot.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

struct PlotColumns {
  std::vector<PlotColumn> columns;
  double width = 1;              // of a usual one, on the axis
  double pixel = 1;              // what the request takes for one
  events::EventIndex first = 0;  // events that the columns cover
  events::EventIndex end = 0;
};

// The time at a position on the axis of time; saturates.
int64_t TimeAtPosition(const timeline::View& view, double position);
double PositionAtTime(const timeline::View& view, int64_t time_ns);  // not before the start

PlotColumns CutIntoColumns(const timeline::View& view, const TimelinePlotRequest& request);

}  // namespace tidemark::presenters
