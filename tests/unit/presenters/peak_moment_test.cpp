#include "app/presenters/moment/peak_moment.h"

#include "app/presenters/moment/breakdown.h"
#include "tests/support/catch.h"
#include "tests/unit/presenters/latest_peak.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {

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
  const Breakdown breakdown = BreakdownAtPeak(*training.Publish());
  CHECK(breakdown.moment == "at the peak of step 1");
  REQUIRE(breakdown.higher);
  CHECK(InWords(*breakdown.higher, ByteUnit::kMegabytes) ==
        "The most of the run, 3.0 MB allocated, was in step 0.");
  training.BeginStep(2);
  training.Allocate(1 << 20, 3'000'000);
  training.EndStep(2);
  CHECK_FALSE(BreakdownAtPeak(*training.Publish()).higher);  // as high is no higher
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
  const auto higher = [&training] { return BreakdownAtPeak(*training.Publish()).higher; };
  CHECK(higher()->where == "in step 1");
  step(0, 1'000'000);
  CHECK(higher()->where == "in step 1, before the run began anew");
}

TEST_CASE("A program without a step is told at its highest moment") {
  Training training;
  training.Add(events::EventKind::kSegmentAllocate, 0x100000, 1 << 21);
  training.Weight(1000);
  CHECK_FALSE(LatestPeak(*training.Publish()));
  const Breakdown breakdown =
      MakeBreakdown(*training.Publish(), {}, {}, LatestPeak(*training.Publish(), Told::kStepOrRun));
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

TEST_CASE("A peak was measured with the settings that were in force then") {
  timeline::Stream stream;
  for (const int batch : {64, 8}) {
    networks::TrainingSettings settings;
    settings.batch = batch;
    stream.Mark(0, stream.Name(networks::ToJson(settings)));
    stream.BeginStep(batch == 64 ? 0 : 1);
    stream.Allocate(0x1000, 1000 * batch);
    stream.Free(0x1000);
    stream.EndStep(batch == 64 ? 0 : 1);
  }
  const auto view = stream.Publish();
  CHECK(MeasuredAt(*view, *LatestPeak(*view)).settings->batch == 8);
  CHECK(MeasuredAt(*view, *PeakOfRun(*view)).settings->batch == 64);
}

TEST_CASE("Where memory ran out, the tables tell of that moment, although its step is not complete") {
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
  CHECK_FALSE(measured.settings);         // nobody told of any
  REQUIRE(LatestPeak(*failed));
  CHECK(LatestPeak(*failed)->title == "where memory ran out in step 1");
  const Breakdown breakdown = BreakdownAtPeak(*failed);
  CHECK(breakdown.moment == "where memory ran out in step 1");
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
  training.Step(3, 2000, 3000);
  const auto later = training.Publish();
  CHECK(HigherElsewhere(*later, *LatestPeak(*later))->where == "in step 2");
  training.Allocate(0x9000, 1'000'000);  // after the last step
  CHECK(PeakOfRun(*training.Publish())->title == "at the peak of the run");
  training.BeginStep(4);
  training.Add(events::EventKind::kOutOfMemory, 0, 2'000'000'000);
  CHECK(PeakOfRun(*training.Publish())->title == "where memory ran out in step 4");
}

TEST_CASE("A run that memory ended is told at that moment, although it had more before") {
  Training training;
  training.Weight(1000);
  training.Step(0, 2000, 3000);
  training.Allocate(0x9000, 1'000'000);  // in an evaluation
  training.Allocate(0xa000, 500'000);
  training.Free(0xa000);
  training.Add(events::EventKind::kOutOfMemory, 0, 2'000'000'000);
  const timeline::EventIndex failure = training.latest();
  training.Free(0x9000);  // as the error unwinds
  const auto view = training.Publish();
  for (const auto& moment : {PeakOfRun(*view), LatestPeak(*view), LatestPeak(*view, Told::kStepOrRun)}) {
    REQUIRE(moment);
    CHECK(moment->index == failure);
    CHECK(moment->title == "where memory ran out after step 0");
    CHECK(moment->ran_out);
    CHECK_FALSE(moment->is_peak);
  }
  const Breakdown breakdown = BreakdownAtPeak(*view);
  CHECK(breakdown.totals.at(0).measured_bytes == 1'001'000);
  REQUIRE(breakdown.higher);
  CHECK(breakdown.higher->where == "after step 0");
}

TEST_CASE("A run whose evaluation ran out of memory and went on with smaller batches is told at its peak") {
  Training training;
  training.Weight(1000);
  training.Step(0, 2000, 3000);
  training.Allocate(0x9000, 5'000'000);
  training.Add(events::EventKind::kOutOfMemory, 0, 2'000'000'000);
  training.Free(0x9000);
  CHECK(LatestPeak(*training.Publish())->title == "where memory ran out after step 0");
  training.Allocate(0x9000, 2'500'000);  // half of the batch
  training.Free(0x9000);
  const auto view = training.Publish();
  CHECK(LatestPeak(*view)->title == "at the peak of step 0");
  CHECK(LatestPeak(*view, Told::kStepOrRun)->title == "at the peak of the run");
  CHECK(PeakOfRun(*view)->title == "at the peak of the run");
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

}  // namespace tidemark::presenters
