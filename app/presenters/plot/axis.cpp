#include <algorithm>
#include <limits>

#include "app/presenters/plot/plot_columns.h"
#include "app/presenters/plot/timeline_plot.h"
#include "profiler/timeline/steps.h"

namespace tidemark::presenters {

using events::EventIndex;
using timeline::View;

namespace {

// Time stamps may lie anywhere, so their difference may not fit into 63 bits; it is never negative.
uint64_t Since(int64_t start_ns, int64_t time_ns) {
  return static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(start_ns);
}

}  // namespace

int64_t TimeAtPosition(const View& view, double position) {
  if (!(position > 0)) return view.start_ns();
  constexpr int64_t kLatest = std::numeric_limits<int64_t>::max();
  if (position >= static_cast<double>(Since(view.start_ns(), kLatest))) return kLatest;
  return static_cast<int64_t>(static_cast<uint64_t>(view.start_ns()) + static_cast<uint64_t>(position));
}

double PositionAtTime(const View& view, int64_t time_ns) {
  return static_cast<double>(Since(view.start_ns(), time_ns));
}

double PositionOf(const View& view, TimeAxis axis, EventIndex index) {
  if (view.empty()) return 0;
  if (axis == TimeAxis::kEvents) return static_cast<double>(index);
  return PositionAtTime(view, view.TimeOf(index));
}

EventIndex IndexAtPosition(const View& view, TimeAxis axis, double position) {
  if (view.empty()) return view.end();
  if (axis == TimeAxis::kEvents) {
    if (!(position > static_cast<double>(view.first()))) return view.first();
    return position >= static_cast<double>(view.end()) ? view.end() : static_cast<EventIndex>(position);
  }
  if (position >= WholeRange(view, axis).end) return view.end();
  const EventIndex after = view.IndexAt(TimeAtPosition(view, position) + 1);
  return std::max(after, view.first() + 1) - 1;
}

VisibleRange WholeRange(const View& view, TimeAxis axis) {
  if (view.empty()) return {};
  if (axis == TimeAxis::kEvents) return {static_cast<double>(view.first()), static_cast<double>(view.end())};
  int64_t end_ns = view.TimeOf(view.end());
  if (!view.device_work().empty()) end_ns = std::max(end_ns, view.device_work().back().latest_ns);
  return {PositionOf(view, axis, view.first()), PositionAtTime(view, end_ns) + 1};
}

VisibleRange LastSteps(const View& view, TimeAxis axis, int steps) {
  const VisibleRange whole = WholeRange(view, axis);
  const auto& all = view.steps();
  const size_t last = timeline::StepsUntilLastComplete(view);
  if (last == 0 || steps <= 0) return whole;
  const size_t first = last - std::min(last, static_cast<size_t>(steps));
  const double width =
      PositionOf(view, axis, all[last - 1].end) + 1 - PositionOf(view, axis, all[first].begin);
  return {std::max(whole.begin, whole.end - width), whole.end};
}

}  // namespace tidemark::presenters
