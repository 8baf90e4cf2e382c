#include "app/gui/scene/cursors.h"

#include <algorithm>

namespace tidemark::gui {

std::optional<std::pair<timeline::EventIndex, timeline::EventIndex>> EventsUnderCursors(
    const timeline::View& view, const ViewState& state) {
  if (!state.timeline.cursors) return std::nullopt;
  const auto known = [&](timeline::EventIndex index) {
    return std::clamp(index, view.first(), view.end() - 1);
  };
  return std::minmax({known(state.timeline.cursors->first), known(state.timeline.cursors->second)});
}

}  // namespace tidemark::gui
