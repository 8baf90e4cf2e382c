#include <algorithm>

#include "app/presenters/plot/timeline_plot.h"
#include "tests/support/catch.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

using events::Phase;

TimelinePlot PlotAll(const timeline::View& view, int columns,
                     const std::vector<SettingsEstimate>& estimates = {}) {
  return MakeTimelinePlot(view, estimates, {TimeAxis::kEvents, WholeRange(view, TimeAxis::kEvents), columns});
}

// Two settings, switched between steps 2 and 3.
class Switched : public Training {
 public:
  Switched() {
    const auto before = Name("{\"amp\":\"off\"}");
    const auto after = Name("{\"amp\":\"fp16\"}");
    Mark(Name("start"), before);
    Weight(512);
    for (int step = 0; step < 3; ++step) Step(step, 100'000'000, 1024);
    const auto text = Name("fp16 on");
    Mark(text, after);
    switched_ = latest();
  }
  timeline::EventIndex switched() const { return switched_; }

 private:
  timeline::EventIndex switched_ = 0;
};

}  // namespace

TEST_CASE("Phases cover the columns without gaps") {
  Training training;
  for (int step = 0; step < 3; ++step) training.Step(step, 1000, 1000);
  const auto view = training.Publish();
  const TimelinePlot plot = PlotAll(*view, 1000);
  REQUIRE(plot.phases.size() == 12);
  CHECK(plot.phases[0].phase == Phase::kForward);
  CHECK(plot.phases[1].phase == Phase::kBackward);
  CHECK(plot.phases[0].end == plot.phases[1].begin);
  CHECK(plot.phases.back().end == static_cast<double>(view->end()));
}

