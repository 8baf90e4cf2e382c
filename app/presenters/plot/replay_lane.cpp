#include "app/presenters/plot/replay_lane.h"

#include <algorithm>
#include <cmath>

#include "profiler/events/cuda_graphs.h"

namespace tidemark::presenters {

using events::EventIndex;

namespace {

// So that what the widths of two sights differ by in their last digits makes no other stretches.
double Rounded(double width) {
  constexpr int kSteps = 64;  // to the double of it
  const double step = std::exp2(std::floor(std::log2(width))) / kSteps;
  return std::round(width / step) * step;
}

template <typename Replay>
int64_t GraphOf(const timeline::View& view, Replay first, Replay end) {
  constexpr std::ptrdiff_t kMostLookedAt = 64;
  if (end - first > kMostLookedAt) return 0;
  const auto graph_of = [&](EventIndex index) {
    return events::GraphOfReplay(view.name(view.event(index).op));
  };
  const int64_t graph = graph_of(*first);
  return std::all_of(first + 1, end, [&](EventIndex index) { return graph_of(index) == graph; }) ? graph : 0;
}

}  // namespace

std::vector<PlotReplays> ReplaysInSight(const timeline::View& view, const TimelinePlotRequest& request,
                                        double pixels) {
  const timeline::Sequence<EventIndex>& replays = view.graph_replays();
  const VisibleRange& visible = request.visible;
  std::vector<PlotReplays> told;
  if (replays.empty() || request.columns <= 0 || visible.end <= visible.begin) return told;
  const double apart = Rounded(pixels * (visible.end - visible.begin) / request.columns);
  const auto position = [&](EventIndex index) { return PositionOf(view, request.axis, index); };
  const auto from = [&](double at) { return std::ranges::lower_bound(replays, at, {}, position); };
  for (auto replay = from(std::floor(visible.begin / apart) * apart); replay != replays.end();) {
    const double begin = position(*replay);
    if (begin >= visible.end) break;
    auto next = from((std::floor(begin / apart) + 1) * apart);
    if (next == replay) ++next;  // where the axis ends within a pixel
    const double end = position(*(next - 1));
    if (end >= visible.begin)
      told.push_back({begin, end, next - replay, replay - replays.begin() + 1, GraphOf(view, replay, next)});
    replay = next;
  }
  return told;
}

}  // namespace tidemark::presenters
