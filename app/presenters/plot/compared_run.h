// Another run on the axis of the one that is shown, each moment where it has its like
// (comparison/same_place.h). Pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/presenters/comparison/stream_comparison.h"
#include "app/presenters/plot/timeline_plot.h"

namespace tidemark::presenters {

// Adds the other's curve to a plot of `shown`, where steps are narrow the curve of their peaks. O(columns ·
// (log events + phases of a step + log `same`)).
void AddComparedRun(const timeline::View& shown, const timeline::View& other, std::span<const SameEvent> same,
                    TimelinePlot& plot);

// What both have allocated under a column: "second.tide allocated 1,024 B here, this run 512 B: +512 B".
// Where steps are narrow it is the highest of those that the curve joins.
std::string DescribeCompared(const TimelinePlot& plot, const PlotColumn& column, std::string_view other,
                             ByteUnit unit);

}  // namespace tidemark::presenters
