// What the advising panels draw: the curve over the batch, ways to checkpoint, what fits, findings, a
// program's sweep. UI thread only.
#pragma once

#include <cstdint>
#include <optional>

#include "app/gui/background/estimates.h"
#include "app/gui/scene/scene_input.h"
#include "app/gui/view/frame.h"
#include "app/gui/view/view_state.h"
#include "app/presenters/advice/batch_curve.h"

namespace tidemark::gui {

class AdviceScene {
 public:
  // `measured` = the run's latest peak; none where there is none.
  void Prepare(const SceneInput& input, ViewState& state, Estimates& estimates,
               const std::optional<presenters::MeasuredPeak>& measured, Frame& frame);

 private:
  void PrepareBatch(const SceneInput& input, ViewState& state, Estimates& estimates,
                    const std::optional<presenters::MeasuredPeak>& measured, Frame& frame);

  presenters::BatchCurve batch_curve_;
};

}  // namespace tidemark::gui
