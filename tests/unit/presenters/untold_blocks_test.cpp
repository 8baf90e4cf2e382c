// What is told of a run of whose blocks nobody told: "–" and why, never 0.
#include "app/presenters/moment/untold_blocks.h"

#include <string>

#include "app/presenters/comparison/comparison_text.h"
#include "app/presenters/comparison/run_comparison.h"
#include "app/presenters/moment/breakdown.h"
#include "app/presenters/moment/bridge.h"
#include "app/presenters/moment/layer_table.h"
#include "app/presenters/moment/level_chain.h"
#include "app/presenters/moment/peak_moment.h"
#include "app/presenters/picture/picture.h"
#include "app/presenters/plot/timeline_plot.h"
#include "profiler/session/run_requests.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::presenters {
namespace {

using events::Level;
using events::Source;
using timeline::Series;

constexpr int64_t kMost = 40'000'000;

// One step of a run with cudaMallocAsync.
timeline::Stream StepOfAsync() {
  timeline::Stream stream;
  stream.Say(Source::kAllocator, "blocked: an allocator tells nobody of its blocks");
  stream.BeginStep(0);
  for (const int64_t bytes : {kMost / 4, kMost, kMost / 2}) stream.Count(Level::kDriver, bytes);
  stream.EndStep(0);
  return stream;
}

textbook::Estimate Book() {
  textbook::Estimate book;
  book.parameters_bytes = book.total_bytes = 30'000'000;
  book.terms = {{events::Category::kParameter, "", 30'000'000, "", ""}};
  book.layers.resize(1);
  book.layers[0].name = "fc";
  return book;
}

}  // namespace

TEST_CASE("Why nothing is known of blocks is what the allocator said, or that nobody told of any") {
  CHECK(WhyUntold(*StepOfAsync().Publish()) ==
        "What is allocated is not known. An allocator tells nobody of its blocks.");
  timeline::Stream stream;
  stream.Count(Level::kDriver, 1 << 20);
  CHECK(WhyUntold(*stream.Publish()) == "What is allocated is not known. Nobody told of a block.");
  stream.Say(Source::kAllocator, "absent: there is no PyTorch in this process");
  CHECK(WhyUntold(*stream.Publish()) ==
        "What is allocated is not known. There is no PyTorch in this process.");
  stream.Say(Source::kAllocator, "left out, as record --without asked");
  CHECK(WhyUntold(*stream.Publish()) ==
        "What is allocated is not known. The allocator is left out, as record --without asked.");
  stream.Allocate(0x1000, 1024);
  CHECK(WhyUntold(*stream.Publish()).empty());
}

TEST_CASE("Where blocks are not told the moment is the peak of the level that is") {
  const auto view = StepOfAsync().Publish();
  for (const auto& peak : {PeakOfRun(*view), LatestPeak(*view)}) {
    REQUIRE(peak);
    CHECK(ValueOf(view->ValuesAt(peak->index), Series::kDriver) == kMost);
    CHECK(peak->step == 0);
    CHECK_FALSE(HigherElsewhere(*view, *peak));
  }
  const auto higher = HigherElsewhere(*view, ToldAt(*view, view->steps()[0].peak - 1));
  REQUIRE(higher);
  CHECK(InWords(*higher, ByteUnit::kMegabytes) ==
        "The most of the run, 40.0 MB from the driver, was in step 0.");
}

TEST_CASE("Where blocks are not told nothing is measured of categories, and the levels above are") {
  const auto view = StepOfAsync().Publish();
  session::Prediction phantom;
  phantom.allocated_peak_bytes = phantom.requested_peak_bytes = 20'000'000;
  phantom.at_peak[0] = 20'000'000;
  const Breakdown breakdown = MakeBreakdown(*view, Book(), phantom, PeakOfRun(*view));
  CHECK(breakdown.untold == WhyUntold(*view));
  REQUIRE_FALSE(breakdown.rows.empty());
  for (const BreakdownRow& row : breakdown.rows) {
    CHECK_FALSE(row.measured_bytes);
    CHECK_FALSE(row.difference_bytes);
  }
  for (const BreakdownRow& total : breakdown.totals)
    CHECK(total.measured_bytes.value_or(0) == (total.level == Series::kDriver ? kMost : 0));
  const Breakdown of_program = MakeBreakdown(*view, std::nullopt, std::nullopt, PeakOfRun(*view));
  CHECK_FALSE(of_program.totals.empty());
}

TEST_CASE("Where blocks are not told one change leads from the textbook to the first level that is") {
  const auto view = StepOfAsync().Publish();
  const Bridge bridge = MakeBridge(*view, Book(), *PeakOfRun(*view));
  CHECK(bridge.untold == WhyUntold(*view));
  REQUIRE(bridge.steps.size() == 3);
  CHECK(bridge.steps[0].name == "textbook");
  CHECK(bridge.steps[1].name == "not told apart");
  CHECK(bridge.steps[1].bytes == kMost - 30'000'000);
  CHECK(bridge.steps[2].name == "driver");
  CHECK(bridge.steps[2].bytes == kMost);
}

TEST_CASE("Where blocks are not told layers have what is known on paper alone") {
  const auto view = StepOfAsync().Publish();
  const auto rows = MakeLayerTable(*view, Book(), PeakOfRun(*view));
  REQUIRE(rows.size() == 1);
  CHECK_FALSE(rows[0].measured_saved_bytes);
}

TEST_CASE("Where blocks are not told the curve is that of the level that is, and so is its axis") {
  const auto view = StepOfAsync().Publish();
  const TimelinePlot plot = MakeTimelinePlot(
      *view, {}, {TimeAxis::kEvents, WholeRange(*view, TimeAxis::kEvents), 2, ByteUnit::kMegabytes});
  CHECK(plot.highest_bytes == kMost);
  REQUIRE(plot.columns.size() == 2);
  CHECK(ShownBytes(plot.columns[1], timeline::kAllCategories) == kMost);
  CHECK(DescribeColumn(plot.columns[1], timeline::kAllCategories)[0].ends_with(
      " · 40,000,000 B from the driver"));
  const std::string picture = TimelinePicture(*view, "a run");
  CHECK(picture.find("At most 40.0 MB from the driver") != std::string::npos);
  CHECK(HighestOf(CurveOf(*view, 4)) == kMost);
}

TEST_CASE("Where blocks are not told two runs are not said to be the same, nor to differ by all of one's") {
  const auto untold = StepOfAsync().Publish();
  CHECK_FALSE(CompareRuns(*untold, *untold, ComparedSteps::kAll).same());
  timeline::Stream stream;
  stream.BeginStep(0);
  stream.Allocate(0x1000, 4096, events::Category::kParameter);
  stream.EndStep(0);
  const auto told = stream.Publish();
  const RunComparison comparison = CompareRuns(*told, *untold, ComparedSteps::kAll);
  CHECK_FALSE(comparison.streams.blocks_known);
  REQUIRE(comparison.at_peak.categories.size() == 1);
  CHECK(comparison.at_peak.categories[0].a == 4096);
  CHECK_FALSE(comparison.at_peak.categories[0].b);
  CHECK(comparison.at_peak.blocks.empty());
  CHECK(SummaryOf(comparison.streams, *told, "A", *untold, "B")
            .sentence.ends_with("Of B: " + WhyUntold(*untold)));
}

TEST_CASE("Where blocks are not told requests cannot be replayed") {
  CHECK_FALSE(session::RequestsOf(*StepOfAsync().Publish(), 1 << 30));
}

}  // namespace tidemark::presenters
