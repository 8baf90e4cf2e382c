#include "app/presenters/plot/replay_lane.h"

#include <algorithm>

namespace tidemark::presenters {

using events::EventIndex;

std::vector<PlotReplays> ReplaysInSight(const timeline::View& view, const TimelinePlotRequest& request,
                                        double pixels) {
  const timeline::Sequence<EventIndex>& replays = view.graph_replays();
  std::vector<PlotReplays> told;
  if (replays.empty() || request.columns <= 0) return told;
  const double apart = pixels * (request.visible.end - request.visible.begin) / request.columns;
  const auto from = [&](double position) {
    return std::ranges::lower_bound(replays, position, {},
                                    [&](EventIndex index) { return PositionOf(view, request.axis, index); });
  };
  const auto last = from(request.visible.end);
  for (auto replay = from(request.visible.begin); replay != last;) {
    const double begin = PositionOf(view, request.axis, *replay);
    auto next = std::min(from(begin + apart), last);
    if (next == replay) ++next;  // where the axis ends within a pixel
    told.push_back(
        {begin, PositionOf(view, request.axis, *(next - 1)), next - replay, replay - replays.begin() + 1});
    replay = next;
  }
  return told;
}

}  // namespace tidemark::presenters
