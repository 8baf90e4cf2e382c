// Where a block lies in the stack, column by column over its life. Pure functions.
#pragma once

#include <vector>

#include "app/gui/panels/timeline/timeline.h"
#include "app/presenters/plot/stacked_moment.h"
#include "app/presenters/plot/timeline_plot.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::gui {

// A block of the run and what lies below it in its category, as it is known once it has been looked into.
struct BlockInStack {
  timeline::LiveBlock block;
  timeline::EventIndex end = 0;  // when it stops counting, or as far as the view goes
  presenters::OlderBlocks older;
};

// As it is known at a moment of its life.
BlockInStack LookIntoStack(const timeline::View& view, const presenters::StackedMoment& seen,
                           const timeline::LiveBlock& block);

// The stack puts categories in their order and blocks of one category by birth; so a block lies above the
// categories before its own and above those older blocks of its category that are still alive. O(columns ·
// log live).
std::vector<HighlightSpan> HighlightOf(const presenters::TimelinePlot& plot, const BlockInStack& placed);

}  // namespace tidemark::gui
