// Another run on the axis of the one that is shown: aligned by step, within a step by phase where both know
// phases, and within those by how much of them is over. Where one of the two does not know them, as a
// snapshot, by the allocations that agree. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/presenters/stream_comparison.h"
#include "app/presenters/timeline_plot.h"

namespace tidemark::presenters {

// Whether one of the two knows no steps or no phases: then the allocations that agree in order
// (stream_comparison.h) tell what lies where. `same` below is of `shown` and `other`, or of these when they
// were shorter; it counts only there. Where none agree the two lie over each other step by step, else event
// by event from their beginnings. O(phases).
bool AlignByAllocations(const timeline::View& shown, const timeline::View& other);

// The event of `other` that lies where `index` lies in `shown`; nothing where the other has no such step, or
// ended before. O(log steps + phases of a step + log `same`); and O(phases) where there is no forward,
// O(steps) where the other has its steps in other places (step_numbers.h).
std::optional<events::EventIndex> SamePlace(const timeline::View& shown, events::EventIndex index,
                                            const timeline::View& other,
                                            std::span<const SameEvent> same = {});

// Adds the other's curve to a plot of `shown`, where steps are narrow the curve of their peaks. O(columns ·
// (log events + phases of a step + log `same`)).
void AddComparedRun(const timeline::View& shown, TimeAxis axis, const timeline::View& other,
                    std::span<const SameEvent> same, TimelinePlot& plot);

// What both have allocated under a column: "second.tide allocated 1,024 B here, this run 512 B: +512 B".
// Where steps are narrow it is the highest of those that the curve joins.
std::string DescribeCompared(const TimelinePlot& plot, const PlotColumn& column, std::string_view other,
                             ByteUnit unit);

}  // namespace tidemark::presenters
