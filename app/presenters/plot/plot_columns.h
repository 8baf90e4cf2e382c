// How a visible range is cut into columns, and what the store says of each. Pure; see timeline_plot.h.
#pragma once

#include <vector>

#include "app/presenters/plot/timeline_plot.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

struct PlotColumns {
  std::vector<PlotColumn> columns;
  double width = 1;              // of a usual one, on the axis
  double pixel = 1;              // what the request takes for one
  events::EventIndex first = 0;  // events that the columns cover
  events::EventIndex end = 0;
  // What a later cut of the same run can use of this one.
  std::vector<events::EventIndex> edges;  // the first event of each column, and the one behind the last
  TimeAxis axis = TimeAxis::kEvents;
  timeline::CategorySet categories = timeline::kAllCategories;
  timeline::Series level = timeline::Series::kAllocated;  // View::peak_level() then
  double place = 0;                  // where the first column begins, in widths; columns are a width each
  events::EventIndex known_end = 0;  // the run's then; 0 = nothing can be used
};

// The time at a position on the axis of time; saturates.
int64_t TimeAtPosition(const timeline::View& view, double position);
double PositionAtTime(const timeline::View& view, int64_t time_ns);  // not before the start

// What `before`, a cut of the same run as it was, knows and what no later event changes is not asked for
// again: while a run goes on or the axis is moved that is nearly all.
PlotColumns CutIntoColumns(const timeline::View& view, const TimelinePlotRequest& request,
                           const PlotColumns& before = {});

}  // namespace tidemark::presenters
