// The device's memory at one moment: every segment that PyTorch reserved, and the blocks in it.
#pragma once

#include <string>

#include "app/gui/commands/commands.h"
#include "app/gui/panels/map_drawing.h"
#include "app/presenters/moment/memory_map.h"
#include "profiler/base/format.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::gui {

struct MemoryMapInput {
  const timeline::View* view = nullptr;    // for names
  const timeline::State* state = nullptr;  // at the moment shown; none = nothing to show yet
  const presenters::MemoryMap* map = nullptr;
  MapDrawing* drawing = nullptr;   // of this map
  timeline::EventIndex first = 0;  // what the scrubber runs over: what the timeline shows
  timeline::EventIndex last = 0;
  std::string moment;  // "step 5 · event 1,234 · the peak"
  LitBlocks lit;       // by what is selected; none = nothing is
  BlockGroups groups;  // of the timeline's stack, whose colours blocks have; none = those of categories
  size_t group_count = 0;
  bool pinned = false;   // by the person
  std::string unpinned;  // what is shown where nothing is: "at the peak of step 5"
  int escapes = 0;       // that take away something else before the pin
  ByteUnit unit = ByteUnit::kMegabytes;
  std::string empty_reason;
};
// All of it is gone back to (view/view_history.h).
struct MemoryMapState {
  presenters::MapPart lit = presenters::MapPart::kNone;

  bool operator==(const MemoryMapState&) const = default;
};

void DrawMemoryMapPanel(const MemoryMapInput& input, MemoryMapState& state, CommandQueue& queue);

}  // namespace tidemark::gui
