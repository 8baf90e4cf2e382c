#include "app/gui/view/view_keeper.h"

#include <utility>

namespace tidemark::gui {

Status ViewKeeper::Keep(const ViewState& state) {
  if (!keeps() || state.slow_motion.active) return Done{};
  std::string now = ToJson(state);
  if (now == kept_) return Done{};
  kept_ = std::move(now);
  return SaveViewState(state, file_);
}

}  // namespace tidemark::gui