TEST_CASE("Phases narrower than a column join their neighbours") {
  Training training;
  for (int step = 0; step < 400; ++step) training.Step(step, 1000, 1000);
  const auto view = training.Publish();
  for (const int columns : {2000, 300, 20}) {
    const TimelinePlot plot = PlotAll(*view, columns);
    CHECK(plot.phases.empty());  // too narrow to tell apart: the lane tells steps
    CHECK_FALSE(plot.steps.empty());
  }
  for (const int columns : {20'000, 7000}) {
    const TimelinePlot plot = PlotAll(*view, columns);
    REQUIRE_FALSE(plot.phases.empty());
    CHECK(plot.phases.size() <= plot.columns.size());
    const double width =
        plot.columns[plot.columns.size() / 2].end - plot.columns[plot.columns.size() / 2].begin;
    for (size_t k = 0; k < plot.phases.size(); ++k) {
      if (k + 1 < plot.phases.size())
        CHECK(plot.phases[k].end - plot.phases[k].begin >= std::min(width, 3.0));
      if (k > 0) CHECK(plot.phases[k].begin == plot.phases[k - 1].end);
    }
  }
}

TEST_CASE("Steps are labelled where there is room, at round numbers") {
  Training training;
  for (int step = 0; step < 1000; ++step) training.Step(step, 1000, 1000);
  const auto view = training.Publish();
  const TimelinePlot all = PlotAll(*view, 1200);
  CHECK(all.steps.size() <= 1200 / 40 + 1);
  CHECK(all.steps.size() > 5);
  for (const PlotStep& step : all.steps) CHECK(step.number % 50 == 0);
  const auto& steps = view->steps();
  const TimelinePlot few =
      MakeTimelinePlot(*view, {},
                       {TimeAxis::kEvents,
                        {static_cast<double>(steps[500].begin), static_cast<double>(steps[503].end)},
                        1200});
  CHECK(few.steps.size() == 4);
  const TimelinePlot wide =
      MakeTimelinePlot(*view, {},
                       {TimeAxis::kEvents,
                        {static_cast<double>(steps[500].begin), static_cast<double>(steps[600].end)},
                        1200});
  REQUIRE(wide.steps.size() >= 20);
  CHECK(wide.steps[0].number == 500);
  CHECK(wide.steps[0].begin == static_cast<double>(steps[500].begin));
  CHECK(wide.steps[0].end == static_cast<double>(steps[500].end + 1));
}

TEST_CASE("A marker says its consequence as soon as a steady step is complete, and not before") {
  Switched training;
  CHECK(PlotAll(*training.Publish(), 500).markers.back().consequence.empty());
  training.Step(3, 90'000'000, 1024);
  CHECK(PlotAll(*training.Publish(), 500).markers.back().consequence.empty());
  training.Step(4, 54'600'000, 1024);
  const TimelinePlot plot = PlotAll(*training.Publish(), 500);
  REQUIRE(plot.markers.size() == 2);
  CHECK(plot.markers[0].text == "start");
  CHECK(plot.markers[0].consequence.empty());
  CHECK(plot.markers[1].text == "fp16 on");
  CHECK(plot.markers[1].consequence == "−45.4 MB at peak");
  CHECK(plot.markers[1].position == static_cast<double>(training.switched()));
  const TimelinePlot binary =
      MakeTimelinePlot(*training.Publish(), {}, {TimeAxis::kEvents, {0, 200}, 500, ByteUnit::kMebibytes});
  CHECK(binary.markers.back().consequence == "−43.3 MiB at peak");
}

TEST_CASE("Markers that change nothing have no consequence, and equal peaks say so") {
  Switched training;
  training.Step(3, 100'000'000, 1024);
  training.Step(4, 100'000'000, 1024);
  training.Mark(training.Name("a remark"));
  training.Step(5, 1, 1024);
  training.Step(6, 1, 1024);
  const TimelinePlot plot = PlotAll(*training.Publish(), 500);
  REQUIRE(plot.markers.size() == 3);
  CHECK(plot.markers[1].consequence == "±0 B at peak");
  CHECK(plot.markers[2].consequence.empty());
}

TEST_CASE("Markers and failures are bounded by the columns") {
  Training training;
  const auto text = training.Name("again");
  for (int n = 0; n < 5000; ++n) training.Mark(text);
  for (int n = 0; n < 5000; ++n) training.Add(events::EventKind::kOutOfMemory, 0, 3'000'000);
  const TimelinePlot plot = PlotAll(*training.Publish(), 50);
  CHECK(plot.markers.size() <= 51);
  CHECK(plot.failures.size() <= 51);
  CHECK(plot.failures.size() > 10);
  CHECK(plot.failures[0].text == "out of memory: 3.0 MB (3,000,000 B) asked for");
}

TEST_CASE("A run that memory ran out of has one marker for it, however much it lets go of before it ends") {
  constexpr uint64_t kBlocks = 300;
  const auto dies = [](int failures, bool asks_since) {
    Training training;
    for (uint64_t block = 1; block <= kBlocks; ++block) training.Allocate(block << 20, 512);
    for (int n = 0; n < failures; ++n) {
      training.Add(events::EventKind::kOutOfMemory, 0, 3'000'000);
      training.Allocate((kBlocks + 1) << 20, 512);
      training.Free((kBlocks + 1) << 20);
    }
    training.Add(events::EventKind::kOutOfMemory, 0, 3'000'000);
    for (uint64_t block = 1; block <= kBlocks; ++block) training.Free(block << 20);
    if (asks_since) training.Allocate(1 << 20, 512);
    training.Mark(training.Name("CUDA out of memory. Tried to allocate 2.86 MiB."));
    return PlotAll(*training.Publish(), 5000);
  };
  const TimelinePlot once = dies(0, false);
  CHECK(once.failures.size() == 1);
  CHECK(once.markers.empty());
  const TimelinePlot again = dies(1, false);  // it tried once more
  CHECK(again.failures.size() == 2);
  CHECK(again.markers.empty());
  CHECK(dies(0, true).markers.size() == 1);  // it went on, and ended later
}

TEST_CASE("Theory holds while its settings were in force") {
  Switched training;
  training.Step(3, 1000, 1000);
  const auto view = training.Publish();
  const std::vector<SettingsEstimate> estimates = {{1000, 2000, 3000}, {500, std::nullopt, std::nullopt}};
  const TimelinePlot plot = PlotAll(*view, 500, estimates);
  const auto switched = static_cast<double>(training.switched());
  REQUIRE(plot.textbook.size() == 2);
  CHECK(plot.textbook[0].bytes == 1000);
  CHECK(plot.textbook[0].end == switched);
  CHECK(plot.textbook[1].begin == switched);
  CHECK(plot.textbook[1].end == static_cast<double>(view->end()));
  REQUIRE(plot.phantom.size() == 1);
  CHECK(plot.phantom[0].bytes == 2000);
  const TimelinePlot later = MakeTimelinePlot(
      *view, estimates, {TimeAxis::kEvents, {switched + 2, static_cast<double>(view->end())}, 500});
  REQUIRE(later.textbook.size() == 1);
  CHECK(later.textbook[0].begin == switched + 2);
  const int64_t measured = plot.highest_bytes;
  REQUIRE(measured > 2000);  // so that theory has not decided it
  const TimelinePlot higher = PlotAll(*view, 500, {{measured + measured / 4, measured + measured / 2, {}}});
  CHECK(higher.highest_bytes == measured + measured / 2);
  const TimelinePlot high = PlotAll(*view, 500, {{900'000'000'000, measured + measured / 2 + 1, {}}});
  CHECK(high.highest_bytes == measured);
  CHECK(high.textbook[0].bytes == 900'000'000'000);
}

TEST_CASE("The axis comes back with a setting that is taken back, although what was reserved stays") {
  Switched training;
  const auto highest_of_latest = [&training] {
    const auto view = training.Publish();
    return MakeTimelinePlot(*view, {}, {TimeAxis::kEvents, LastSteps(*view, TimeAxis::kEvents, 2), 500})
        .highest_bytes;
  };
  const auto off = training.Name("{\"amp\":\"off\"}");
  training.Add(events::EventKind::kSegmentAllocate, 1 << 30, 120'000'000);
  training.Mark(training.Name("fp16 off"), off);
  for (const int64_t step : {3, 4}) training.Step(step, 100'000'000, 1024);
  CHECK(highest_of_latest() == 120'000'000);
  training.Mark(training.Name("fp16 on"), training.Name("{\"amp\":\"fp16\"}"));
  training.BeginStep(5);
  training.Add(events::EventKind::kSegmentAllocate, uint64_t{2} << 30, 300'000'000);
  training.Allocate(uint64_t{2} << 30, 380'000'000);
  training.Free(uint64_t{2} << 30);
  training.EndStep(5);
  training.Step(6, 380'000'000, 1024);
  CHECK(highest_of_latest() == 420'000'000);
  training.Mark(training.Name("fp16 off"), off);
  for (const int64_t step : {7, 8}) training.Step(step, 100'000'000, 1024);
  CHECK(highest_of_latest() == 120'000'000);
}

TEST_CASE("Theory is known even where the marker that set it was let go") {
  Switched training;
  for (int step = 3; step < 9000; ++step) training.Step(step, 1000, 1000);
  const auto view = training.Publish(32'768);
  CHECK(view->markers().empty());
  const TimelinePlot plot = PlotAll(*view, 500, {{1000, {}, {}}, {500, {}, {}}});
  REQUIRE(plot.textbook.size() == 1);
  CHECK(plot.textbook[0].bytes == 500);
}

}  // namespace tidemark::presenters
