// What the timeline panel's presenter costs at every zoom: 2,000 columns over one million and ten million
// events; and with as many ranks on top of each other as can be shown. And what it takes to point at a block.
#include <cstdio>
#include <memory>

#include "app/presenters/allocations/range_statistics.h"
#include "app/presenters/plot/rank_stack.h"
#include "app/presenters/plot/stacked_moment.h"
#include "app/presenters/plot/timeline_plot.h"
#include "profiler/session/ranks.h"
#include "profiler/timeline/settled_state.h"
#include "tests/bench/stopwatch.h"
#include "tests/bench/training_stream.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::bench {
namespace {

using presenters::TimeAxis;
using presenters::VisibleRange;

constexpr timeline::CategorySet kSomeCategories = 0b0001110111;

void Measure(const timeline::View& view, TimeAxis axis, double share, timeline::CategorySet categories) {
  const VisibleRange whole = presenters::WholeRange(view, axis);
  const double width = (whole.end - whole.begin) * share;
  const double begin = whole.begin + (whole.end - whole.begin - width) * 0.37;
  const presenters::TimelinePlotRequest request{
      axis, {begin, begin + width}, 2000, ByteUnit::kMegabytes, categories};
  size_t columns = 0;
  const double time =
      BestMicroseconds(15, [&] { columns = MakeTimelinePlot(view, {}, request).columns.size(); });
  std::printf("  %-10s %12.0f events   %6zu columns %10.1f us%s\n",
              axis == TimeAxis::kEvents ? "events" : "wall clock", static_cast<double>(view.end()) * share,
              columns, time, categories == timeline::kAllCategories ? "" : " of some categories");
}

// All ranks do the same, each at other heights.
void MeasureRanks(const std::shared_ptr<const timeline::View>& view) {
  const session::RankSoFar one{view, {}};
  session::Ranks ranks = session::PeaksOf({&one, 1}, true);
  while (ranks.ranks.size() < session::kMostRanks) {
    session::RankPeaks& next = ranks.ranks.emplace_back(ranks.ranks.front());
    for (session::RankPeaks::Curve& curve : next.curves) {
      for (int64_t& bytes : curve.highest) bytes += static_cast<int64_t>(ranks.ranks.size() * 512);
    }
  }
  for (const double share : {1.0, 0.1, 0.01}) {
    const auto end = static_cast<double>(view->end());
    const presenters::TimelinePlotRequest request{TimeAxis::kEvents, {end * (1 - share), end}, 2000};
    presenters::TimelinePlot plot = MakeTimelinePlot(*view, {}, request);
    const double time = BestMicroseconds(5, [&] { AddRankGroups(*view, request.axis, ranks, 0, plot); });
    std::printf("  %zu ranks, %5.1f %% of the run %10.1f us\n", ranks.ranks.size(), 100 * share, time);
  }
}

// What came and went among the last events.
void MeasureStatistics(const timeline::View& view) {
  for (const events::EventIndex count : {events::EventIndex{1'000}, events::EventIndex{40'000}, view.end()}) {
    const double time = BestMicroseconds(5, [&] {
      presenters::MakeRangeStatistics(view, view.end() - count, view.end(), [](double) { return true; });
    });
    std::printf("  statistics of %llu events %10.1f us\n", static_cast<unsigned long long>(count), time);
  }
}

// What it takes to point at something where so many blocks are alive: once per moment, per block, and then.
void MeasurePointing(uint64_t live) {
  timeline::Stream stream;
  for (uint64_t block = 1; block <= live; ++block)
    stream.Allocate(block << 20, 512, events::Category::kParameter);
  for (uint64_t i = 0; i < 50'000; ++i) {
    for (uint64_t block = 1; block <= 10; ++block)
      stream.Allocate((live + block) << 20, 1024, events::Category::kActivation);
    for (uint64_t block = 1; block <= 10; ++block) stream.Free((live + block) << 20);
  }
  const auto view = stream.Publish();
  const timeline::EventIndex moment = view->end() - 100;
  const presenters::StackedMoment stack(*view, moment);
  const int64_t middle = static_cast<int64_t>(live) * 256;
  const timeline::LiveBlock& block = *stack.BlockAt(middle);
  const presenters::OlderBlocks older(*view, stack, block);
  std::printf("%llu blocks alive, 1 M events after them\n", static_cast<unsigned long long>(live));
  const auto row = [](const char* what, double microseconds) {
    std::printf("  %-28s %10.2f us\n", what, microseconds);
  };
  row("moment looked into", BestMicroseconds(20, [&] { presenters::StackedMoment(*view, moment); }));
  row("block looked into", BestMicroseconds(20, [&] { presenters::OlderBlocks(*view, stack, block); }));
  int64_t sum = 0;
  row("1,000 points", BestMicroseconds(20, [&] {
        for (int64_t i = 0; i < 1000; ++i) sum += stack.BlockAt(middle + i * 7)->rounded_bytes;
      }));
  row("1,000 columns", BestMicroseconds(20, [&] {
        for (uint64_t i = 0; i < 1000; ++i) sum += older.AliveAfter(block.born + i * 97);
      }));
  row("settled, without steps",
      BestMicroseconds(20, [&] { timeline::SettledStateAt(*view, live + 100, view->end()); }));
  if (sum == 0) std::printf("  nothing was found\n");
}

}  // namespace
}  // namespace tidemark::bench

int main() {
  using namespace tidemark::bench;
  for (const size_t count : {size_t{1'000'000}, size_t{10'000'000}}) {
    std::printf("%zu M events\n", count / 1'000'000);
    TrainingStream stream;
    tidemark::timeline::Builder builder(20'000'000);
    for (size_t done = 0; done < count;) {
      const auto events = stream.Take(100'000);
      builder.Append(events);
      done += events.size();
    }
    const auto view = builder.Publish();
    for (const auto axis : {TimeAxis::kEvents, TimeAxis::kWallClock}) {
      for (double share = 1; share * static_cast<double>(count) > 500; share /= 4) {
        Measure(*view, axis, share, tidemark::timeline::kAllCategories);
        Measure(*view, axis, share, kSomeCategories);
      }
    }
    MeasureRanks(view);
    MeasureStatistics(*view);
  }
  for (const uint64_t live : {uint64_t{10'000}, uint64_t{100'000}}) MeasurePointing(live);
  return 0;
}
