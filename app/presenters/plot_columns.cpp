#include "app/presenters/plot_columns.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tidemark::presenters {
namespace {

using events::EventIndex;
using timeline::View;

// Columns of at least this many events end where the store's leaves do: all their values are there
// ready-made.
constexpr uint64_t kLeafEvents = 64;

// What a person may have zoomed to is any number; an index is not.
EventIndex ClampedIndex(const View& view, double position) {
  if (!(position > static_cast<double>(view.first()))) return view.first();
  if (position >= static_cast<double>(view.end())) return view.end();
  return static_cast<EventIndex>(position);
}

uint64_t EventsPerColumn(double visible_events, int columns) {
  constexpr double kMost = 1e15;  // more than a view holds
  const double exact = std::min(visible_events / columns, kMost);
  if (exact <= 1) return 1;
  const auto width = static_cast<uint64_t>(std::ceil(exact));
  const uint64_t unit = exact >= 4 * kLeafEvents ? std::max(kLeafEvents, std::bit_floor(width / 8))
                                                 : std::bit_floor(std::max<uint64_t>(width / 8, 1));
  return (width + unit - 1) / unit * unit;
}

PlotColumn ColumnFrom(const View::Column& column, double begin, double end) {
  return {begin, end, column.peak.values, column.allocated_min, column.reserved_max, column.peak.index};
}

std::vector<View::Column> Ask(const View& view, const std::vector<EventIndex>& edges) {
  std::vector<View::Column> answers(edges.empty() ? 0 : edges.size() - 1);
  view.Columns(edges, answers);
  return answers;
}

PlotColumns CutByEvents(const View& view, const TimelinePlotRequest& request) {
  PlotColumns cut;
  cut.first = ClampedIndex(view, request.visible.begin);
  cut.end = ClampedIndex(view, std::ceil(request.visible.end));
  if (cut.first >= cut.end) return cut;
  const uint64_t width = EventsPerColumn(request.visible.end - request.visible.begin, request.columns);
  cut.width = static_cast<double>(width);
  std::vector<EventIndex> edges;
  for (EventIndex edge = cut.first / width * width; edge < cut.end; edge += width)
    edges.push_back(std::max(edge, view.first()));
  edges.push_back(std::min(edges.back() + width - edges.back() % width, view.end()));
  cut.first = edges.front();
  cut.end = edges.back();
  const std::vector<View::Column> answers = Ask(view, edges);
  for (size_t k = 0; k < answers.size(); ++k) {
    cut.columns.push_back(
        ColumnFrom(answers[k], static_cast<double>(edges[k]), static_cast<double>(edges[k + 1])));
  }
  return cut;
}

// Edges of columns on the axis of time, and the first event of each.
struct TimeEdges {
  std::vector<double> positions;
  std::vector<EventIndex> events;
};

// One column per moment at which something happened, from that moment to the next.
TimeEdges EdgesOfMoments(const View& view, const TimelinePlotRequest& request, EventIndex first,
                         EventIndex end) {
  TimeEdges edges;
  for (EventIndex index = first; index < end; ++index) {
    const double position = PositionOf(view, TimeAxis::kWallClock, index);
    if (!edges.positions.empty() && position <= edges.positions.back()) continue;
    edges.positions.push_back(position);
    edges.events.push_back(index);
  }
  const double last = end < view.end()
                          ? PositionOf(view, TimeAxis::kWallClock, end)
                          : std::min(request.visible.end, WholeRange(view, TimeAxis::kWallClock).end);
  edges.positions.push_back(std::max(last, edges.positions.back()));
  edges.events.push_back(end);
  return edges;
}

// An edge may come a quarter of a column early if the store then has its values ready-made; it says where it
// is.
TimeEdges EdgesOfTime(const View& view, double begin, double end, double width, int columns) {
  TimeEdges edges;
  const double first = std::floor(begin / width);
  const auto tolerance_ns = static_cast<int64_t>(std::min(width / 4, 1e18));
  for (int k = 0; k <= columns + 1; ++k) {
    const double position = (first + k) * width;
    const View::Cut cut = view.CutNear(TimeAtPosition(view, std::ceil(position)), tolerance_ns);
    edges.positions.push_back(tolerance_ns == 0 ? position : PositionAtTime(view, cut.time_ns));
    edges.events.push_back(cut.index);
    if (position >= end) break;
  }
  return edges;
}

PlotColumns CutByTime(const View& view, const TimelinePlotRequest& request) {
  PlotColumns cut;
  const VisibleRange whole = WholeRange(view, TimeAxis::kWallClock);
  const double begin = std::max(request.visible.begin, whole.begin);
  const double end = std::min(request.visible.end, whole.end);
  if (!(begin < end)) return cut;
  // What holds where the range begins happened before it.
  cut.first = std::min(IndexAtPosition(view, TimeAxis::kWallClock, begin), view.end() - 1);
  cut.end = std::max(cut.first + 1, view.IndexAt(TimeAtPosition(view, std::ceil(end))));
  cut.width = (request.visible.end - request.visible.begin) / request.columns;
  const bool few = cut.end - cut.first <= static_cast<EventIndex>(request.columns);
  const TimeEdges edges = few ? EdgesOfMoments(view, request, cut.first, cut.end)
                              : EdgesOfTime(view, begin, end, cut.width, request.columns);
  const std::vector<View::Column> answers = Ask(view, edges.events);
  for (size_t k = 0; k < answers.size(); ++k) {
    cut.columns.push_back(ColumnFrom(answers[k], edges.positions[k], edges.positions[k + 1]));
  }
  return cut;
}

}  // namespace

PlotColumns CutIntoColumns(const View& view, const TimelinePlotRequest& request) {
  if (view.empty() || request.columns <= 0 || !(request.visible.begin < request.visible.end)) return {};
  PlotColumns cut = request.axis == TimeAxis::kEvents ? CutByEvents(view, request) : CutByTime(view, request);
  cut.pixel = (request.visible.end - request.visible.begin) / request.columns;
  return cut;
}

}  // namespace tidemark::presenters
