#include "app/presenters/plot/device_work.h"

#include <algorithm>
#include <cmath>

#include "tests/support/catch.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

using events::EventKind;

struct Work {
  EventKind kind;
  int64_t begin_ns;
  int64_t duration_ns;
  int64_t bytes;
};

// A thousand events, a microsecond apart, and work in between.
std::shared_ptr<const timeline::View> Run(const std::vector<Work>& works) {
  timeline::Stream stream;
  stream.Name("gemm");
  stream.Name("host to device");
  while (stream.events().size() < 1000) stream.BeginPhase(events::Phase::kForward);
  for (const Work& work : works) {
    events::Event& event =
        stream.Add(work.kind, static_cast<uint64_t>(timeline::Stream::kStartNs + work.begin_ns), work.bytes);
    event.rounded_bytes = work.duration_ns;
    event.name = work.kind == EventKind::kKernel ? 1 : 2;
  }
  return stream.Publish();
}

}  // namespace

TEST_CASE("Totals of work: counts, the longest first, nothing of none") {
  const auto view = Run({{EventKind::kKernel, 0, 30, 0},
                         {EventKind::kMemoryCopy, 40, 100, 4096},
                         {EventKind::kKernel, 200, 30, 0},
                         {EventKind::kMemorySet, 300, 1, 64}});
  const WorkTotals totals = TotalsOfWork(*view, 2);
  CHECK(CountsText(totals.counts) == "2 kernels, 1 memory copy, 1 memset");
  CHECK(totals.duration_ns == 161);
  REQUIRE(totals.longest.size() == 2);
  CHECK(totals.longest[0].name == "copy host to device");
  CHECK(totals.longest[1].name == "gemm");
  CHECK(totals.longest[1].count == 2);
  CHECK(CountsText(TotalsOfWork(*Run({}), 2).counts).empty());
}

TEST_CASE("The lane holds each work once, however far one zooms, on both axes") {
  std::vector<Work> works;
  for (int i = 0; i < 5000; ++i) works.push_back({EventKind::kKernel, i * 190 + (i * 7919) % 50, 40, 0});
  const auto view = Run(works);
  for (const TimeAxis axis : {TimeAxis::kEvents, TimeAxis::kWallClock}) {
    for (const int columns : {10, 20, 100, 900}) {  // of one, the plot itself ends early
      const TimelinePlot plot = MakeTimelinePlot(*view, {}, {axis, WholeRange(*view, axis), columns});
      const DeviceLane lane = MakeDeviceLane(*view, axis, plot.columns);
      REQUIRE(lane.columns.size() == plot.columns.size());
      int64_t count = 0;
      int64_t busy_ns = 0;
      for (const WorkColumn& column : lane.columns) {
        count += column.count();
        busy_ns += column.busy_ns;
      }
      CHECK(count + static_cast<int64_t>(lane.slices.size()) == 5000);
      CHECK(busy_ns == 40 * count);
    }
  }
}

TEST_CASE("The axis of time reaches to the end of the work that comes last, and its lane shows it") {
  // The second ends after the one that was told after it.
  const auto view = Run({{EventKind::kKernel, 0, 10, 0},
                         {EventKind::kKernel, 1'500'000, 500'000, 0},
                         {EventKind::kKernel, 1'600'000, 10, 0}});
  const VisibleRange whole = WholeRange(*view, TimeAxis::kWallClock);
  CHECK(std::abs(whole.end - 2'000'001) < 1);
  CHECK(IndexAtPosition(*view, TimeAxis::kWallClock, 1'800'000) == view->end() - 1);
  for (const int columns : {10, 100, 2000}) {  // of 2000, one column per moment
    const TimelinePlot plot = MakeTimelinePlot(*view, {}, {TimeAxis::kWallClock, whole, columns});
    CHECK(std::abs(plot.columns.back().end - whole.end) <= (whole.end - whole.begin) / columns + 1);
    const DeviceLane lane = MakeDeviceLane(*view, TimeAxis::kWallClock, plot.columns);
    auto count = static_cast<int64_t>(lane.slices.size());
    for (const WorkColumn& column : lane.columns) count += column.count();
    CHECK(count == 3);
  }
}

TEST_CASE("A work of several columns is a slice of its own; columns out of sight hold nothing") {
  const auto view = Run({{EventKind::kKernel, 100'000, 50'000, 0}, {EventKind::kKernel, 400'000, 10, 0}});
  const TimeAxis axis = TimeAxis::kWallClock;
  const TimelinePlot plot = MakeTimelinePlot(*view, {}, {axis, {50'000, 250'000}, 100});
  const DeviceLane lane = MakeDeviceLane(*view, axis, plot.columns);
  REQUIRE(lane.slices.size() == 1);
  CHECK(std::abs(lane.slices[0].begin - 100'000) < 2000);
  CHECK(std::abs(lane.slices[0].end - 150'000) < 2000);
  CHECK(std::ranges::all_of(lane.columns, [](const WorkColumn& column) { return column.count() == 0; }));
  CHECK(MakeDeviceLane(*Run({}), axis, plot.columns).columns.empty());
}

}  // namespace tidemark::presenters
