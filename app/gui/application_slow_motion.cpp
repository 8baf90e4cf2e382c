// Slow motion: a step is walked while the run is held, with the panels that belong to it around.
#include <algorithm>

#include "app/gui/application.h"

namespace tidemark::gui {
namespace {

// The first step creates what later ones find.
constexpr int64_t kStepsBeforeWalk = 2;

// But for what a person chose meanwhile: the walk itself neither follows nor shows all.
void GiveBack(const ShownTimeline& before, TimelineState& timeline) {
  if (timeline.follow || timeline.whole) return;
  timeline.follow = before.follow;
  timeline.whole = before.whole;
  if (timeline.axis == before.axis) timeline.visible = before.visible;
}

}  // namespace

void Application::BeginSlowMotion() {
  state_.slow_motion = {.active = true,
                        .held = false,
                        .goes_on = input_.live && input_.status.state == session::RunState::kRunning,
                        .timeline = state_.timeline,
                        .pinned = state_.pinned,
                        .stop = 0,
                        .shown = {},
                        .cpp = state_.slow_motion.cpp};
  shell_.raise_panel = shell_.passing_panel = "slow_motion";
  if (!state_.learning) arrangement_.Borrow(Layout::kWalk, state_);  // there it has its place
  const bool has_steps = input_.view != nullptr && !input_.view->steps().empty();
  if (starts_.is_wanted()) return;
  if (!shown_ || (!has_steps && !GoesOn(input_))) return StartRun();
  const bool waits =
      input_.status.state == session::RunState::kPaused && input_.status.steps_done < kStepsBeforeWalk;
  if (input_.live && waits) shown_->SetMode(transport::RunMode::kRun);
}

void Application::EndSlowMotion() {
  if (!state_.slow_motion.active) return;
  state_.slow_motion.active = false;
  state_.pinned = state_.slow_motion.pinned;
  ShownTimeline begun;
  begun.follow = GoesOn(input_);
  begun.whole = !input_.live;
  GiveBack(state_.slow_motion.timeline.value_or(begun), state_.timeline);
  const bool is_held = state_.slow_motion.held && input_.status.state == session::RunState::kPaused;
  if (is_held && state_.slow_motion.goes_on && input_.live) shown_->SetMode(transport::RunMode::kRun);
  if (!state_.learning) arrangement_.GiveBack(state_);
  // What else comes to the front in this frame stays there.
  const bool is_free = shell_.raise_panel.empty() || shell_.raise_panel == "slow_motion";
  if (state_.learning && is_free) shell_.raise_panel = PanelBehind("slow_motion", shell_);
}

// Slow motion ends with the panels that are lent for it.
void Application::TakeLayout(Layout layout) {
  EndSlowMotion();
  arrangement_.Take(layout, state_);
}

void Application::ReturnToLayoutBefore() {
  const bool is_lent_for_walk = state_.slow_motion.active && state_.own && !state_.learning;
  EndSlowMotion();
  if (!is_lent_for_walk) arrangement_.Return(state_);
}

void Application::HoldForSlowMotion() {
  SlowMotionState& slow = state_.slow_motion;
  const bool runs = input_.live && input_.status.state == session::RunState::kRunning;
  if (!slow.active || slow.held || !runs || input_.status.steps_done < kStepsBeforeWalk) return;
  slow.held = shown_->SetMode(transport::RunMode::kPause);
}

bool Application::ExecuteSlowMotionAction(ActionId action) {
  const bool is_active = state_.slow_motion.active;
  switch (action) {
    case ActionId::kSlowMotion:
      is_active ? EndSlowMotion() : BeginSlowMotion();
      return true;
    case ActionId::kUnpin:
      EndSlowMotion();
      return is_active;
    case ActionId::kRunOrPause:
      if (is_active) Walk(ActionId::kNextOperator);
      return is_active;
    case ActionId::kNextOperator:
    case ActionId::kPreviousOperator:
    case ActionId::kFirstOperator:
    case ActionId::kLastOperator:
      if (is_active) Walk(action);
      return true;
    default:
      return false;
  }
}

void Application::Walk(ActionId to) {
  const size_t stops =
      frame_ == nullptr || frame_->slow_motion.walk == nullptr ? 0 : frame_->slow_motion.walk->stops.size();
  if (stops == 0) return;
  size_t& stop = state_.slow_motion.stop;
  if (to == ActionId::kNextOperator) stop = std::min(stop + 1, stops - 1);
  if (to == ActionId::kPreviousOperator && stop > 0) --stop;
  if (to == ActionId::kFirstOperator) stop = 0;
  if (to == ActionId::kLastOperator) stop = stops - 1;
}

}  // namespace tidemark::gui
