#include <algorithm>
#include <limits>
#include <random>
#include <span>

#include "app/presenters/plot/plot_columns.h"
#include "app/presenters/plot/timeline_plot.h"
#include "tests/support/catch.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

using events::Category;
using events::EventIndex;
using timeline::Series;
using timeline::SeriesOf;
using timeline::View;

TimelinePlot Plot(const View& view, TimeAxis axis, VisibleRange visible, int columns) {
  return MakeTimelinePlot(view, {}, {axis, visible, columns});
}

int64_t AllocatedOf(const PlotColumn& column) { return ValueOf(column.at_peak, Series::kAllocated); }

std::shared_ptr<const View> ManySteps(int steps, int64_t spike_at) {
  Training training;
  training.Weight(1 << 20);
  for (int step = 0; step < steps; ++step) {
    training.Step(step, 100'000 + step % 5 * 1000, step == spike_at ? 77'000'000 : 50'000);
  }
  return training.Publish();
}

void CheckContiguous(const TimelinePlot& plot) {
  for (size_t k = 1; k < plot.columns.size(); ++k) {
    CHECK(plot.columns[k].begin == plot.columns[k - 1].end);
    CHECK(plot.columns[k].begin < plot.columns[k].end);
  }
}

}  // namespace

TEST_CASE("With room for every event, each is a column and the staircase is exact") {
  const auto view = ManySteps(3, -1);
  const auto end = static_cast<double>(view->end());
  const TimelinePlot plot = Plot(*view, TimeAxis::kEvents, {0, end}, 1000);
  REQUIRE(plot.columns.size() == view->end());
  for (EventIndex index = 0; index < view->end(); ++index) {
    const PlotColumn& column = plot.columns[index];
    CHECK(column.begin == static_cast<double>(index));
    CHECK(column.end == static_cast<double>(index + 1));
    CHECK(column.peak == index);
    CHECK(column.at_peak == view->ValuesAt(index));
    CHECK(column.lowest == AllocatedOf(column));
  }
}

TEST_CASE("What the card reports is drawn from its first sample on") {
  timeline::Stream stream;
  for (int i = 0; i < 4; ++i) stream.Allocate(0x1000 + 0x1000 * static_cast<uint64_t>(i), 100);
  stream.Add(events::EventKind::kCounter, 0, 900).level = events::Level::kCard;
  stream.Add(events::EventKind::kPhase);
  const auto view = stream.Publish();
  const auto end = static_cast<double>(view->end());
  const double first = end - 2;
  for (const TimeAxis axis : {TimeAxis::kEvents, TimeAxis::kWallClock}) {
    const TimelinePlot plot = Plot(*view, axis, WholeRange(*view, axis), 1000);
    REQUIRE(plot.lines.size() == 1);
    CHECK(std::ranges::all_of(plot.lines[0].bytes, [](int64_t bytes) { return bytes == 900; }));
    if (axis == TimeAxis::kEvents) CHECK(plot.lines[0].begin == first);
    CHECK(plot.lines[0].end == plot.columns.back().end);
  }
  CHECK(Plot(*view, TimeAxis::kEvents, {0, first}, 1000).lines.empty());
}

TEST_CASE("What the card reported before the process took more is not drawn below what it took") {
  timeline::Stream stream;
  const auto tell = [&](events::Level level, int64_t bytes) {
    stream.Add(events::EventKind::kCounter, 0, bytes).level = level;
  };
  const auto reserve = [&](uint64_t address, int64_t bytes) {
    stream.Add(events::EventKind::kSegmentAllocate, address, bytes);
  };
  reserve(0x100000, 100);
  tell(events::Level::kProcess, 150);
  reserve(0x200000, 40);
  reserve(0x300000, 500);  // until memory ran out: within a tenth of a second
  stream.Add(events::EventKind::kOutOfMemory, 0, 9000);
  tell(events::Level::kProcess, 690);
  const auto view = stream.Publish();
  const TimelinePlot plot = Plot(*view, TimeAxis::kEvents, WholeRange(*view, TimeAxis::kEvents), 1000);
  REQUIRE(plot.lines.size() == 1);
  CHECK(plot.lines[0].title == "process");
  CHECK(plot.lines[0].bytes == std::vector<int64_t>{150, 150, 0, 0, 690});
}

