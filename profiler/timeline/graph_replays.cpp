#include "profiler/timeline/graph_replays.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "profiler/timeline/free_lists.h"

namespace tidemark::timeline {
namespace {

std::optional<events::NameId> NameOfReplay(const View& view) {
  for (const auto& [id, name] : view.names()) {
    if (name == events::kGraphReplay) return id;
  }
  return {};
}

std::vector<EventIndex> ReplaysIn(const View& view, EventIndex begin, EventIndex end) {
  const std::optional<events::NameId> replay = NameOfReplay(view);
  if (!replay) return {};
  std::vector<EventIndex> replays;
  for (EventIndex i = begin; i < end; ++i) {
    const events::Event event = view.event(i);
    if (event.kind == events::EventKind::kScopeBegin && event.op == *replay) replays.push_back(i);
  }
  return replays;
}

}  // namespace

GraphReplays GraphReplaysIn(const View& view) {
  const std::vector<EventIndex> replays = ReplaysIn(view, view.first(), view.end());
  GraphReplays told{static_cast<int64_t>(replays.size())};
  for (const Step& step : view.steps()) {
    if (!step.complete) continue;
    const auto begin = std::ranges::lower_bound(replays, step.begin);
    const int64_t in_step = std::ranges::lower_bound(replays, step.end) - begin;
    told.steps += in_step > 0 ? 1 : 0;
    told.most_in_step = std::max(told.most_in_step, in_step);
  }
  return told;
}

EventIndex MomentBetweenReplays(const View& view) {
  const EventIndex begin = view.PeakIn(Series::kReserved, view.first(), view.end()).index;
  const EventIndex end = EndWhileReserved(view, begin);
  const std::vector<EventIndex> replays = ReplaysIn(view, begin, end);
  if (!replays.empty()) return replays.back();
  EventIndex moment = end - 1;
  for (const Step& step : view.steps()) {
    if (step.complete && step.end >= begin && step.end < end) moment = step.end;
  }
  return moment;
}

}  // namespace tidemark::timeline
