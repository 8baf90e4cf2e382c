#include "app/gui/view/view_history.h"

#include <utility>

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;

constexpr size_t kMostMoments = 200;
constexpr auto kRest = 400ms;  // after which a change is over

}  // namespace

ViewMoment MomentOf(const ViewState& state) {
  return {state.timeline,    state.memory_map, state.live_tree,
          state.allocations, state.selection,  state.pinned};
}

void GoTo(const ViewMoment& moment, ViewState* state) {
  static_cast<ShownTimeline&>(state->timeline) = moment.timeline;
  state->memory_map = moment.memory_map;
  static_cast<ShownTree&>(state->live_tree) = moment.live_tree;
  static_cast<ListedAllocations&>(state->allocations) = moment.allocations;
  state->selection = moment.selection;
  state->pinned = moment.pinned;
}

bool SameView(const ViewMoment& a, const ViewMoment& b) {
  ViewMoment other = b;
  if (a.timeline.follow || a.timeline.whole) other.timeline.visible = a.timeline.visible;
  return a == other;
}

void ViewHistory::Clear() { *this = {}; }

void ViewHistory::Settle(const ViewMoment& moment) {
  if (settled_ && !SameView(*settled_, moment)) {
    back_.push_back(std::move(*settled_));
    if (back_.size() > kMostMoments) back_.erase(back_.begin());
    forward_.clear();
  }
  settled_ = moment;
  moving_.reset();
  under_way_ = false;
}

void ViewHistory::Look(const ViewMoment& moment, Clock::time_point now, bool busy) {
  if (!settled_ || SameView(*settled_, moment)) {
    settled_ = moment;
    moving_.reset();
    under_way_ = false;
    return;
  }
  under_way_ = true;
  if (!moving_ || !SameView(*moving_, moment)) moved_ = now;
  moving_ = moment;
  if (!busy && now - moved_ >= kRest) Settle(moment);
}

std::optional<ViewMoment> ViewHistory::Back(const ViewMoment& now) {
  Settle(now);
  if (back_.empty()) return std::nullopt;
  forward_.push_back(std::move(*settled_));
  settled_ = std::move(back_.back());
  back_.pop_back();
  return settled_;
}

std::optional<ViewMoment> ViewHistory::Forward(const ViewMoment& now) {
  Settle(now);  // something else was looked at since: there is nothing to go forward to
  if (forward_.empty()) return std::nullopt;
  back_.push_back(std::move(*settled_));
  settled_ = std::move(forward_.back());
  forward_.pop_back();
  return settled_;
}

}  // namespace tidemark::gui
