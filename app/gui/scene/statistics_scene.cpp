#include "app/gui/scene/statistics_scene.h"

#include <algorithm>
#include <utility>

#include "app/gui/scene/cursors.h"
#include "app/presenters/moment/untold_blocks.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;

}  // namespace

void StatisticsScene::BeginFrame(const ViewState& state, Frame& frame) {
  statistics_.BeginFrame();
  throttle_.BeginFrame();
  frame.statistics = {};
  frame.statistics.unit = state.unit;
}

// Between the cursors as MeasureBetween counts: what follows the event under the first, up to that under the
// second.
void StatisticsScene::Prepare(const std::shared_ptr<const timeline::View>& view, ViewState& state,
                              Frame& frame) {
  if (!std::exchange(state.statistics.drawn, false)) return;
  StatisticsAsked asked{view, frame.memory_map.first, frame.memory_map.last + 1, false};
  if (const auto cursors = EventsUnderCursors(*view, state))
    asked = {view, cursors->first + 1, cursors->second + 1, true};
  // What was cancelled stays so until the person looks elsewhere, however the run grows.
  if (statistics_cancelled_in_ && !SameView(*statistics_cancelled_in_, MomentOf(state)))
    statistics_cancelled_in_.reset();
  if (statistics_.cancelled() && !statistics_cancelled_in_) statistics_cancelled_in_ = MomentOf(state);
  // What a person does shows at once. A run that grows is counted anew for a fifth of the time at most.
  const bool by_hand = statistics_asked_.view == nullptr || statistics_asked_.view == view;
  const auto rest = std::max<Throttle::Clock::duration>(100ms, 5 * statistics_.took());
  if (throttle_.Takes(asked != statistics_asked_ && !statistics_cancelled_in_, by_hand, rest))
    statistics_asked_ = asked;
  constexpr uint64_t kEffortOfEvent = 3;  // 70 to 85 ns by bench_timeline_plot
  const bool fits = FitsInFrame({0, kEffortOfEvent * (statistics_asked_.end - statistics_asked_.first)});
  statistics_.Ask(statistics_asked_, fits, [](const StatisticsAsked& wanted, const auto& progress) {
    return presenters::MakeRangeStatistics(*wanted.view, wanted.first, wanted.end, progress);
  });
  if (const auto line = statistics_.Line("Counting what came and went", 300ms)) frame.jobs.push_back(*line);
  if (statistics_.answer() == nullptr) {
    frame.statistics.empty_reason = statistics_.cancelled()
                                        ? "Cancelled. Zoom or move, and what is in sight then is counted."
                                        : "Counting what came and went…";
    return;
  }
  frame.statistics.empty_reason = presenters::WhyUntold(*statistics_.question()->view);
  if (!frame.statistics.empty_reason.empty()) return;
  frame.statistics.view = statistics_.question()->view.get();
  frame.statistics.statistics = statistics_.answer();
  frame.statistics.between_cursors = statistics_.question()->between_cursors;
}

}  // namespace tidemark::gui
