#include "app/gui/scene/cursors.h"

#include <algorithm>

namespace tidemark::gui {

std::optional<std::pair<timeline::EventIndex, timeline::EventIndex>> EventsUnderCursors(
    const timeline::View& view, const ViewState& state) {
  if (!state.timeline.measure) return std::nullopt;
  const auto at = [&](double position) {
    return std::clamp(presenters::IndexAtPosition(view, state.timeline.axis, position), view.first(),
                      view.end() - 1);
  };
  return std::minmax({at(state.timeline.measure->begin), at(state.timeline.measure->end)});
}

}  // namespace tidemark::gui
