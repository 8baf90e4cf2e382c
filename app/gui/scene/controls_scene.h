// What the controls of the run say: consequences of each choice, what is captured, what a program is. UI
// thread only.
#pragma once

#include <cstdint>

#include "app/gui/background/estimates.h"
#include "app/gui/scene/scene_input.h"
#include "app/gui/view/frame.h"
#include "app/gui/view/view_state.h"
#include "app/presenters/advice/consequences.h"
#include "app/presenters/run/captured.h"

namespace tidemark::gui {

class ControlsScene {
 public:
  void Prepare(const SceneInput& input, const ViewState& state, Estimates& estimates, Frame& frame);
  // As of the last Prepare.
  const presenters::Captured& captured() const { return captured_; }
  // What is captured of this is not all counted yet.
  bool IsBehind(const timeline::View& view) const { return captured_.IsBehind(view); }

 private:
  presenters::ConsequenceQuestion QuestionOf(const SceneInput& input, const ViewState& state);
  void PrepareConsequences(const presenters::ConsequenceQuestion& question, Estimates& estimates);
  void CountSkippedSteps(const timeline::View& view);

  presenters::Consequences consequences_;  // and what they were made from
  presenters::ConsequenceQuestion consequences_asked_;
  uint64_t consequences_estimates_ = 0;
  bool consequences_known_ = false;  // nothing in them waits for a prediction

  presenters::Captured captured_;
  timeline::EventIndex steps_counted_to_ = 0;
  int64_t skipped_steps_ = 0;
};

}  // namespace tidemark::gui
