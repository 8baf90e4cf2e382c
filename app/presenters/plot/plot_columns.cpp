#include "app/presenters/plot/plot_columns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <span>

namespace tidemark::presenters {
namespace {

using events::EventIndex;
using timeline::kLeafEvents;
using timeline::View;

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
  // Columns that may be so wide end where the store's leaves do.
  const uint64_t unit = exact >= 4 * kLeafEvents ? std::max(kLeafEvents, std::bit_floor(width / 8))
                                                 : std::bit_floor(std::max<uint64_t>(width / 8, 1));
  return (width + unit - 1) / unit * unit;
}

// Up to an eighth more than asked for, so that it is the same in the next frame of a run that goes on.
double TimePerColumn(double visible_ns, int columns) {
  constexpr double kMost = 1e18;
  const double exact = std::min(visible_ns / columns, kMost);
  const double unit = std::exp2(std::floor(std::log2(exact)) - 3);
  return std::ceil(exact / unit) * unit;
}

// The columns of an earlier cut that are as they were: of the same width, with events before and behind them.
class KnownColumns {
 public:
  KnownColumns(const View& view, const PlotColumns& now, double width, const PlotColumns& before)
      : before_(before),
        first_(view.first()),
        usable_(before.known_end > 0 && before.known_end <= view.end() && before.axis == now.axis &&
                before.categories == now.categories && before.level == view.peak_level() &&
                before.width == width) {}

  // The one that begins so many widths from the axis' beginning, as its position in the earlier cut.
  std::optional<size_t> At(double place) const {
    const double from = place - before_.place;
    if (!usable_ || !(from >= 0) || !(from < static_cast<double>(before_.columns.size())))
      return std::nullopt;
    const auto k = static_cast<size_t>(from);
    if (before_.edges[k] <= first_ || before_.edges[k + 1] >= before_.known_end) return std::nullopt;
    return k;
  }
  const PlotColumns& before() const { return before_; }

