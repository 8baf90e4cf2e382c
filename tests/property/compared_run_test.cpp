// A recording that is laid over itself has the same curve twice, at any width and zoom, on both axes: what is
// seen beside the first would be taken for a difference.
#include "app/presenters/plot/compared_run.h"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "profiler/trace/samples.h"
#include "profiler/trace/tide.h"
#include "tests/support/catch.h"

namespace tidemark::presenters {
namespace {

std::shared_ptr<const timeline::View> Read(const trace::Sample& sample) {
  timeline::Builder builder;
  REQUIRE(trace::ReadTide(sample.file, [&](std::span<const events::Event> chunk) {
            builder.Append(chunk);
          }).ok());
  return builder.Publish();
}

// Each level is as high as the highest of the columns that it lies over, and no column is left out: over one
// each, or where steps are too narrow for that over several.
void CheckSame(const TimelinePlot& plot) {
  auto column = plot.columns.begin();
  for (const PlotLevel& level : plot.compared) {
    int64_t highest = 0;
    REQUIRE((column != plot.columns.end() && column->begin == level.begin));
    for (; column != plot.columns.end() && column->begin < level.end; ++column)
      highest = std::max(highest, ValueOf(column->at_peak, timeline::Series::kAllocated));
    CHECK(level.bytes == highest);
  }
  CHECK(column == plot.columns.end());
}

void LayOverItself(const timeline::View& view, TimeAxis axis, VisibleRange sight) {
  for (const int columns : {137, 320, 480, 641, 700, 854, 1024, 1061, 1280, 1367, 1919, 1920, 2560, 3840}) {
    INFO(columns << " columns of " << sight.begin << " to " << sight.end);
    TimelinePlot plot = MakeTimelinePlot(view, {}, {axis, sight, columns});
    AddComparedRun(view, view, {}, plot);
    CheckSame(plot);
  }
}

TEST_CASE("A recording lies over itself with the same columns, however wide, and wherever one looks") {
  const auto samples = trace::LoadSamples();
  REQUIRE(samples.ok());
  for (const trace::Sample& sample : *samples) {
    INFO(sample.file);
    const auto view = Read(sample);
    for (const TimeAxis axis : {TimeAxis::kEvents, TimeAxis::kWallClock}) {
      const VisibleRange whole = WholeRange(*view, axis);
      const double width = whole.end - whole.begin;
      LayOverItself(*view, axis, whole);
      LayOverItself(*view, axis, {whole.begin + width * 0.31, whole.begin + width * 0.64});
      LayOverItself(*view, axis, {whole.begin + width * 0.52, whole.begin + width * 0.53});
    }
  }
}

}  // namespace
}  // namespace tidemark::presenters
