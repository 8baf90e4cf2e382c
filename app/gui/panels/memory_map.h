// The device's memory at one moment: every segment that PyTorch reserved, and the blocks in it.
#pragma once

#include <string>

#include "app/gui/commands.h"
#include "profiler/base/format.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::gui {

struct MemoryMapInput {
  const timeline::View* view = nullptr;    // for names
  const timeline::State* state = nullptr;  // at the moment shown; none = nothing to show yet
  timeline::EventIndex first = 0;          // what the scrubber runs over: what the timeline shows
  timeline::EventIndex last = 0;
  bool pinned = false;                     // by the person; else it is the latest peak
  ByteUnit unit = ByteUnit::kMegabytes;
  std::string empty_reason;
};
struct MemoryMapState {};

void DrawMemoryMapPanel(const MemoryMapInput& input, MemoryMapState& state, CommandQueue& queue);

// What the map says in figures. Pure; O(segments + blocks · log blocks).
struct MapFigures {
  int64_t reserved_bytes = 0;
  int64_t allocated_bytes = 0;      // in segments
  int64_t largest_free_bytes = 0;   // between two blocks of one segment
  double free_share = 0;            // of what is reserved
  double rounding_share = 0;        // of what is allocated: lost to rounding up
};
MapFigures FiguresOf(const timeline::State& state);

}  // namespace tidemark::gui