 private:
  const PlotColumns& before_;
  EventIndex first_;
  bool usable_;
};

PlotColumn ColumnFrom(const View::Column& column, timeline::Series level, double begin, double end) {
  return {begin, end, column.peak.values, column.lowest, column.reserved_max, column.peak.index, level};
}

// Where nobody told of blocks, of the level that is told instead.
void TakeLevel(const View& view, timeline::Series level, EventIndex begin, EventIndex end,
               View::Column& column) {
  std::array<timeline::Bucket, 1> bucket;
  view.Envelope(level, begin, end, bucket);
  column = {view.PeakIn(level, begin, end), bucket[0].min, 0};
}

// Fills the columns between the edges, whose positions on the axis are given.
void FillColumns(const View& view, const KnownColumns& known, const std::vector<double>& positions,
                 PlotColumns& cut) {
  const size_t count = cut.edges.empty() ? 0 : cut.edges.size() - 1;
  std::vector<View::Column> answers;
  cut.columns.reserve(count);
  cut.level = view.peak_level();
  while (cut.columns.size() < count) {
    const size_t begin = cut.columns.size();
    if (const auto at = known.At(cut.place + static_cast<double>(begin))) {
      cut.columns.push_back(known.before().columns[*at]);
      continue;
    }
    size_t end = begin + 1;
    while (end < count && !known.At(cut.place + static_cast<double>(end))) ++end;
    answers.resize(end - begin);
    view.Columns(std::span(cut.edges).subspan(begin, end - begin + 1), cut.categories, answers);
    for (size_t k = begin; k < end; ++k) {
      View::Column& answer = answers[k - begin];
      if (!view.tells_blocks()) TakeLevel(view, cut.level, cut.edges[k], cut.edges[k + 1], answer);
      cut.columns.push_back(ColumnFrom(answer, cut.level, positions[k], positions[k + 1]));
    }
  }
  cut.known_end = view.end();
}

PlotColumns CutByEvents(const View& view, const TimelinePlotRequest& request, const PlotColumns& before) {
  PlotColumns cut;
  cut.categories = request.categories;
  cut.first = ClampedIndex(view, request.visible.begin);
  cut.end = ClampedIndex(view, std::ceil(request.visible.end));
  if (cut.first >= cut.end) return cut;
  const uint64_t width = EventsPerColumn(request.visible.end - request.visible.begin, request.columns);
  cut.width = static_cast<double>(width);
  const EventIndex place = cut.first / width;
  cut.place = static_cast<double>(place);
  for (EventIndex edge = place * width; edge < cut.end; edge += width)
    cut.edges.push_back(std::max(edge, view.first()));
  cut.edges.push_back(std::min(cut.edges.back() + width - cut.edges.back() % width, view.end()));
  cut.first = cut.edges.front();
  cut.end = cut.edges.back();
  const std::vector<double> positions(cut.edges.begin(), cut.edges.end());
  FillColumns(view, KnownColumns(view, cut, cut.width, before), positions, cut);
  return cut;
}

// One column per moment at which something happened, from that moment to the next; their positions.
std::vector<double> EdgesOfMoments(const View& view, const TimelinePlotRequest& request, PlotColumns& cut) {
  std::vector<double> positions;
  for (EventIndex index = cut.first; index < cut.end; ++index) {
    const double position = PositionOf(view, TimeAxis::kWallClock, index);
    if (!positions.empty() && position <= positions.back()) continue;
    positions.push_back(position);
    cut.edges.push_back(index);
  }
  const double last = cut.end < view.end()
                          ? PositionOf(view, TimeAxis::kWallClock, cut.end)
                          : std::min(request.visible.end, WholeRange(view, TimeAxis::kWallClock).end);
  positions.push_back(std::max(last, positions.back()));
  cut.edges.push_back(cut.end);
  return positions;
}

// An edge may come a quarter of a column early if the store then has its values ready-made; it says where it
// is.
std::vector<double> EdgesOfTime(const View& view, const KnownColumns& known, double end, int columns,
                                PlotColumns& cut) {
  std::vector<double> positions;
  const auto tolerance_ns = static_cast<int64_t>(std::min(cut.width / 4, 1e18));
  for (int k = 0; k <= columns + 1; ++k) {
    const double position = (cut.place + k) * cut.width;
    if (const auto at = known.At(cut.place + k)) {
      positions.push_back(known.before().columns[*at].begin);
      cut.edges.push_back(known.before().edges[*at]);
    } else {
      const View::Cut near = view.CutNear(TimeAtPosition(view, std::ceil(position)), tolerance_ns);
      positions.push_back(tolerance_ns == 0 ? position : PositionAtTime(view, near.time_ns));
      cut.edges.push_back(near.index);
    }
    if (position >= end) break;
  }
  return positions;
}

PlotColumns CutByTime(const View& view, const TimelinePlotRequest& request, const PlotColumns& before) {
  PlotColumns cut;
  cut.axis = TimeAxis::kWallClock;
  cut.categories = request.categories;
  const VisibleRange whole = WholeRange(view, TimeAxis::kWallClock);
  const double begin = std::max(request.visible.begin, whole.begin);
  const double end = std::min(request.visible.end, whole.end);
  if (!(begin < end)) return cut;
  // What holds where the range begins happened before it.
  cut.first = std::min(IndexAtPosition(view, TimeAxis::kWallClock, begin), view.end() - 1);
  cut.end = std::max(cut.first + 1, view.IndexAt(TimeAtPosition(view, std::ceil(end))));
  cut.width = TimePerColumn(request.visible.end - request.visible.begin, request.columns);
  cut.place = std::floor(begin / cut.width);
  const bool few = cut.end - cut.first <= static_cast<EventIndex>(request.columns);
  // Those of moments are not a width each.
  const KnownColumns known(view, cut, few ? 0 : cut.width, before);
  const std::vector<double> positions =
      few ? EdgesOfMoments(view, request, cut) : EdgesOfTime(view, known, end, request.columns, cut);
  FillColumns(view, known, positions, cut);
  if (few) cut.known_end = 0;
  return cut;
}

}  // namespace

PlotColumns CutIntoColumns(const View& view, const TimelinePlotRequest& request, const PlotColumns& before) {
  if (view.empty() || request.columns <= 0 || !(request.visible.begin < request.visible.end)) return {};
  PlotColumns cut = request.axis == TimeAxis::kEvents ? CutByEvents(view, request, before)
                                                      : CutByTime(view, request, before);
  cut.pixel = (request.visible.end - request.visible.begin) / request.columns;
  return cut;
}

}  // namespace tidemark::presenters
