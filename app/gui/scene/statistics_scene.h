// Figures of what is in sight, or between the cursors. UI thread only.
#pragma once

#include <memory>
#include <optional>

#include "app/gui/background/lookup.h"
#include "app/gui/background/throttle.h"
#include "app/gui/view/frame.h"
#include "app/gui/view/view_history.h"
#include "app/gui/view/view_state.h"

namespace tidemark::gui {

// The stretch of the run that statistics are of.
struct StatisticsAsked {
  std::shared_ptr<const timeline::View> view;
  timeline::EventIndex first = 0;
  timeline::EventIndex end = 0;
  bool between_cursors = false;

  bool operator==(const StatisticsAsked&) const = default;
};

class StatisticsScene {
 public:
  void BeginFrame(const ViewState& state, Frame& frame);
  void Prepare(const std::shared_ptr<const timeline::View>& view, ViewState& state, Frame& frame);
  bool pending() const { return statistics_.pending() || throttle_.due(); }

 private:
  Lookup<StatisticsAsked, presenters::RangeStatistics> statistics_;
  StatisticsAsked statistics_asked_;
  Throttle throttle_;
  std::optional<ViewMoment> statistics_cancelled_in_;
};

}  // namespace tidemark::gui
