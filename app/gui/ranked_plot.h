// A plot with ranks stacked on it, made beside the window: a thousand ranks take longer than a frame. UI
// thread only; what works on it is a thread of its own, which ends with this.
#pragma once

#include <memory>
#include <optional>
#include <thread>

#include "app/presenters/timeline_plot.h"
#include "profiler/session/ranks.h"

namespace tidemark::gui {

class RankedPlot {
 public:
  struct Order {
    std::shared_ptr<const timeline::View> view;  // of the rank that is shown
    presenters::TimeAxis axis = presenters::TimeAxis::kEvents;
    std::shared_ptr<const session::Ranks> ranks;
    std::optional<size_t> shown_rank;
    presenters::TimelinePlot plot;  // without groups
  };

  bool busy() const { return making_ != nullptr; }
  void Begin(Order order);  // not while it is busy
  // Once it is made, and then no longer.
  std::optional<presenters::TimelinePlot> Take();

 private:
  struct Making;
  std::shared_ptr<Making> making_;
  std::jthread thread_;
};

}  // namespace tidemark::gui
