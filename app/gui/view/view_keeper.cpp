#include "app/gui/view/view_keeper.h"

#include <utility>

namespace tidemark::gui {

Result<ViewState> ViewKeeper::Load() {
  Result<ViewState> state = keeps() ? LoadViewState(file_) : ViewState{};
  if (!state) file_.clear();
  return state;
}

Status ViewKeeper::Keep(const ViewState& state) {
  if (!keeps() || state.slow_motion.active) return Done{};
  std::string now = ToJson(state);
  if (now == kept_) return Done{};
  kept_ = std::move(now);
  return SaveViewState(state, file_);
}

}  // namespace tidemark::gui
