#include "profiler/timeline/graph_replays.h"

#include <algorithm>
#include <optional>

#include "profiler/timeline/free_lists.h"

namespace tidemark::timeline {

GraphReplays GraphReplaysIn(const View& view) {
  const Sequence<EventIndex>& replays = view.graph_replays();
  GraphReplays told{static_cast<int64_t>(replays.size())};
  std::optional<EventIndex> since;
  for (const Step& step : view.steps()) {
    if (!step.complete) continue;
    const auto begin = std::ranges::lower_bound(replays, since.value_or(step.begin));
    const int64_t in_step = std::ranges::lower_bound(replays, step.end) - begin;
    since = step.end;
    told.steps += in_step > 0 ? 1 : 0;
    told.most_in_step = std::max(told.most_in_step, in_step);
  }
  return told;
}

EventIndex MomentBetweenReplays(const View& view) {
  if (!view.graph_replays().empty()) return view.graph_replays().back();
  const EventIndex begin = view.PeakIn(Series::kReserved, view.first(), view.end()).index;
  const EventIndex end = EndWhileReserved(view, begin);
  EventIndex moment = end - 1;
  for (const Step& step : view.steps()) {
    if (step.complete && step.end >= begin && step.end < end) moment = step.end;
  }
  return moment;
}

}  // namespace tidemark::timeline
