#include "app/gui/ranked_plot.h"

#include <atomic>
#include <utility>

#include "app/presenters/rank_stack.h"
#include "profiler/base/check.h"

namespace tidemark::gui {

struct RankedPlot::Making {
  Order order;
  std::atomic<bool> done = false;  // the thread touches the order no more
};

void RankedPlot::Begin(Order order) {
  TIDEMARK_CHECK(!busy());
  making_ = std::make_shared<Making>();
  making_->order = std::move(order);
  thread_ = std::jthread([making = making_](const std::stop_token& stop) {
    Order& made = making->order;
    presenters::AddRankGroups(*made.view, made.axis, *made.ranks, made.shown_rank, made.plot, stop);
    making->done = true;
  });
}

std::optional<presenters::TimelinePlot> RankedPlot::Take() {
  if (!busy() || !making_->done) return std::nullopt;
  std::optional<presenters::TimelinePlot> plot = std::move(making_->order.plot);
  making_.reset();
  return plot;
}

}  // namespace tidemark::gui
