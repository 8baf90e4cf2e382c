#include "app/presenters/tables.h"

#include <algorithm>

#include "app/presenters/bridge.h"
#include "app/presenters/selection.h"
#include "profiler/base/format.h"
#include "tests/support/catch.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

using events::Category;

textbook::Estimate SmallBook() {
  textbook::Estimate book;
  book.parameters_bytes = 1000;
  book.activations_bytes = 2000;
  book.total_bytes = 3000;
  book.terms = {{Category::kParameter, "", 1000, "", ""}, {Category::kActivation, "", 2000, "", ""}};
  book.layers = {{"conv1", "64×10×10", 250, 1000, 2000, 0, "2,000", ""},
                 {"relu", "64×10×10", 0, 0, 0, 0, "shared", "conv1"}};
  return book;
}

const BreakdownRow* RowOf(const Breakdown& breakdown, Category category) {
  const auto found = std::find_if(breakdown.rows.begin(), breakdown.rows.end(),
                                  [category](const BreakdownRow& row) { return row.category == category; });
  return found == breakdown.rows.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("What a prediction leaves out is told without this machine's folders") {
  session::Prediction prediction;
  CHECK(LeftOut(prediction).empty());
  prediction.unknown_sizes = {"RNN of 7", "dropout"};
  CHECK(LeftOut(prediction) == "Not known, counted as 0 in the phantom's prediction: RNN of 7, dropout.");
  prediction.without_workspaces = "/usr/lib/libcudnn.so.9 is not there; install it or 1/2 of it";
  CHECK(LeftOut(prediction) ==
        "cuDNN's workspaces are not included in the phantom's prediction: libcudnn.so.9 is not there; "
        "install it or 1/2 of it.");
}

TEST_CASE("Of how many steps a prediction is, is told beside a run that is longer and differs") {
  session::Prediction prediction;
  prediction.steps = 3;
  CHECK(OfFewerSteps(prediction, 40, false).empty());
  CHECK(OfFewerSteps(prediction, 3, true).empty());
  CHECK(OfFewerSteps(prediction, 1'040, true).find("is of 3 steps, the run's figures are of 1,040:") !=
        std::string::npos);
  CHECK(OfFewerSteps({}, 40, true).empty());
}

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
  CHECK(MakeBreakdown(*view, {}, {}).rows.empty());
  const Breakdown breakdown = MakeBreakdown(*view, SmallBook(), {});
  CHECK(breakdown.moment == "no step is complete yet");
  REQUIRE(breakdown.rows.size() == 2);
  CHECK(breakdown.rows[0].textbook_bytes == 1000);
  CHECK_FALSE(breakdown.rows[0].measured_bytes);
  CHECK(breakdown.totals.size() == 3);
}

TEST_CASE("Where the run had more than the latest step is told with it, and in which step") {
  Training training;
  training.BeginStep(0);
  training.Allocate(1 << 20, 3'000'000);
  training.Free(1 << 20);
  training.EndStep(0);
  training.BeginStep(1);
  training.Allocate(1 << 20, 2'000'000);
  training.Free(1 << 20);
  training.EndStep(1);
  const Breakdown breakdown = MakeBreakdown(*training.Publish(), {}, {});
  CHECK(breakdown.moment == "at the peak of step 1");
  REQUIRE(breakdown.higher);
  CHECK(InWords(*breakdown.higher, ByteUnit::kMegabytes) ==
        "The most of the run, 3.0 MB allocated, was in step 0.");
  training.BeginStep(2);
  training.Allocate(1 << 20, 3'000'000);
  training.EndStep(2);
  CHECK_FALSE(MakeBreakdown(*training.Publish(), {}, {}).higher);  // as high is no higher
}

TEST_CASE("A step whose number came again is told to be of before the run began anew") {
  Training training;
  const auto step = [&training](int64_t number, int64_t bytes) {
    training.BeginStep(number);
    training.Allocate(1 << 20, bytes);
    training.Free(1 << 20);
    training.EndStep(number);
  };
  step(0, 1'000'000);
  step(1, 3'000'000);
  step(2, 1'000'000);
  const auto higher = [&training] { return MakeBreakdown(*training.Publish(), {}, {}).higher; };
  CHECK(higher()->where == "in step 1");
  step(0, 1'000'000);
  CHECK(higher()->where == "in step 1, before the run began anew");
}

TEST_CASE("A program without a step is told at its highest moment") {
  Training training;
  training.Add(events::EventKind::kSegmentAllocate, 0x100000, 1 << 21);
  training.Weight(1000);
  CHECK_FALSE(LatestPeak(*training.Publish()));
  const Breakdown breakdown = MakeBreakdown(*training.Publish(), {}, {}, Told::kStepOrRun);
  CHECK(breakdown.moment == "at the peak of the run");
  REQUIRE(breakdown.rows.size() == 1);
  CHECK(breakdown.rows[0].measured_bytes == 1024);
  CHECK(breakdown.totals.at(0).measured_bytes == 1000);
  CHECK(breakdown.totals.at(2).measured_bytes == 1 << 21);
  training.Step(0, 9000, 9000);
  CHECK(LatestPeak(*training.Publish(), Told::kStepOrRun)->step == 0);
  CHECK_FALSE(LatestPeak(*timeline::Builder().Publish(), Told::kStepOrRun));
  training.Allocate(0x9000, 1'000'000);  // an evaluation after the last step
  CHECK(LatestPeak(*training.Publish(), Told::kStepOrRun)->title == "at the peak of the run");
  CHECK(LatestPeak(*training.Publish())->step == 0);
}

TEST_CASE("Where memory ran out, the tables tell of that step, although it is not complete") {
  Training training;
  training.Weight(1000);
  training.Step(0, 2000, 3000);
  training.BeginStep(1);
  training.Allocate(0x9000, 1'000'000);
  const auto before = training.Publish();
  CHECK_FALSE(MeasuredAt(*before, *LatestPeak(*before)).ran_out);
  training.Add(events::EventKind::kOutOfMemory, 0, 2'000'000'000);
  const auto failed = training.Publish();
  const MeasuredPeak measured = MeasuredAt(*failed, *LatestPeak(*failed));
  CHECK(measured.ran_out);
  CHECK(measured.bytes > 2'001'000'000);  // what was there and what was asked for
  REQUIRE(LatestPeak(*failed));
  CHECK(LatestPeak(*failed)->title == "at the peak of step 1, in which memory ran out");
  const Breakdown breakdown = MakeBreakdown(*failed, {}, {});
  CHECK(breakdown.moment == "at the peak of step 1, in which memory ran out");
  REQUIRE_FALSE(breakdown.totals.empty());
  CHECK(breakdown.totals[1].measured_bytes.value_or(0) > 1'000'000);

  training.Step(2, 2000, 3000);  // what was survived is past
  CHECK(LatestPeak(*training.Publish())->step == 2);
}

TEST_CASE(
    "Of a run that is over the step is told that needed the most, and the last of those that are alike") {
  CHECK_FALSE(PeakOfRun(*timeline::Builder().Publish()));
  Training training;
  training.Weight(1000);
  CHECK(PeakOfRun(*training.Publish())->title == "at the peak of the run");
  training.Step(0, 2000, 9000);
  training.Step(1, 2000, 3000);
  CHECK(LatestPeak(*training.Publish())->step == 1);
  const std::optional<PeakMoment> peak = PeakOfRun(*training.Publish());
  CHECK(peak->step == 0);
  CHECK(peak->title == "at the peak of the run, in step 0");
  CHECK_FALSE(HigherElsewhere(*training.Publish(), *peak));
  training.Step(2, 2000, 9000);
  CHECK(PeakOfRun(*training.Publish())->step == 2);
  training.Allocate(0x9000, 1'000'000);  // after the last step
  CHECK(PeakOfRun(*training.Publish())->title == "at the peak of the run");
  training.BeginStep(3);
  training.Add(events::EventKind::kOutOfMemory, 0, 2'000'000'000);
  CHECK(PeakOfRun(*training.Publish())->title == "at the peak of step 3, in which memory ran out");
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
  const Breakdown breakdown = MakeBreakdown(*view, SmallBook(), prediction);
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

TEST_CASE("A moment as high as the peak is the peak") {
  Training training;
  training.BeginStep(3);
  for (const uint64_t address : {0x400000, 0x500000}) {
    training.Allocate(address, 4096);
    if (address == 0x400000) training.Free(address);
  }
  const timeline::EventIndex second = training.latest();
  training.EndStep(3);
  const auto view = training.Publish();
  REQUIRE(view->steps()[0].peak < second);
  CHECK(ToldAt(*view, second).is_peak);
  CHECK(ToldAt(*view, second).title == "at the peak of step 3");
}

TEST_CASE("What was requested has a row where it is told, though it be as much as allocated at the peak") {
  Training told;
  told.Allocate(0x300000, 1000);
  told.Free(0x300000);
  told.Step(0, 2048, 512);
  const Breakdown breakdown = MakeBreakdown(*told.Publish(), {}, {});
  CHECK(breakdown.totals[0].title == "requested");
  CHECK(breakdown.totals[0].measured_bytes == breakdown.totals[1].measured_bytes);
}

TEST_CASE("What was requested has no row where nobody told of it") {
  Training training;
  training.Weight(1024);
  training.Step(0, 2048, 512);
  const auto view = training.Publish();
  const Breakdown breakdown = MakeBreakdown(*view, {}, {});
  REQUIRE(breakdown.totals.size() == 2);
  CHECK(breakdown.totals[0].title == "allocated");
  CHECK(ShareOfAllocated(breakdown, *RowOf(breakdown, Category::kParameter)) == 1024.0 / 3584);
  CHECK_FALSE(ShareOfAllocated(breakdown, breakdown.totals[0]));
  session::Prediction prediction;
  prediction.allocated_peak_bytes = 3584;
  prediction.requested_peak_bytes = 3500;
  CHECK(MakeBreakdown(*view, {}, prediction).totals[0].title == "requested");
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
  const Breakdown breakdown = MakeBreakdown(*training.Publish(), {}, prediction);
  REQUIRE(breakdown.totals.size() == 4);
  CHECK(breakdown.totals[3].title == "driver");
  CHECK(breakdown.totals[3].phantom_bytes == 4500);
}

TEST_CASE("Without segments there is no reserved figure") {
  Training training;
  training.Step(0, 1000, 1000);
  const Breakdown breakdown = MakeBreakdown(*training.Publish(), {}, {});
  CHECK_FALSE(breakdown.totals.at(2).measured_bytes);
}

TEST_CASE("Layers show what of theirs is alive at the peak") {
  Training training;
  training.Weight(1000);
  training.Step(0, 2000, 3000);
  const auto view = training.Publish();
  const std::vector<LayerRow> rows = MakeLayerTable(*view, SmallBook());
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].name == "conv1");
  CHECK(rows[0].output == "64×10×10");
  CHECK(rows[0].activations_bytes == 2000);
  CHECK(rows[0].measured_saved_bytes == 2048);
  CHECK(rows[0].measured_temporary_bytes == 3072);
  CHECK(rows[0].share_of_peak == Approx(1.0));
  CHECK(rows[1].measured_saved_bytes == 0);
  CHECK(rows[1].share_of_peak == 0);
  CHECK(rows[1].counts_with == "conv1");
  CHECK(rows[0].allocated_by.empty());  // of which nothing is alive
  CHECK_FALSE(MakeLayerTable(*timeline::Builder().Publish(), SmallBook())[0].measured_saved_bytes);
}

TEST_CASE("A layer's share counts its parameters, which are there before any layer runs") {
  Training training;
  training.Allocate(0x500000, 1024, Category::kParameter);
  training.Categorize(0x500000, Category::kParameter, training.Name("conv1.weight"));
  training.Allocate(0x600000, 1024, Category::kParameter);
  training.Categorize(0x600000, Category::kParameter, training.Name("fc.weight"));
  training.Step(0, 2048, 4096);
  const auto view = training.Publish();
  const std::vector<LayerRow> rows = MakeLayerTable(*view, SmallBook());
  CHECK(rows[0].share_of_peak == Approx(7.0 / 8));
  const std::vector<LayerRow> of_program = MakeLayerTable(*view, LatestPeak(*view));
  REQUIRE(of_program.size() == 2);
  CHECK(of_program[0].share_of_peak == Approx(7.0 / 8));
  CHECK(of_program[1].name == "fc");  // which has not run yet
  CHECK(of_program[1].share_of_peak == Approx(1.0 / 8));
}

TEST_CASE("Layers show the workspaces that were asked for in them") {
  Training training;
  training.BeginStep(0);
  training.Allocate(0x500000, 4096, events::Category::kWorkspace).layer = training.Name("conv1");
  training.EndStep(0);
  const auto view = training.Publish();
  const std::vector<LayerRow> rows = MakeLayerTable(*view, SmallBook());
  CHECK(rows[0].measured_workspace_bytes == 4096);
  CHECK(rows[1].measured_workspace_bytes == 0);
  CHECK(rows[0].measured_temporary_bytes == 0);
  CHECK(rows[0].share_of_peak == Approx(1.0));
}

TEST_CASE("Every part of a layer's share is told with its size, the largest first") {
  LayerRow row;
  row.measured_workspace_bytes = 68'220'000;
  row.measured_gradient_bytes = 4'010'000;
  row.other_bytes = 4'020'000;
  CHECK(
      PartsInWords(row, ByteUnit::kMegabytes) ==
      "68.2 MB workspace\n4.0 MB other: parameters, optimizer state, inputs, copies of autocast's, and what "
      "is not known\n4.0 MB gradient");
  CHECK(PartsInWords({}, ByteUnit::kMegabytes).empty());
}

TEST_CASE("A program's layers are those that hold something, in the order in which the run met them") {
  Training training;
  training.BeginStep(0);
  const auto second = training.Name("second");
  const auto first = training.Name("first");
  training.Allocate(0x500000, 1024, Category::kActivation).layer = first;
  training.Allocate(0x600000, 2048, Category::kGradient).layer = second;
  training.Allocate(0x700000, 512, Category::kInput);
  training.Allocate(0x800000, 512, Category::kUnknown).layer = second;
  training.EndStep(0);
  const auto view = training.Publish();
  const std::vector<LayerRow> rows = MakeLayerTable(*view, LatestPeak(*view));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].name == "second");
  CHECK(rows[0].measured_gradient_bytes == 2048);
  CHECK(rows[0].other_bytes == 512);
  CHECK(rows[1].other_bytes == 0);
  CHECK(rows[0].share_of_peak == Approx(0.625));
  CHECK(rows[1].name == "first");
  CHECK(rows[1].measured_saved_bytes == 1024);
  CHECK(MakeLayerTable(*view, std::optional<PeakMoment>()).empty());
}

TEST_CASE("A layer's figure stands where another layer allocated it") {
  Training training;
  training.BeginStep(0);
  training.BeginPhase(events::Phase::kForward);
  training.Allocate(0x200000, 2000).layer = training.Name("relu");
  training.Categorize(0x200000, Category::kActivation, training.Name("relu output"));
  training.EndStep(0);
  const std::vector<LayerRow> rows = MakeLayerTable(*training.Publish(), SmallBook());
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].measured_saved_bytes == 0);
  CHECK(rows[0].allocated_by == "relu");
  CHECK(rows[1].measured_saved_bytes == 2048);
  CHECK(rows[1].allocated_by.empty());
}

}  // namespace tidemark::presenters
