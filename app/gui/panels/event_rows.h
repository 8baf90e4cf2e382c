// Every event of the run, or every one that fits a filter, in their order: only the rows in sight are ever
// looked at, of however many. It follows the moment that the map shows; a click, the arrows and the page keys
// move that. UI thread, inside a frame.
#pragma once

#include <cstdint>
#include <optional>

#include "app/gui/commands/commands.h"
#include "app/presenters/allocations/event_filter.h"
#include "profiler/base/format.h"

namespace tidemark::gui {

struct EventRowsState {
  events::EventIndex top = 0;                  // the first row in sight
  std::optional<events::EventIndex> followed;  // the moment that it was brought to last
  bool follows = true;
  float wheel_rows = 0;  // less than a row of the wheel's way, which a touchpad goes in small steps
};

struct EventRowsInput {
  const presenters::ListedEvents* listed = nullptr;  // not empty
  events::EventIndex shown = 0;                      // the moment that the map shows
  ByteUnit unit = ByteUnit::kMegabytes;
};

void DrawEventRows(const EventRowsInput& input, EventRowsState& state, CommandQueue& queue);

}  // namespace tidemark::gui
