// The two moments that a person measures between (a drag with Shift). Pure.
#pragma once

#include <optional>
#include <utility>

#include "app/gui/view/view_state.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::gui {

// The events under the cursors, the earlier one first; none without cursors. `view` has events.
std::optional<std::pair<timeline::EventIndex, timeline::EventIndex>> EventsUnderCursors(
    const timeline::View& view, const ViewState& state);

}  // namespace tidemark::gui
