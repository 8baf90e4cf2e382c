// From the run as it stands to what the panels draw: calls the presenters, only when something they depend on
// has changed, and within bounded time. Each part fills its share of the frame. UI thread only.
#pragma once

#include <memory>

#include "app/gui/scene/advice_scene.h"
#include "app/gui/scene/allocations_scene.h"
#include "app/gui/scene/comparison_scene.h"
#include "app/gui/scene/controls_scene.h"
#include "app/gui/scene/learning.h"
#include "app/gui/scene/moment_scene.h"
#include "app/gui/scene/slow_motion_scene.h"
#include "app/gui/scene/statistics_scene.h"
#include "app/gui/scene/tables_scene.h"
#include "app/gui/scene/timeline_scene.h"

namespace tidemark::gui {

class Scene {
 public:
  const Frame& Prepare(const SceneInput& input, ViewState& state, Estimates& estimates);
  // Sums that the plot needs are not complete, what was asked is being looked for, or what came too soon
  // after the last is due: another frame goes on.
  bool pending() const;

 private:
  void BeginFrame(const SceneInput& input, const ViewState& state);
  void TellWhyEmpty(const SceneInput& input);
  bool RanOutBeforeLayers(const SceneInput& input) const;
  void PrepareRun(const SceneInput& input, ViewState& state, Estimates& estimates);
  void PrepareLesson(const SceneInput& input, ViewState& state, Estimates& estimates);

  Frame frame_;
  bool awaited_prediction_ = false;  // in the frame before
  std::shared_ptr<const timeline::View> view_;
  TimelineScene timeline_;
  TablesScene tables_;
  MomentScene moment_;
  AllocationsScene allocations_;
  StatisticsScene statistics_;
  ComparisonScene comparison_;
  SlowMotionScene slow_motion_;
  ControlsScene controls_;
  AdviceScene advice_;
  MeasuredFigure measured_;  // that the open page of a lesson asks for
};

}  // namespace tidemark::gui
