// The ranks of a distributed run on top of each other, over the axis of the one that is shown: at each column
// every rank's highest at the same place, which is the same share of the step of the same number. The shown
// rank's own band is exact; the others' are as fine as their curves (session/ranks.h), and what they sum to
// need not have been at one instant. Pure, one thread. Bytes. O(ranks · (columns + parts of their curves)).
#pragma once

#include <optional>

#include "app/presenters/plot/timeline_plot.h"
#include "profiler/base/progress.h"
#include "profiler/session/ranks.h"

namespace tidemark::presenters {

// Fills the groups of a plot's columns: a rank each, from the bottom in their order; where there are more
// than colours, the largest and the shown one, and the last group is all others. `shown_rank` is an index
// into `ranks`. `progress` is told 0..1; false from it means that nobody waits any more, and from this that
// the plot is of no use.
bool AddRankGroups(const timeline::View& shown, TimeAxis axis, const session::Ranks& ranks,
                   std::optional<size_t> shown_rank, TimelinePlot& plot, const Progress& progress = {});

}  // namespace tidemark::presenters
