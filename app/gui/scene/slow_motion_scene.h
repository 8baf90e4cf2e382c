// What slow motion draws, and the moment that all panels show with it. UI thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/background/lookup.h"
#include "app/gui/scene/scene_input.h"
#include "app/gui/view/frame.h"
#include "app/gui/view/view_state.h"

namespace tidemark::gui {

// The step that slow motion walks through, or would.
struct WalkAsked {
  std::shared_ptr<const timeline::View> view;
  timeline::EventIndex begin = 0;  // the step's

  bool operator==(const WalkAsked&) const = default;
};

class SlowMotionScene {
 public:
  void Prepare(const SceneInput& input, ViewState& state, Frame& frame);
  bool pending() const { return walks_.pending(); }

 private:
  const presenters::StepWalk* WalkOf(const WalkAsked& asked, Frame& frame);
  void LookForOperators(const SceneInput& input, const ViewState& state, Frame& frame);
  void BeginWalk(const SceneInput& input, ViewState& state, Frame& frame);

  Lookup<WalkAsked, presenters::StepWalk> walks_;
  std::optional<WalkAsked> walk_asked_;  // as soon as there is a step to walk through
  std::optional<presenters::StepWalk> walk_;
  std::shared_ptr<const timeline::View> looked_for_operators_;  // where it has ended: what is no more
  std::string why_no_walk_;                                     // "" = there is one, or may be
  std::vector<lessons::CodeLine> code_;                         // of the step that is walked
  lessons::CodePlace place_;
  std::vector<presenters::BlockChange> changes_;
  std::string stack_;                   // of a program
  bool tells_lines_ = false;            // of some operator of the step
  std::optional<size_t> changes_stop_;  // that the three above are of
};

}  // namespace tidemark::gui
