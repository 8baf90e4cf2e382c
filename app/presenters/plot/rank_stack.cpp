#include "app/presenters/plot/rank_stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/presenters/comparison/step_numbers.h"
#include "app/presenters/plot/stacking.h"
#include "profiler/base/wrapping.h"
#include "profiler/timeline/steps.h"

namespace tidemark::presenters {
namespace {

using events::EventIndex;
using session::RankPeaks;
using timeline::Step;
using timeline::View;

// A moment as every rank has it: a step's position in the shown rank (0 = before the first, 1 = the first),
// and how much of it is over, 0 to 1.
struct Place {
  size_t step = 0;
  double share = 0;
};

Place PlaceOf(const View& view, EventIndex index) {
  const auto& steps = view.steps();
  const auto after = timeline::FirstStepAfter(view, index);
  const EventIndex begin = after == steps.begin() ? view.first() : std::prev(after)->begin;
  const EventIndex end = after == steps.end() ? view.end() : after->begin;
  const double share =
      end > begin ? static_cast<double>(index - begin) / static_cast<double>(end - begin) : 0;
  return {static_cast<size_t>(after - steps.begin()), std::clamp(share, 0.0, 1.0)};
}

struct Span {
  Place begin;
  Place end;
};

std::vector<Span> SpansOf(const View& shown, TimeAxis axis, const TimelinePlot& plot) {
  std::vector<Span> spans;
  spans.reserve(plot.columns.size());
  for (const PlotColumn& column : plot.columns) {
    spans.push_back({PlaceOf(shown, IndexAtPosition(shown, axis, column.begin)),
                     PlaceOf(shown, IndexAtPosition(shown, axis, column.end))});
  }
  return spans;
}

// From a part of a step's curve to before a part of the same or a later step's.
struct PartRange {
  size_t first_step = 0;
  size_t from = 0;
  size_t last_step = 0;
  size_t to = 0;
};

// The curve of a rank at each of the shown rank's steps, as Place counts them; empty where it lacks the step.
class RankCurve {
 public:
  RankCurve(const RankPeaks& rank, const View& shown) {
    const auto& curves = rank.curves;
    StepNumbers steps(curves.size(), [&curves](size_t place) { return curves[place].step; });
    const auto curve_of = [&](size_t place, int64_t number) -> std::span<const int64_t> {
      const std::optional<size_t> found = steps.PlaceOf(place, number);
      return found ? std::span<const int64_t>(curves[*found].highest) : std::span<const int64_t>();
    };
    at_.reserve(shown.steps().size() + 1);
    at_.push_back(curve_of(0, -1));
    for (const Step& step : shown.steps()) at_.push_back(curve_of(at_.size(), step.number));
  }

  // In how many parts each step's is cut: where that is the same, the same parts lie under the same places.
  std::vector<size_t> Cut() const {
    std::vector<size_t> parts(at_.size());
    std::ranges::transform(at_, parts.begin(), &std::span<const int64_t>::size);
    return parts;
  }
  PartRange PartsUnder(const Span& span) const {
    PartRange range{span.begin.step, 0, span.end.step, 0};
    const size_t parts = at_[range.first_step].size();
    if (parts > 0) range.from = std::min(PartsIn(parts, span.begin.share, false), parts - 1);
    const size_t last_parts = at_[range.last_step].size();
    const size_t least = range.first_step == range.last_step ? range.from + 1 : span.end.share > 0 ? 1 : 0;
    if (last_parts > 0 && least > 0)
      range.to = std::clamp(PartsIn(last_parts, span.end.share, true), least, last_parts);
    return range;
  }
  int64_t Highest(const PartRange& range) const {
    if (range.first_step == range.last_step) return HighestOf(at_[range.first_step], range.from, range.to);
    int64_t highest = HighestOf(at_[range.first_step], range.from, at_[range.first_step].size());
    for (size_t step = range.first_step + 1; step < range.last_step; ++step)
      highest = std::max(highest, HighestOf(at_[step], 0, at_[step].size()));
    return std::max(highest, HighestOf(at_[range.last_step], 0, range.to));
  }

