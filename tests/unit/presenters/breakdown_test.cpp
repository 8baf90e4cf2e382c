#include "app/presenters/moment/breakdown.h"

#include <algorithm>

#include "app/presenters/allocations/selection.h"
#include "app/presenters/moment/bridge.h"
#include "profiler/base/format.h"
#include "tests/support/catch.h"
#include "tests/unit/presenters/latest_peak.h"
#include "tests/unit/presenters/small_book.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

using events::Category;

const BreakdownRow* RowOf(const Breakdown& breakdown, Category category) {
  const auto found = std::find_if(breakdown.rows.begin(), breakdown.rows.end(),
                                  [category](const BreakdownRow& row) { return row.category == category; });
  return found == breakdown.rows.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE(
    "Why a run whose settings were changed has more allocated than predicted is told by what it asks for") {
  const auto why = [](std::optional<int64_t> requested, int64_t allocated) {
    Breakdown breakdown;
    breakdown.totals.resize(2);
    breakdown.totals[0].level = timeline::Series::kRequested;
    breakdown.totals[0].difference_bytes = requested;
    breakdown.totals[1].level = timeline::Series::kAllocated;
    breakdown.totals[1].difference_bytes = allocated;
    return WhyMoreIsAllocated(breakdown);
  };
  CHECK(why(0, 900'000).find("in larger blocks") != std::string::npos);
  CHECK(why(4'000'000, 4'900'000).find("may still be there") != std::string::npos);
  CHECK(why({}, 4'900'000).find("may still be there") != std::string::npos);
  CHECK(why(0, 0).empty());
  CHECK(why(-5, -5).empty());
  CHECK(WhyMoreIsAllocated({}).empty());
}

TEST_CASE("Before the first step is complete there is theory, and without it nothing") {
  Training training;
  training.BeginStep(0);
  const auto view = training.Publish();
  CHECK_FALSE(LatestPeak(*view));
  CHECK(BreakdownAtPeak(*view).rows.empty());
  const Breakdown breakdown = BreakdownAtPeak(*view, SmallBook());
  CHECK(breakdown.moment == "no step is complete yet");
  REQUIRE(breakdown.rows.size() == 2);
  CHECK(breakdown.rows[0].textbook_bytes == 1000);
  CHECK_FALSE(breakdown.rows[0].measured_bytes);
  CHECK(breakdown.totals.size() == 3);
}

TEST_CASE("The tables tell of any moment, and know a step's peak when they see it") {
  Training training;
  training.Weight(1000);
  training.Step(4, 2000, 3000);
  const timeline::EventIndex peak = training.peak();
  training.Step(5, 2000, 3000);
  const auto view = training.Publish();
  const PeakMoment there = ToldAt(*view, peak);
  CHECK(there.title == "at the peak of step 4");
  CHECK(there.is_peak);
  const PeakMoment before = ToldAt(*view, peak - 1);  // the temporary is not there yet
  CHECK_FALSE(before.is_peak);
  CHECK(before.title == "at event " + FormatNumber(static_cast<int64_t>(peak - 1)) + " of step 4");
  const Breakdown breakdown = MakeBreakdown(*view, {}, {}, before);
  REQUIRE(RowOf(breakdown, Category::kActivation));
  CHECK(RowOf(breakdown, Category::kActivation)->measured_bytes == 2048);
  CHECK(RowOf(breakdown, Category::kTemporary) == nullptr);
  CHECK(breakdown.totals[0].measured_bytes == 3000);
  const Bridge bridge = MakeBridge(*view, SmallBook(), before);
  CHECK(bridge.moment == before.title);
  CHECK(ToldAt(*view, view->first()).step == -1);

  const BytesByCategory of_layer = SelectedIn(LayerSelected("conv1"), *view, view->StateAt(peak)).bytes;
  CHECK(of_layer[static_cast<size_t>(Category::kActivation)] == 2048);
  CHECK(of_layer[static_cast<size_t>(Category::kParameter)] == 1024);
  const BytesByCategory of_other = SelectedIn(LayerSelected("fc"), *view, view->StateAt(peak)).bytes;
  CHECK(of_other == BytesByCategory{});
}

TEST_CASE("The breakdown puts textbook, phantom and measurement side by side at the last complete peak") {
  Training training;
  training.Add(events::EventKind::kSegmentAllocate, 0x100000, 1 << 21);
  training.Weight(1000);
  training.Step(0, 9000, 9000);
  training.Step(41, 2000, 3000);
  training.BeginStep(42);
  training.Allocate(0x9000, 1'000'000);
  const auto view = training.Publish();
  session::Prediction prediction;
  prediction.allocated_peak_bytes = 6000;
  prediction.requested_peak_bytes = 5900;
  prediction.reserved_peak_bytes = 1 << 21;
  prediction.at_peak[static_cast<size_t>(Category::kParameter)] = 1024;
  prediction.at_peak[static_cast<size_t>(Category::kActivation)] = 2000;
  const Breakdown breakdown = BreakdownAtPeak(*view, SmallBook(), prediction);
  CHECK(breakdown.moment == "at the peak of step 41");
  REQUIRE(breakdown.rows.size() == 3);
  const BreakdownRow* parameter = RowOf(breakdown, Category::kParameter);
  REQUIRE(parameter);
  CHECK(parameter->title == "parameter");
  CHECK(parameter->measured_bytes == 1024);
  CHECK(parameter->difference_bytes == 0);
  const BreakdownRow* activation = RowOf(breakdown, Category::kActivation);
  REQUIRE(activation);
  CHECK(activation->textbook_bytes == 2000);
  CHECK(activation->measured_bytes == 2048);
  CHECK(activation->difference_bytes == 48);
  const BreakdownRow* temporary = RowOf(breakdown, Category::kTemporary);
  REQUIRE(temporary);
  CHECK_FALSE(temporary->textbook_bytes);
  CHECK(temporary->measured_bytes == 3072);
  CHECK_FALSE(RowOf(breakdown, Category::kGradient));
  REQUIRE(breakdown.totals.size() == 3);
  CHECK(breakdown.totals[0].title == "requested");
  CHECK(breakdown.totals[0].measured_bytes == 6000);
  CHECK(breakdown.totals[1].title == "allocated");
  CHECK(breakdown.totals[1].textbook_bytes == 3000);
  CHECK(breakdown.totals[1].measured_bytes == 1024 + 2048 + 3072);
  CHECK(breakdown.totals[2].title == "reserved");
  CHECK(breakdown.totals[2].measured_bytes == 1 << 21);
}

TEST_CASE("At any moment blocks are told as what they proved to be by the end of their step") {
  Training training;
  training.BeginStep(3);
  training.Allocate(0x400000, 2048);
  const timeline::EventIndex moment = training.latest();
  training.Allocate(0x500000, 4096);
  training.Free(0x500000);
  training.Categorize(0x400000, Category::kGradient, training.Name("weight.grad"));
  training.EndStep(3);
  const auto view = training.Publish();
  const PeakMoment there = ToldAt(*view, moment);
  CHECK_FALSE(there.is_peak);
  const Breakdown breakdown = MakeBreakdown(*view, {}, {}, there);
  REQUIRE(RowOf(breakdown, Category::kGradient));
  CHECK(RowOf(breakdown, Category::kGradient)->measured_bytes == 2048);
  CHECK_FALSE(RowOf(breakdown, Category::kTemporary));
}

TEST_CASE("What was requested has a row where it is told, though it be as much as allocated at the peak") {
  Training told;
  told.Allocate(0x300000, 1000);
  told.Free(0x300000);
  told.Step(0, 2048, 512);
  const Breakdown breakdown = BreakdownAtPeak(*told.Publish());
  CHECK(breakdown.totals[0].title == "requested");
  CHECK(breakdown.totals[0].measured_bytes == breakdown.totals[1].measured_bytes);
}

TEST_CASE("Of each category what was requested is told beside the blocks that it lies in") {
  Training training;
  training.Allocate(0x300000, 1000);
  training.Categorize(0x300000, Category::kParameter);
  training.Step(0, 2048, 512);
  const Breakdown breakdown = BreakdownAtPeak(*training.Publish());
  REQUIRE(RowOf(breakdown, Category::kParameter));
  CHECK(RowOf(breakdown, Category::kParameter)->measured_bytes == 1024);
  CHECK(RowOf(breakdown, Category::kParameter)->requested_bytes == 1000);
}

TEST_CASE("What was requested has no row where nobody told of it") {
  Training training;
  training.Weight(1024);
  training.Step(0, 2048, 512);
  const auto view = training.Publish();
  const Breakdown breakdown = BreakdownAtPeak(*view);
  REQUIRE(breakdown.totals.size() == 2);
  CHECK(breakdown.totals[0].title == "allocated");
  CHECK(ShareOfAllocated(breakdown, *RowOf(breakdown, Category::kParameter)) == 1024.0 / 3584);
  CHECK_FALSE(ShareOfAllocated(breakdown, breakdown.totals[0]));
  session::Prediction prediction;
  prediction.allocated_peak_bytes = 3584;
  prediction.requested_peak_bytes = 3500;
  CHECK(BreakdownAtPeak(*view, {}, prediction).totals[0].title == "requested");
}

TEST_CASE("What the driver is predicted to give has room for all segments, those after the peak, too") {
  Training training;
  training.Step(0, 1000, 1000);
  training.Add(events::EventKind::kCounter, 0, 5000).level = events::Level::kDriver;
  training.Step(1, 1000, 1000);
  session::Prediction prediction;
  prediction.reserved_peak_bytes = 4000;
  prediction.at_peak[static_cast<size_t>(timeline::Series::kReserved)] = 3000;
  prediction.at_peak[static_cast<size_t>(timeline::Series::kDriver)] = 3500;
  const Breakdown breakdown = BreakdownAtPeak(*training.Publish(), {}, prediction);
  REQUIRE(breakdown.totals.size() == 4);
  CHECK(breakdown.totals[3].title == "driver");
  CHECK(breakdown.totals[3].phantom_bytes == 4500);
}

TEST_CASE(
    "Of a run that is over the most is told that it reserved, and where that is of another moment, as that") {
  Training training;
  training.BeginStep(0);
  training.Add(events::EventKind::kSegmentAllocate, 0x10'000'000, 1 << 20);
  training.Allocate(0x10'000'000, 2048);
  training.Free(0x10'000'000);
  training.Add(events::EventKind::kSegmentAllocate, 0x20'000'000, 1 << 20);
  training.EndStep(0);
  const auto within = training.Publish();
  const auto reserved = [](const timeline::View& view) {
    return MakeBreakdown(view, std::nullopt, std::nullopt, PeakOfRun(view)).totals.back();
  };
  CHECK(reserved(*within).title == "reserved, highest");
  CHECK(reserved(*within).measured_bytes == 2 << 20);
  training.BeginStep(1);
  training.Add(events::EventKind::kSegmentAllocate, 0x30'000'000, 1 << 20);
  training.EndStep(1);
  CHECK(reserved(*training.Publish()).measured_bytes == 3 << 20);
}

TEST_CASE("Without segments there is no reserved figure") {
  Training training;
  training.Step(0, 1000, 1000);
  const Breakdown breakdown = BreakdownAtPeak(*training.Publish());
  CHECK_FALSE(breakdown.totals.at(2).measured_bytes);
}

}  // namespace tidemark::presenters
