#include "app/presenters/plot/rank_stack.h"

#include <algorithm>
#include <numeric>

#include "app/presenters/plot/stacking.h"
#include "tests/support/catch.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

constexpr int64_t kWeight = 512;

std::shared_ptr<const timeline::View> TrainingOf(int steps, int64_t activation_bytes) {
  Training training;
  training.Weight(kWeight);
  for (int step = 0; step < steps; ++step) training.Step(step, activation_bytes, 512);
  return training.Publish();
}

// A part for each event, as the curves of a short recording have.
session::RankPeaks PeaksOf(const timeline::View& view, int64_t rank) {
  session::RankPeaks peaks;
  peaks.rank = rank;
  const auto curve = [&view](timeline::EventIndex begin, timeline::EventIndex end) {
    std::vector<int64_t> bytes;
    for (timeline::EventIndex index = begin; index < end; ++index)
      bytes.push_back(ValueOf(view.ValuesAt(index), timeline::Series::kAllocated));
    return bytes;
  };
  const auto& steps = view.steps();
  peaks.curves.push_back({-1, curve(view.first(), steps.front().begin)});
  for (size_t i = 0; i < steps.size(); ++i) {
    const timeline::EventIndex end = i + 1 < steps.size() ? steps[i + 1].begin : view.end();
    peaks.curves.push_back({steps[i].number, curve(steps[i].begin, end)});
  }
  return peaks;
}

TimelinePlot PlotOf(const timeline::View& view, TimeAxis axis, int columns) {
  return MakeTimelinePlot(view, {}, {axis, WholeRange(view, axis), columns, ByteUnit::kMegabytes});
}

}  // namespace

TEST_CASE("Groups of ranks are told by the numbers that the ranks have, whichever are missing") {
  const auto view = TrainingOf(1, 1 << 20);
  const session::Ranks ranks{{PeaksOf(*view, 1), PeaksOf(*view, 4)}, {}};
  TimelinePlot plot = PlotOf(*view, TimeAxis::kEvents, 100);
  AddRankGroups(*view, TimeAxis::kEvents, ranks, 1, plot);
  CHECK(plot.groups == std::vector<std::string>{"rank 1", "rank 4"});
  CHECK(plot.group_ranks == std::vector<int64_t>{1, 4});
}

TEST_CASE("Ranks that do the same stack up to as many times one") {
  const auto view = TrainingOf(4, 1 << 20);
  const session::Ranks ranks{{PeaksOf(*view, 0), PeaksOf(*view, 1), PeaksOf(*view, 2)}, {}};
  for (const TimeAxis axis : {TimeAxis::kEvents, TimeAxis::kWallClock}) {
    TimelinePlot plot = PlotOf(*view, axis, 10'000);
    const int64_t before = plot.highest_bytes;
    AddRankGroups(*view, axis, ranks, 1, plot);
    REQUIRE(plot.groups == std::vector<std::string>{"rank 0", "rank 1", "rank 2"});
    CHECK(plot.group_ranks == std::vector<int64_t>{0, 1, 2});
    CHECK(plot.highest_bytes == 3 * before);
    for (size_t i = 0; i < plot.grouped.size(); ++i)
      CHECK(plot.grouped[i] == ValueOf(plot.columns[i / 3].at_peak, timeline::Series::kAllocated));
  }
}

TEST_CASE("A run that was restarted has each of its steps, though numbers come again") {
  Training training;
  training.Weight(kWeight);
  for (const int64_t bytes : {1 << 20, 3 << 20}) {
    for (int step = 0; step < 2; ++step) training.Step(step, bytes, 512);
  }
  const auto view = training.Publish();
  const session::Ranks ranks{{PeaksOf(*view, 0), PeaksOf(*view, 1)}, {}};
  TimelinePlot plot = PlotOf(*view, TimeAxis::kEvents, 10'000);
  AddRankGroups(*view, TimeAxis::kEvents, ranks, 0, plot);
  for (size_t k = 0; k < plot.columns.size(); ++k) CHECK(plot.grouped[2 * k] == plot.grouped[2 * k + 1]);
}

TEST_CASE("After a restart a rank's step is found by its number, the later one, wherever it lies") {
  Training training;
  training.Weight(kWeight);
  training.Step(4, 5 << 20, 512);
  training.Step(1, 7 << 20, 512);
  training.Step(0, 3 << 20, 512);
  training.Step(1, 2 << 20, 512);
  const auto restarted = training.Publish();
  Training alone;
  alone.Weight(kWeight);
  alone.Step(1, 1 << 20, 512);
  const auto shown = alone.Publish();
  const session::Ranks ranks{{PeaksOf(*shown, 0), PeaksOf(*restarted, 1)}, {}};
  TimelinePlot plot = PlotOf(*shown, TimeAxis::kEvents, 10'000);
  AddRankGroups(*shown, TimeAxis::kEvents, ranks, 0, plot);
  int64_t highest = 0;
  for (size_t k = 0; k < plot.columns.size(); ++k) highest = std::max(highest, plot.grouped[2 * k + 1]);
  CHECK(highest == (2 << 20) + 512 + kWeight);
}

TEST_CASE("However wide a column is, each rank's highest under it is told, and a missing step is empty") {
  const auto shown = TrainingOf(6, 1 << 20);
  const auto other = TrainingOf(3, 5 << 20);
  const session::Ranks ranks{{PeaksOf(*shown, 0), PeaksOf(*other, 1)}, {}};
  TimelinePlot plot = PlotOf(*shown, TimeAxis::kEvents, 3);
  AddRankGroups(*shown, TimeAxis::kEvents, ranks, 0, plot);
  REQUIRE(plot.columns.size() >= 2);
  for (size_t k = 0; k < plot.columns.size(); ++k) {
    const auto fourth = static_cast<double>(shown->steps()[3].begin);
    const PlotColumn& column = plot.columns[k];
    if (column.begin >= fourth) CHECK(plot.grouped[2 * k + 1] == 0);
    if (k == 0) CHECK(plot.grouped[1] == (5 << 20) + 512 + kWeight);
  }
}

TEST_CASE("More ranks than colours: the largest and the shown one have theirs, the others share one") {
  const auto view = TrainingOf(2, 1 << 20);
  session::Ranks ranks;
  for (int64_t rank = 0; rank < 64; ++rank) {
    ranks.ranks.push_back(PeaksOf(*view, rank));
    ranks.ranks.back().allocated = rank;
  }
  TimelinePlot plot = PlotOf(*view, TimeAxis::kEvents, 10'000);
  AddRankGroups(*view, TimeAxis::kEvents, ranks, 3, plot);
  REQUIRE(plot.groups.size() == kMostStackGroups);
  CHECK(plot.groups.front() == "rank 3");
  CHECK(plot.groups[1] == "rank 56");
  CHECK(plot.groups.back() == "55 other ranks");
  const int64_t one = ValueOf(plot.columns.back().at_peak, timeline::Series::kAllocated);
  CHECK(std::accumulate(plot.grouped.end() - kMostStackGroups, plot.grouped.end(), int64_t{0}) == 64 * one);
}

}  // namespace tidemark::presenters
