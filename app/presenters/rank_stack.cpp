#include "app/presenters/rank_stack.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <unordered_map>

#include "app/presenters/stacking.h"

namespace tidemark::presenters {
namespace {

using events::EventIndex;
using session::RankPeaks;
using timeline::Step;
using timeline::View;

// Sizes come from files: sums wrap, as those of the timeline do.
void Add(int64_t& sum, int64_t bytes) {
  sum = static_cast<int64_t>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(bytes));
}

// A moment as every rank has it: a step's position in the shown rank (0 = before the first, 1 = the first),
// and how much of it is over, 0 to 1.
struct Place {
  size_t step = 0;
  double share = 0;
};

Place PlaceOf(const View& view, EventIndex index) {
  const auto& steps = view.steps();
  const auto after = std::upper_bound(steps.begin(), steps.end(), index,
                                      [](EventIndex at, const Step& step) { return at < step.begin; });
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

// The curve of a rank at each of the shown rank's steps, as Place counts them; none where it lacks the step.
class RankCurve {
 public:
  RankCurve(const RankPeaks& rank, const View& shown) : curves_(rank.curves) {
    at_.push_back(CurveOf(0, -1));
    for (const Step& step : shown.steps()) at_.push_back(CurveOf(at_.size(), step.number));
  }
  int64_t Highest(const Span& span) const {
    if (span.begin.step == span.end.step) return HighestIn(span.begin.step, span.begin.share, span.end.share);
    int64_t highest = HighestIn(span.begin.step, span.begin.share, 1);
    for (size_t step = span.begin.step + 1; step < span.end.step; ++step)
      highest = std::max(highest, HighestIn(step, 0, 1));
    if (span.end.share > 0) highest = std::max(highest, HighestIn(span.end.step, 0, span.end.share));
    return highest;
  }

 private:
  int64_t HighestIn(size_t step, double from, double to) const {
    if (step >= at_.size() || at_[step] == nullptr || at_[step]->highest.empty()) return 0;
    const std::vector<int64_t>& curve = at_[step]->highest;
    const auto parts = static_cast<double>(curve.size());
    const size_t begin = std::min(static_cast<size_t>(std::floor(from * parts)), curve.size() - 1);
    const auto end = std::clamp(static_cast<size_t>(std::ceil(to * parts)), begin + 1, curve.size());
    return *std::max_element(curve.begin() + static_cast<std::ptrdiff_t>(begin),
                             curve.begin() + static_cast<std::ptrdiff_t>(end));
  }

  // The one in the same place where that has the number, for a run that was restarted counts from 0 again;
  // else the latest of the number.
  const RankPeaks::Curve* CurveOf(size_t place, int64_t number) {
    if (place < curves_.size() && curves_[place].step == number) return &curves_[place];
    if (latest_.empty()) {
      for (const RankPeaks::Curve& curve : curves_) latest_[curve.step] = &curve;
    }
    const auto found = latest_.find(number);
    return found != latest_.end() ? found->second : nullptr;
  }

  const std::vector<RankPeaks::Curve>& curves_;
  std::unordered_map<int64_t, const RankPeaks::Curve*> latest_;  // made where places differ
  std::vector<const RankPeaks::Curve*> at_;
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
  for (const size_t index : own) titles.push_back("rank " + std::to_string(ranks.ranks[index].rank));
  const size_t others = ranks.ranks.size() - own.size();
  if (others > 0) titles.push_back(FormatNumber(static_cast<int64_t>(others)) + " other ranks");
  return titles;
}

}  // namespace

void AddRankGroups(const View& shown, TimeAxis axis, const session::Ranks& ranks,
                   std::optional<size_t> shown_rank, TimelinePlot& plot) {
  plot.group_ranks = RanksWithGroups(ranks, shown_rank);
  plot.groups = TitlesOf(ranks, plot.group_ranks);
  const size_t groups = plot.groups.size();
  plot.grouped.assign(plot.columns.size() * groups, 0);
  const std::vector<Span> spans = SpansOf(shown, axis, plot);
  for (size_t rank = 0; rank < ranks.ranks.size(); ++rank) {
    const auto own = std::lower_bound(plot.group_ranks.begin(), plot.group_ranks.end(), rank);
    const bool has_own = own != plot.group_ranks.end() && *own == rank;
    const size_t group = has_own ? static_cast<size_t>(own - plot.group_ranks.begin()) : groups - 1;
    const RankCurve curve(ranks.ranks[rank], shown);
    for (size_t k = 0; k < spans.size(); ++k) {
      Add(plot.grouped[k * groups + group],
          shown_rank == rank ? ValueOf(plot.columns[k].at_peak, timeline::Series::kAllocated)
                             : curve.Highest(spans[k]));
    }
  }
  for (size_t k = 0; k < spans.size(); ++k) {
    int64_t sum = 0;
    for (size_t group = 0; group < groups; ++group) Add(sum, plot.grouped[k * groups + group]);
    plot.highest_bytes = std::max(plot.highest_bytes, sum);
  }
}

}  // namespace tidemark::presenters