TEST_CASE("Of what the card reported before the process took more it is told when that was") {
  constexpr int64_t kMs = 1'000'000;
  timeline::Stream stream;
  const auto tell = [&](events::Level level, int64_t mebibytes, int64_t time_ms) {
    events::Event& event = stream.Add(events::EventKind::kCounter, 0, mebibytes << 20);
    event.level = level;
    event.time_ns = time_ms * kMs;
  };
  tell(events::Level::kDriver, 10, 0);
  tell(events::Level::kProcess, 510, 10);
  tell(events::Level::kDriver, 10, 40);
  tell(events::Level::kDriver, 160, 60);
  tell(events::Level::kDriver, 160, 72);
  tell(events::Level::kProcess, 660, 90);
  const auto view = stream.Publish();
  const auto process = [&](double end) {
    const TimelinePlot plot = Plot(*view, TimeAxis::kEvents, {0, end}, 1000);
    return *std::ranges::find(plot.lines, "process", &PlotLine::title);
  };
  CHECK(process(3).bytes.back() == 510 << 20);
  CHECK(process(3).when_told.empty());  // nothing has changed since
  CHECK(process(5).bytes.back() == 510 << 20);
  CHECK(process(5).when_told == ", told " + FormatDuration(62 * kMs) + " before");
  CHECK(process(6).bytes.back() == 660 << 20);
  CHECK(process(6).when_told.empty());
}

