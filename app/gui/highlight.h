// Where the block under the mouse lies in the stack, column by column over its life. Pure functions.
#pragma once

#include <vector>

#include "app/gui/panels/timeline.h"
#include "app/presenters/timeline_plot.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::gui {

// The stack puts categories in their order and blocks of one category by birth; so a block lies above the
// categories before its own and above those older blocks of its category that are still alive. O(columns +
// older blocks). `seen`: at a moment of the block's life.
std::vector<HighlightSpan> HighlightOf(const timeline::View& view, const presenters::TimelinePlot& plot,
                                       const presenters::BlockDescription& block,
                                       const timeline::State& seen);

}  // namespace tidemark::gui
