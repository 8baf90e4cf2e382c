#include "app/gui/scene/slow_motion_scene.h"

#include <algorithm>
#include <utility>

#include "app/presenters/run/program_facts.h"
#include "profiler/timeline/steps.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;

constexpr const char* kNoStep = "No step is complete in what is shown, so there is none to walk through.";
constexpr const char* kNoOperators =
    "This run tells of no operators, so there is nothing to walk through. Tidemark's own training runs do, "
    "and programs on the phantom.";

// The one that a person looks at; else the latest that is complete, and none yet of a live run whose only one
// is the first, which is unlike the others.
const timeline::Step* StepToWalk(const timeline::View& view, std::optional<events::EventIndex> pinned,
                                 bool live) {
  if (pinned) {
    const timeline::Step* step = timeline::StepAt(view, *pinned);
    if (step != nullptr && step->complete) return step;
  }
  const timeline::Step* last = timeline::LastCompleteStep(view);
  return last == nullptr || (live && last->number == 0) ? nullptr : last;
}

// Where the walk to it takes long.
constexpr const char* kLooking = "Looking at the step…";

}  // namespace

// Null while it is looked into.
const presenters::StepWalk* SlowMotionScene::WalkOf(const WalkAsked& asked, Frame& frame) {
  const timeline::Step* step = timeline::StepAt(*asked.view, asked.begin);
  walks_.Ask(asked, FitsInFrame({0, step->end - step->begin}), [](const WalkAsked& of, const auto& progress) {
    return presenters::WalkStep(*of.view, *timeline::StepAt(*of.view, of.begin), progress);
  });
  if (const auto line = walks_.Line("Looking at the operators of a step", 300ms)) frame.jobs.push_back(*line);
  return walks_.question() == asked ? walks_.answer() : nullptr;
}

// What has ended tells all that it ever will; what goes on may tell more.
void SlowMotionScene::LookForOperators(const SceneInput& input, const ViewState& state, Frame& frame) {
  const auto& view = input.view;
  if (view == nullptr || view->empty() || GoesOn(input) || input.starting) return why_no_walk_.clear();
  if (looked_for_operators_ == view) return;
  why_no_walk_.clear();
  const timeline::Step* step = StepToWalk(*view, state.pinned, false);
  if (IsOfOurs(input) && view->steps().empty()) return;  // it is started anew
  const presenters::StepWalk* const walk = step == nullptr ? nullptr : WalkOf({view, step->begin}, frame);
  if (step != nullptr && walk == nullptr) return;
  why_no_walk_ = step == nullptr ? kNoStep : walk->stops.empty() ? kNoOperators : "";
  looked_for_operators_ = view;
  walks_ = Lookup<WalkAsked, presenters::StepWalk>();  // it may be large
}

void SlowMotionScene::BeginWalk(const SceneInput& input, ViewState& state, Frame& frame) {
  const auto& view = input.view;
  if (!walk_asked_ || walk_asked_->begin < view->first()) {
    const timeline::Step* to_walk = StepToWalk(*view, state.pinned, input.live);
    if (to_walk == nullptr) return;
    walk_asked_ = {view, to_walk->begin};
    walks_ = Lookup<WalkAsked, presenters::StepWalk>();  // also where somebody has cancelled it
  }
  const presenters::StepWalk* const walk = WalkOf(*walk_asked_, frame);
  if (walk == nullptr) return;
  walk_ = *walk;
  walks_ = Lookup<WalkAsked, presenters::StepWalk>();
  tells_lines_ = std::ranges::any_of(walk_->stops, [&view](const presenters::OperatorStop& stop) {
    return !presenters::StackOf(*view, stop).empty();
  });
  code_.clear();
  changes_stop_.reset();
  TimelineState& timeline = state.timeline;
  timeline.follow = false;
  timeline.whole = false;
  timeline.visible = {presenters::PositionOf(*view, timeline.axis, walk_->begin),
                      presenters::PositionOf(*view, timeline.axis, walk_->end - 1)};
  const std::string* told = timeline::SettingsOf(*view, *timeline::StepAt(*view, walk_->begin));
  if (told == nullptr) return;
  const auto settings = networks::SettingsFromJson(*told);
  if (!settings) return;
  const networks::Network* const network = networks::NetworkNamed(*input.networks, settings->network);
  if (network != nullptr) code_ = lessons::CodeOfStep(*network, *settings);
}

void SlowMotionScene::Prepare(const SceneInput& input, ViewState& state, Frame& frame) {
  walks_.BeginFrame();
  const auto& view = input.view;
  SlowMotionState& slow = state.slow_motion;
  SlowMotionInput& panel = frame.slow_motion;
  panel = {};
  panel.unit = state.unit;
  panel.active = slow.active;
  if (!slow.active) LookForOperators(input, state, frame);
  panel.can_begin = !slow.active && why_no_walk_.empty();
  panel.empty_reason = why_no_walk_;
  if (!slow.active) {
    walk_.reset();
    walk_asked_.reset();
    return;
  }
  panel.empty_reason = "Slow motion begins when a step is complete.";
  if (view == nullptr || view->empty()) return;
  if (!walk_ || walk_->begin < view->first()) BeginWalk(input, state, frame);
  if (!walk_ && walks_.pending()) panel.empty_reason = kLooking;
  if (!walk_) return;
  panel.empty_reason = kNoOperators;
  if (walk_->stops.empty()) return;
  // A moment that somebody pinned elsewhere is gone to.
  if (state.pinned && state.pinned != slow.shown) slow.stop = presenters::StopAt(*walk_, *state.pinned);
  slow.stop = std::min(slow.stop, walk_->stops.size() - 1);
  const presenters::OperatorStop& stop = walk_->stops[slow.stop];
  state.pinned = slow.shown = stop.highest;
  if (changes_stop_ != slow.stop) {
    changes_ = presenters::ChangesAt(*view, *walk_, slow.stop);
    place_ = lessons::PlaceInCode(code_, {stop.phase, stop.recompute, stop.micro_batch >= 0,
                                          view->name(stop.layer), view->name(stop.op)});
    stack_ = code_.empty() ? presenters::StackOf(*view, stop) : "";
    changes_stop_ = slow.stop;
  }
  panel.view = view.get();
  panel.walk = &*walk_;
  panel.stop = slow.stop;
  panel.changes = &changes_;
  panel.code = &code_;
  panel.place = &place_;
  panel.stack = stack_;
  panel.tells_lines = tells_lines_;
}

}  // namespace tidemark::gui