TEST_CASE("A column's stack is that of its highest moment, and sums up to the byte") {
  const auto view = ManySteps(5000, 3210);
  const TimelinePlot plot = Plot(*view, TimeAxis::kEvents, WholeRange(*view, TimeAxis::kEvents), 800);
  CheckContiguous(plot);
  CHECK(plot.columns.size() <= 801);
  CHECK(plot.columns.size() >= 640);
  CHECK(plot.columns.front().begin == 0);
  CHECK(plot.columns.back().end == static_cast<double>(view->end()));
  int spikes = 0;
  for (const PlotColumn& column : plot.columns) {
    int64_t sum = 0;
    for (int category = 0; category < events::kCategoryCount; ++category)
      sum += column.at_peak[static_cast<size_t>(category)];
    CHECK(sum == AllocatedOf(column));
    const auto begin = static_cast<EventIndex>(column.begin);
    const auto end = static_cast<EventIndex>(column.end);
    const View::Peak peak = view->PeakIn(Series::kAllocated, begin, end);
    CHECK(peak.index == column.peak);
    CHECK(peak.values == column.at_peak);
    spikes += AllocatedOf(column) > 77'000'000 ? 1 : 0;
  }
  CHECK(spikes == 1);
  CHECK(plot.highest_bytes == (1 << 20) + 100'352 + 77'000'192);
}

TEST_CASE("Columns stay where they are while the axis is moved") {
  const auto view = ManySteps(5000, 3210);
  const TimelinePlot here = Plot(*view, TimeAxis::kEvents, {10'000, 50'000}, 500);
  const TimelinePlot there = Plot(*view, TimeAxis::kEvents, {10'013, 50'013}, 500);
  size_t same = 0;
  for (const PlotColumn& a : here.columns) {
    same += static_cast<size_t>(std::count_if(
        there.columns.begin(), there.columns.end(),
        [&](const PlotColumn& b) { return a.begin == b.begin && a.end == b.end && a.peak == b.peak; }));
  }
  CHECK(same + 1 >= here.columns.size());
}

TEST_CASE("On the axis of time columns hold what happened in them, and pauses what happened before") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 512).time_ns = 1'000'000;
  stream.Allocate(0x2000, 1024).time_ns = 1'000'500;
  stream.Free(0x2000);
  const_cast<events::Event&>(stream.events().back()).time_ns = 1'000'600;
  stream.Allocate(0x3000, 2048).time_ns = 2'000'000;
  const auto view = stream.Publish();
  const VisibleRange whole = WholeRange(*view, TimeAxis::kWallClock);
  CHECK(whole.begin == 0);
  CHECK(whole.end == 1'000'001);

  const TimelinePlot exact = Plot(*view, TimeAxis::kWallClock, whole, 10);
  CheckContiguous(exact);
  REQUIRE(exact.columns.size() == 4);
  CHECK(exact.columns[0].end == 500);
  CHECK(AllocatedOf(exact.columns[1]) == 1536);
  CHECK(exact.columns[2].end == 1'000'000);
  CHECK(AllocatedOf(exact.columns[2]) == 512);
  CHECK(AllocatedOf(exact.columns[3]) == 2560);

  const TimelinePlot coarse = Plot(*view, TimeAxis::kWallClock, whole, 3);
  CheckContiguous(coarse);
  CHECK(AllocatedOf(coarse.columns[0]) == 1536);
  CHECK(coarse.columns[0].lowest == 512);
  CHECK(AllocatedOf(coarse.columns[1]) == 512);
  CHECK(coarse.columns[1].peak == 2);
  CHECK(AllocatedOf(coarse.columns.back()) == 2560);

  const TimelinePlot pause = Plot(*view, TimeAxis::kWallClock, {700, 900'000}, 100);
  REQUIRE(pause.columns.size() == 1);
  CHECK(AllocatedOf(pause.columns[0]) == 512);
}

TEST_CASE("Columns of time lose no event") {
  const auto view = ManySteps(5000, 3210);
  for (const int columns : {60, 700, 2000}) {
    const TimelinePlot plot =
        Plot(*view, TimeAxis::kWallClock, WholeRange(*view, TimeAxis::kWallClock), columns);
    CHECK(plot.columns.size() <= static_cast<size_t>(columns) + 2);
    for (size_t k = 1; k < plot.columns.size(); ++k) CHECK(plot.columns[k].begin == plot.columns[k - 1].end);
    CHECK(std::count_if(plot.columns.begin(), plot.columns.end(),
                        [](const PlotColumn& column) { return AllocatedOf(column) > 77'000'000; }) == 1);
    for (const PlotColumn& column : plot.columns) {
      const double at = PositionOf(*view, TimeAxis::kWallClock, column.peak);
      CHECK(at <= column.end);
      CHECK(column.at_peak == view->ValuesAt(column.peak));
    }
  }
}

TEST_CASE(
    "What an earlier cut knows is what would be asked for, while a run goes on and lets go of its "
    "beginning") {
  std::mt19937_64 random(20);
  const auto below = [&random](uint64_t limit) { return static_cast<int64_t>(random() % limit); };
  Training training;
  training.Weight(1 << 20);
  for (int step = 0; step < 6000; ++step) training.Step(step, 100'000 + below(5000), 1 + below(90'000));
  std::vector<events::Event> run = training.events();
  int64_t late_ns = 0;
  for (events::Event& event : run) {  // pauses, and clocks that go back
    late_ns += below(50) == 0 ? below(3'000'000) : 0;
    event.time_ns += late_ns - below(3000);
  }
  for (const TimeAxis axis : {TimeAxis::kEvents, TimeAxis::kWallClock}) {
    timeline::Builder builder(50'000);
    PlotColumns cut;
    for (size_t sent = 0; sent < run.size();) {
      const size_t next = std::min(run.size() - sent, static_cast<size_t>(1 + below(1500)));
      builder.Append(std::span(run).subspan(sent, next));
      sent += next;
      const auto view = builder.Publish();
      const VisibleRange whole = WholeRange(*view, axis);
      const double span = whole.end - whole.begin;
      const double begin =
          below(3) == 0 ? whole.begin : whole.end - span / static_cast<double>(1 + sent / 20'000);
      const TimelinePlotRequest request{axis, {begin, whole.end}, 300};
      const PlotColumns alone = CutIntoColumns(*view, request);
      cut = CutIntoColumns(*view, request, cut);
      REQUIRE(cut.edges == alone.edges);
      for (size_t k = 0; k < alone.columns.size(); ++k) REQUIRE(cut.columns[k] == alone.columns[k]);
    }
  }
}

TEST_CASE("Any visible range is taken") {
  const auto view = ManySteps(100, -1);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const TimeAxis axis : {TimeAxis::kEvents, TimeAxis::kWallClock}) {
    CHECK(Plot(*view, axis, {5, 5}, 100).columns.empty());
    CHECK(Plot(*view, axis, {9, 5}, 100).columns.empty());
    CHECK(Plot(*view, axis, {kNan, 5}, 100).columns.empty());
    CHECK(Plot(*view, axis, {1e300, 1e301}, 100).columns.empty());
    CHECK(Plot(*view, axis, {-1e300, -1e299}, 100).columns.empty());
    CHECK(Plot(*view, axis, {0, 100}, 0).columns.empty());
    CHECK_FALSE(Plot(*view, axis, {-kInfinity, kInfinity}, 100).columns.empty());
    CHECK_FALSE(Plot(*view, axis, {10, 10.000001}, 100).columns.empty());
  }
  CHECK(Plot(*timeline::Builder().Publish(), TimeAxis::kEvents, {0, 10}, 10).columns.empty());
  CHECK(Plot(*timeline::Builder().Publish(), TimeAxis::kWallClock, {0, 10}, 10).columns.empty());
}

TEST_CASE("Positions and indices are each other's inverse") {
  const auto view = ManySteps(50, -1);
  for (const TimeAxis axis : {TimeAxis::kEvents, TimeAxis::kWallClock}) {
    for (EventIndex index = 0; index < view->end(); index += 7) {
      CHECK(IndexAtPosition(*view, axis, PositionOf(*view, axis, index)) == index);
      CHECK(IndexAtPosition(*view, axis, PositionOf(*view, axis, index) + 0.5) == index);
    }
    CHECK(IndexAtPosition(*view, axis, -5) == view->first());
    CHECK(IndexAtPosition(*view, axis, 1e300) == view->end());
  }
}

TEST_CASE("Following shows as much as the last steps need and ends with the view") {
  Training training;
  for (int step = 0; step < 10; ++step) training.Step(step, 1000, 1000);
  training.BeginStep(10);
  training.Allocate(0x1, 5);
  const auto view = training.Publish();
  const VisibleRange range = LastSteps(*view, TimeAxis::kEvents, 3);
  CHECK(range.end == static_cast<double>(view->end()));
  CHECK(range.end - range.begin == static_cast<double>(view->steps()[9].end + 1 - view->steps()[7].begin));
  const VisibleRange all = LastSteps(*view, TimeAxis::kEvents, 1000);
  CHECK(all.end == static_cast<double>(view->end()));
  CHECK(all.end - all.begin == static_cast<double>(view->steps()[9].end + 1 - view->steps()[0].begin));
  CHECK(LastSteps(*timeline::Builder().Publish(), TimeAxis::kEvents, 3).end == 0);
}

TEST_CASE("A column is found by a position in it, and none beside them") {
  timeline::Stream stream;
  for (uint64_t block = 1; block <= 100; ++block) stream.Allocate(block << 20, 512);
  const auto view = stream.Publish();
  const TimelinePlot plot = MakeTimelinePlot(*view, {}, {TimeAxis::kEvents, {20, 60}, 10});
  REQUIRE(plot.columns.size() > 3);
  for (const PlotColumn& column : plot.columns) {
    CHECK(ColumnAt(plot, column.begin) == &column);
    CHECK(ColumnAt(plot, column.end - 0.01) == &column);
  }
  CHECK(ColumnAt(plot, plot.columns.front().begin - 0.01) == nullptr);
  CHECK(ColumnAt(plot, plot.columns.back().end) == nullptr);
  CHECK(ColumnAt(TimelinePlot(), 1) == nullptr);
}

TEST_CASE("A block is told by what it holds, who made it and how long it lived") {
  Training training;
  training.Weight(1000);
  training.Step(0, 2000, 3000);
  const auto view = training.Publish();
  const timeline::State state = view->StateAt(training.peak());
  REQUIRE(state.blocks.size() == 3);
  const BlockDescription weight = DescribeBlock(*view, state.blocks[0]);
  CHECK(weight.title == "conv1.weight");
  CHECK(weight.category == Category::kParameter);
  CHECK(weight.rounded_bytes == 1024);
  CHECK(weight.bytes == 1000);
  CHECK(weight.layer == "conv1");
  CHECK(weight.alive == "since event " + std::to_string(weight.born));
  const BlockDescription activation = DescribeBlock(*view, state.blocks[1]);
  CHECK(activation.title == "conv1 output");
  CHECK(activation.op == "aten::relu");
  CHECK(activation.alive == "4.00 µs · event 11 → 15");
  CHECK(DescribeBlock(*view, state.blocks[2]).title == "temporary of aten::relu");
}

TEST_CASE("What a column tells of its highest event is of that alone, and says so where others differ") {
  timeline::Stream stream;
  stream.Add(events::EventKind::kSegmentAllocate, 0x1000, 2'000'000);
  stream.Allocate(0x1000, 1024);
  stream.Free(0x1000);
  stream.Add(events::EventKind::kSegmentAllocate, 0x400000, 20'000'000);
  const auto view = stream.Publish();
  const auto lines = [&](int columns) {
    const TimelinePlot plot = MakeTimelinePlot(*view, {},
                                               {TimeAxis::kEvents, WholeRange(*view, TimeAxis::kEvents),
                                                columns, ByteUnit::kMegabytes, timeline::kAllCategories});
    return DescribeColumn(*ColumnAt(plot, 1), timeline::kAllCategories);
  };
  CHECK(lines(100) == std::vector<std::string>{"event 1 · allocated 1,024 B · reserved 2,000,000 B"});
  CHECK(lines(1) ==
        std::vector<std::string>{"highest of this column: event 1 · allocated 1,024 B · reserved 2,000,000 B",
                                 "reserved in this column up to 22,000,000 B", "lowest of this column 0 B"});
}

TEST_CASE("What lies between two events is told in events, time and bytes") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 512);
  stream.Allocate(0x2000, 10'000'000).rounded_bytes = 10'000'000;
  stream.Free(0x1000);
  const auto view = stream.Publish();
  CHECK(MeasureBetween(*view, 0, 1, ByteUnit::kMegabytes) == "1 event · 1.00 µs · +10.0 MB allocated");
  CHECK(MeasureBetween(*view, 0, 2, ByteUnit::kMegabytes).starts_with("2 events"));
}

}  // namespace tidemark::presenters
