#include "profiler/timeline/graph_replays.h"

#include <algorithm>

#include "profiler/timeline/free_lists.h"

namespace tidemark::timeline {
namespace {

bool IsSame(const Step& a, const Step& b) {
  return a.begin == b.begin && a.end == b.end && a.complete == b.complete && a.begin_ns == b.begin_ns &&
         a.end_ns == b.end_ns;
}

}  // namespace

GraphReplays GraphReplaysIn(const View& view) { return GraphReplayCount().Of(view); }

// What a step was told as may change until it is known where the next begins.
bool GraphReplayCount::HasCounted(const Sequence<Step>& steps) const {
  return counted_ == 0 ||
         (counted_ <= steps.size() && IsSame(steps[0], oldest_) && IsSame(steps[counted_ - 1], latest_));
}

const GraphReplays& GraphReplayCount::Of(const View& view) {
  const Sequence<EventIndex>& replays = view.graph_replays();
  const Sequence<Step>& steps = view.steps();
  if (!HasCounted(steps)) *this = {};
  told_.in_all = static_cast<int64_t>(replays.size());
  for (; counted_ < steps.size(); ++counted_) {
    const Step& step = steps[counted_];
    const bool is_under_way = !step.complete && counted_ + 1 == steps.size();
    if (is_under_way) break;
    if (counted_ == 0) oldest_ = step;
    latest_ = step;
    if (!step.complete) continue;
    const auto begin = std::ranges::lower_bound(replays, since_.value_or(step.begin));
    const int64_t in_step = std::ranges::lower_bound(replays, step.end) - begin;
    since_ = step.end;
    ++told_.of_steps;
    told_.steps += in_step > 0 ? 1 : 0;
    told_.most_in_step = std::max(told_.most_in_step, in_step);
  }
  return told_;
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
