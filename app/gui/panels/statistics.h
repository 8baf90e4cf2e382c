// What happened between the measuring cursors, or in what the timeline shows: how much came and went, what
// was the most, and how large requests were. A click on a size lists its allocations.
#pragma once

#include <string>

#include "app/gui/commands/commands.h"
#include "app/presenters/allocations/range_statistics.h"
#include "profiler/base/format.h"

namespace tidemark::gui {

struct StatisticsInput {
  const timeline::View* view = nullptr;                     // for names
  const presenters::RangeStatistics* statistics = nullptr;  // none = nothing to show yet
  bool between_cursors = false;                             // else of what is in sight
  ByteUnit unit = ByteUnit::kMegabytes;
  std::string empty_reason;
};

struct StatisticsState {
  bool by_bytes = false;  // the histogram's bars; else by how many there were
  bool drawn = false;     // in this frame: a hidden tab is not prepared
};

void DrawStatisticsPanel(const StatisticsInput& input, StatisticsState& state, CommandQueue& queue);

}  // namespace tidemark::gui
