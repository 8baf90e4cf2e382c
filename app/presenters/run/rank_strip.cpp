#include "app/presenters/run/rank_strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "profiler/base/format.h"

namespace tidemark::presenters {
namespace {

constexpr double kStandardDeviations = 1.4826;  // of a normal distribution: one over its 75th percentile
constexpr double kOddScore = 3.5;
constexpr double kOddShare = 0.01;
constexpr size_t kFewestForOdd = 3;
constexpr size_t kRoomForGaps = 64;  // places, however few ranks there are

RankBar BarOf(const session::RankPeaks& peaks, std::optional<int64_t> step) {
  RankBar bar{.rank = peaks.rank,
              .name = session::NameOf(peaks),
              .allocated = peaks.allocated,
              .reserved = peaks.reserved,
              .out_of_memory = peaks.out_of_memory,
              .times_survived = peaks.times_survived,
              .warning = peaks.file.empty() ? "" : peaks.warning};
  if (!step) return bar;
  const auto found = std::lower_bound(
      peaks.steps.begin(), peaks.steps.end(), *step,
      [](const session::RankPeaks::Step& known, int64_t number) { return known.number < number; });
  bar.known = found != peaks.steps.end() && found->number == *step;
  bar.allocated = bar.known ? found->allocated : 0;
  bar.reserved = bar.known ? found->reserved : 0;
  return bar;
}

template <typename Number>
Number LowerMedian(std::vector<Number> numbers) {
  const auto middle = numbers.begin() + static_cast<ptrdiff_t>((numbers.size() - 1) / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

double Distance(int64_t a, int64_t b) { return std::abs(static_cast<double>(a) - static_cast<double>(b)); }

void FindOdd(const std::vector<size_t>& known, RankStrip& strip) {
  if (known.size() < kFewestForOdd) return;
  std::vector<double> distances;
  distances.reserve(known.size());
  for (const size_t index : known) distances.push_back(Distance(strip.bars[index].allocated, strip.median));
  const auto farthest = std::max_element(distances.begin(), distances.end());
  const double usual = kStandardDeviations * LowerMedian(distances);
  const double least = std::max(kOddScore * usual, kOddShare * static_cast<double>(strip.median));
  if (*farthest > least) strip.odd = known[static_cast<size_t>(farthest - distances.begin())];
}

// By rank, unless that would leave more gaps than there is room for.
void PlaceBars(RankStrip& strip) {
  const auto room = static_cast<int64_t>(std::max(kRoomForGaps, 4 * strip.bars.size()));
  const bool are_ranks = strip.bars.front().rank >= 0 && strip.bars.back().rank < room;
  for (size_t i = 0; i < strip.bars.size(); ++i)
    strip.bars[i].place = are_ranks ? static_cast<size_t>(strip.bars[i].rank) : i;
  strip.places = strip.bars.back().place + 1;
}

}  // namespace

std::string SurvivedText(int64_t times) {
  if (times == 0) return "";
  return "memory ran out " + (times == 1 ? "once" : FormatNumber(times) + " times") + ", and the run went on";
}

RankStrip MakeRankStrip(const session::Ranks& ranks, std::optional<int64_t> step) {
  RankStrip strip;
  strip.step = step;
  std::vector<size_t> known;
  std::vector<int64_t> allocated;
  for (const session::RankPeaks& peaks : ranks.ranks) {
    const RankBar& bar = strip.bars.emplace_back(BarOf(peaks, step));
    strip.top = std::max({strip.top, bar.allocated, bar.reserved});
    if (!bar.known) continue;
    known.push_back(strip.bars.size() - 1);
    allocated.push_back(bar.allocated);
  }
  if (!strip.bars.empty()) PlaceBars(strip);
  if (known.empty()) return strip;
  const auto by_allocated = [&strip](size_t a, size_t b) {
    return strip.bars[a].allocated < strip.bars[b].allocated;
  };
  strip.largest = *std::max_element(known.begin(), known.end(), by_allocated);
  strip.smallest = *std::min_element(known.begin(), known.end(), by_allocated);
  strip.median = LowerMedian(std::move(allocated));
  FindOdd(known, strip);
  return strip;
}

std::string AgainstOthers(const RankStrip& strip, const RankBar& bar) {
  std::string against = "the median";
  int64_t usual = strip.median;
  if (std::ranges::count_if(strip.bars, &RankBar::known) < 3) {
    const auto other = std::ranges::find_if(
        strip.bars, [&](const RankBar& one) { return one.known && one.rank != bar.rank; });
    if (other == strip.bars.end()) return "";
    against = other->name;
    usual = other->allocated;
  } else if (bar.allocated == usual) {
    return against;
  }
  if (usual <= 0) return "";
  if (bar.allocated == usual) return "as much as " + against;
  const double percent = 100 * (static_cast<double>(bar.allocated) / static_cast<double>(usual) - 1);
  return fmt::format("{:.2f} % {} {}", std::abs(percent), percent < 0 ? "below" : "above", against);
}

std::vector<int64_t> StepsOf(const session::Ranks& ranks) {
  std::set<int64_t> numbers;
  for (const session::RankPeaks& peaks : ranks.ranks) {
    for (const session::RankPeaks::Step& step : peaks.steps) numbers.insert(step.number);
  }
  return {numbers.begin(), numbers.end()};
}

}  // namespace tidemark::presenters
