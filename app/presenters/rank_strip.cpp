#include "app/presenters/rank_strip.h"

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

RankBar BarOf(const session::RankPeaks& peaks, std::optional<int64_t> step) {
  RankBar bar{peaks.rank, true, peaks.allocated, peaks.reserved, peaks.out_of_memory, peaks.times_survived};
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

std::vector<int64_t> StepsOf(const session::Ranks& ranks) {
  std::set<int64_t> numbers;
  for (const session::RankPeaks& peaks : ranks.ranks) {
    for (const session::RankPeaks::Step& step : peaks.steps) numbers.insert(step.number);
  }
  return {numbers.begin(), numbers.end()};
}

}  // namespace tidemark::presenters