 private:
  static size_t PartsIn(size_t parts, double share, bool upwards) {
    const double exact = share * static_cast<double>(parts);
    return static_cast<size_t>(upwards ? std::ceil(exact) : std::floor(exact));
  }
  static int64_t HighestOf(std::span<const int64_t> curve, size_t from, size_t to) {
    int64_t highest = 0;
    for (size_t part = from; part < to; ++part) highest = std::max(highest, curve[part]);
    return highest;
  }

  std::vector<std::span<const int64_t>> at_;
};

// What lies under each span, found once for all ranks whose curves are cut alike.
class PartsUnderSpans {
 public:
  explicit PartsUnderSpans(const std::vector<Span>& spans) : spans_(spans) {}

  const std::vector<PartRange>& Of(const RankCurve& curve) {
    std::vector<size_t> cut = curve.Cut();
    if (cut == cut_) return ranges_;
    cut_ = std::move(cut);
    ranges_.clear();
    for (const Span& span : spans_) ranges_.push_back(curve.PartsUnder(span));
    return ranges_;
  }

 private:
  const std::vector<Span>& spans_;
  std::vector<size_t> cut_;  // of the curve that the ranges were found for; empty = of none
  std::vector<PartRange> ranges_;
};

// Those with a group of their own, by rank.
std::vector<size_t> RanksWithGroups(const session::Ranks& ranks, std::optional<size_t> shown) {
  std::vector<size_t> order(ranks.ranks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (order.size() < kMostStackGroups) return order;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if ((shown == a) != (shown == b)) return shown == a;
    return ranks.ranks[a].allocated > ranks.ranks[b].allocated;
  });
  order.resize(kMostStackGroups - 1);
  std::sort(order.begin(), order.end());
  return order;
}

std::vector<std::string> TitlesOf(const session::Ranks& ranks, const std::vector<size_t>& own) {
  std::vector<std::string> titles;
  titles.reserve(own.size() + 1);
  for (const size_t index : own) titles.push_back(session::NameOf(ranks.ranks[index]));
  const size_t others = ranks.ranks.size() - own.size();
  if (others > 0)
    titles.push_back(fmt::format("{} other {}", FormatNumber(static_cast<int64_t>(others)), ranks.many));
  return titles;
}

}  // namespace

bool AddRankGroups(const View& shown, TimeAxis axis, const session::Ranks& ranks,
                   std::optional<size_t> shown_rank, TimelinePlot& plot, const Progress& progress) {
  const std::vector<size_t> with_groups = RanksWithGroups(ranks, shown_rank);
  plot.group_ranks.clear();
  plot.group_ranks.reserve(with_groups.size());
  for (const size_t index : with_groups) plot.group_ranks.push_back(ranks.ranks[index].rank);
  plot.groups = TitlesOf(ranks, with_groups);
  const size_t groups = plot.groups.size();
  plot.grouped.assign(plot.columns.size() * groups, 0);
  const std::vector<Span> spans = SpansOf(shown, axis, plot);
  PartsUnderSpans parts(spans);
  for (size_t rank = 0; rank < ranks.ranks.size(); ++rank) {
    const double share = static_cast<double>(rank) / static_cast<double>(ranks.ranks.size());
    if (progress && !progress(share)) return false;
    const auto own = std::lower_bound(with_groups.begin(), with_groups.end(), rank);
    const bool has_own = own != with_groups.end() && *own == rank;
    const size_t group = has_own ? static_cast<size_t>(own - with_groups.begin()) : groups - 1;
    if (shown_rank == rank) {
      for (size_t k = 0; k < spans.size(); ++k)
        AddTo(plot.grouped[k * groups + group],
              ValueOf(plot.columns[k].at_peak, timeline::Series::kAllocated));
      continue;
    }
    const RankCurve curve(ranks.ranks[rank], shown);
    const std::vector<PartRange>& ranges = parts.Of(curve);
    for (size_t k = 0; k < ranges.size(); ++k)
      AddTo(plot.grouped[k * groups + group], curve.Highest(ranges[k]));
  }
  for (size_t k = 0; k < spans.size(); ++k) {
    int64_t sum = 0;
    for (size_t group = 0; group < groups; ++group) AddTo(sum, plot.grouped[k * groups + group]);
    plot.highest_bytes = std::max(plot.highest_bytes, sum);
  }
  return true;
}

}  // namespace tidemark::presenters
