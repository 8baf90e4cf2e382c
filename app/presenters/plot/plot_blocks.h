// The single allocations in the stack of the timeline, where it is zoomed in so far that every event is a
// column. Pure. O(events in sight · blocks that are drawn).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/presenters/plot/timeline_plot.h"

namespace tidemark::presenters {

// Where a block lies while it lies there: it moves when an older one below it goes.
struct PlotBlock {
  double begin = 0;
  double end = 0;
  int64_t bottom_bytes = 0;
  int64_t top_bytes = 0;
  events::Category category = events::Category::kUnknown;
  bool born = false;             // its life begins where this begins
  bool gone = false;             // its life ends where this ends
  events::EventIndex index = 0;  // of the block's kAllocate
  std::string title;             // "" where the request leaves no room for it
};

struct PlotBlocksRequest {
  int64_t smallest_bytes = 0;   // smaller ones lie in the stack, but are not listed
  int64_t tolerance_bytes = 0;  // a block that moves by no more stays where it is
  double title_span = 0;        // positions that a title needs
};

// Stacked as the plot is: categories in their order, blocks of one category by birth. Empty where a column of
// `plot` holds more than one event, or where that were more than kMostBlockMoves to follow.
inline constexpr size_t kMostBlockMoves = 2'000'000;  // events · blocks: some 5 ms
inline constexpr size_t kMovesOfFinding = 20;         // to find a block that is alive takes as long
std::vector<PlotBlock> BlocksInSight(const timeline::View& view, const TimelinePlot& plot,
                                     const PlotBlocksRequest& request);

}  // namespace tidemark::presenters
