#include "app/presenters/moment/level_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "app/presenters/moment/breakdown.h"
#include "app/presenters/moment/bridge.h"
#include "app/presenters/moment/peak_moment.h"
#include "profiler/base/format.h"
#include "profiler/events/driver_memory.h"
#include "tests/support/catch.h"
#include "tests/unit/presenters/latest_peak.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

using events::EventKind;
using events::Level;

int64_t BytesOf(const std::vector<LevelRow>& rows, std::string_view title) {
  for (const LevelRow& row : rows) {
    if (row.title == title) return row.bytes;
  }
  FAIL("no row " << title);
  return 0;
}

events::Event& Count(Training& training, Level level, int64_t bytes) {
  events::Event& event = training.Add(EventKind::kCounter, 0, bytes);
  event.level = level;
  return event;
}

}  // namespace

TEST_CASE("Between blocks and the driver lies its pool, where nobody told what is reserved") {
  Training training;
  Count(training, Level::kDriver, 32 << 20).source = events::Source::kDriver;
  training.Weight(1000);
  training.Step(0, 2000, 3000);
  const auto rows = MakeLevelChain(*training.Publish());
  CHECK(BytesOf(rows, "kept by the driver's pool, outside of PyTorch") == (32 << 20) - (1024 + 2048 + 3072));
  const Bridge bridge = BridgeAtPeak(*training.Publish(), textbook::Estimate());
  CHECK(std::ranges::count(bridge.steps, "driver's pool, outside of PyTorch", &BridgeStep::name) == 1);
  CHECK(std::ranges::count(bridge.steps, "outside of PyTorch", &BridgeStep::name) == 0);
}

TEST_CASE("What each library held at most of the driver's level, the largest first") {
  Training training;
  const auto count = [&](events::NameId library, int64_t bytes) {
    events::Event& event = training.Add(EventKind::kCounter, 0, bytes);
    event.name = library;
    event.source = events::Source::kDriver;
  };
  CHECK(DriverMemoryByLibrary(*training.Publish()).Largest().empty());
  const auto torch = training.Name(events::DriverMemoryCounter("libc10_cuda.so"));
  const auto blas = training.Name(events::DriverMemoryCounter("libcublas.so.13"));
  count(blas, 512);
  count(torch, 4096);
  count(torch, 1024);
  const std::vector<LibraryMemory> libraries = DriverMemoryByLibrary(*training.Publish()).Largest();
  REQUIRE(libraries.size() == 2);
  CHECK(libraries[0].library == "libc10_cuda.so");
  CHECK(libraries[0].most_bytes == 4096);
  CHECK(libraries[0].last_bytes == 1024);
  CHECK(libraries[1].most_bytes == 512);
  CHECK_FALSE(DriverMemoryByLibrary(*training.Publish()).managed());

  // As it grows, event by event.
  DriverLibraries growing;
  const auto view = training.Publish();
  for (timeline::EventIndex i = view->first(); i < view->end() - 1; ++i) growing.Take(*view, view->event(i));
  CHECK(growing.Largest()[0].last_bytes == 4096);
  growing.Take(*view, view->event(view->end() - 1));
  CHECK(growing.Largest()[0].last_bytes == 1024);
  count(blas, 8192);
  const auto later = training.Publish();
  growing.Take(*later, later->event(later->end() - 1));
  CHECK(growing.Largest()[0].library == "libcublas.so.13");
  count(training.Name(events::kManagedMemory), 2048);
  const auto with_managed = training.Publish();
  growing.Take(*with_managed, with_managed->event(with_managed->end() - 1));
  CHECK(growing.Largest().size() == 2);
  CHECK(growing.managed()->most_bytes == 2048);
}

TEST_CASE("The chain holds every level at the peak and names every gap") {
  Training training;
  Count(training, Level::kDriver, 3 << 20);
  Count(training, Level::kProcess, 500 << 20);
  Count(training, Level::kCard, 900 << 20);
  training.Add(EventKind::kSegmentAllocate, 0x100000, 2 << 20);
  training.Weight(1000);
  training.Step(0, 2000, 3000);
  training.Step(1, 2000, 3000);
  Count(training, Level::kDriver, 0);  // after the peak
  Count(training, Level::kProcess, 510 << 20);
  const auto rows = MakeLevelChain(*training.Publish());
  REQUIRE(rows.size() == 11);
  CHECK(BytesOf(rows, "requested") == 6000);
  CHECK(BytesOf(rows, "allocated") == 1024 + 2048 + 3072);
  CHECK(BytesOf(rows, "rounding to blocks") == 144);
  CHECK(BytesOf(rows, "reserved") == 2 << 20);
  CHECK(BytesOf(rows, "cached by PyTorch") == (2 << 20) - 6144);
  CHECK(BytesOf(rows, "driver") == 3 << 20);
  CHECK(BytesOf(rows, "outside of PyTorch") == 1 << 20);
  CHECK(BytesOf(rows, "process") == 500 << 20);
  CHECK(BytesOf(rows, "context, modules, CUPTI, rounding to 2 MiB") == 497 << 20);
  CHECK(BytesOf(rows, "card") == 900 << 20);
  CHECK(BytesOf(rows, "other processes, the card's own") == 400 << 20);
}

TEST_CASE("What was requested is a level where it is told, though nothing be rounded at the peak") {
  const auto has_requested = [](const Training& training) {
    return std::ranges::any_of(MakeLevelChain(*training.Publish()),
                               [](const LevelRow& row) { return row.title == "requested"; });
  };
  Training training;
  training.Step(0, 2048, 512);
  CHECK_FALSE(has_requested(training));
  training.Allocate(0x300000, 1000);
  training.Free(0x300000);
  training.Step(1, 4096, 1024);
  CHECK(has_requested(training));
}

TEST_CASE("What CUPTI takes for itself is a gap of its own where kernels are told and it says so") {
  const auto gaps = [](bool tells_work, int64_t cupti) {
    Training training;
    const events::NameId name = training.Name(events::kCuptiMemory);
    events::Event& told = Count(training, Level::kNone, cupti);
    told.name = name;
    told.source = events::Source::kDriver;
    training.Weight(1000);
    Count(training, Level::kDriver, 3 << 20);
    Count(training, Level::kProcess, 500 << 20);
    if (tells_work) training.Add(EventKind::kKernel);
    training.Step(0, 2000, 3000);
    std::string titles;
    for (const LevelRow& row : MakeLevelChain(*training.Publish())) {
      if (row.is_gap()) titles += fmt::format("{} {}; ", row.title, row.bytes);
    }
    return titles;
  };
  const std::string whole = fmt::format("context, modules, CUPTI, rounding to 2 MiB {}; ", 497 << 20);
  CHECK(gaps(true, 9'600'000)
            .ends_with(
                fmt::format("CUPTI's own buffers, at least 9600000; context, modules, rounding to 2 MiB {}; ",
                            (497 << 20) - 9'600'000)));
  CHECK(gaps(true, 497 << 20)
            .ends_with(fmt::format("at least {}; context, modules, rounding to 2 MiB 0; ", 497 << 20)));
  CHECK(gaps(false, 9'600'000).ends_with(whole));
  CHECK(gaps(true, 0).ends_with(whole));
  CHECK(gaps(true, int64_t{1} << 30).ends_with(whole));  // the sample is from before
}

TEST_CASE("Of a card's samples the one counts that was taken while the process held as much") {
  const auto chain = [](const std::vector<std::tuple<int64_t, Level, int64_t>>& told) {
    timeline::Stream stream;
    for (const auto& [time_ms, level, mebibytes] : told) {
      events::Event& event = stream.Add(EventKind::kCounter, 0, mebibytes << 20);
      event.level = level;
      event.time_ns = time_ms * 1'000'000;
    }
    const auto view = stream.Publish();
    const auto peak = view->PeakIn(timeline::Series::kDriver, view->first(), view->end());
    return SampleAt(*view, peak.index, timeline::Series::kProcess);
  };
  // Told long ago, and asked since: nothing has changed.
  const SampledLevel same = chain({{0, Level::kDriver, 10},
                                   {10, Level::kProcess, 510},
                                   {900, Level::kDriver, 10},
                                   {950, Level::kProcess, 900}});
  CHECK(same.bytes == 510 << 20);
  CHECK(same.away_ns == 0);
  // It held more only then: the next sample is of that.
  const SampledLevel next =
      chain({{0, Level::kProcess, 500}, {50, Level::kDriver, 80}, {90, Level::kProcess, 580}});
  CHECK(next.bytes == 580 << 20);
  CHECK(next.away_ns == 0);
  // For a moment only: no sample is of it, and the one that comes nearest says when.
  const SampledLevel spike = chain({{0, Level::kDriver, 10},
                                    {10, Level::kProcess, 510},
                                    {50, Level::kDriver, 80},
                                    {60, Level::kDriver, 40},
                                    {90, Level::kProcess, 540}});
  CHECK(spike.bytes == 540 << 20);
  CHECK(spike.away_ns == 40'000'000);
  CHECK(AwayText(spike.away_ns) == ", told " + FormatDuration(40'000'000) + " later");
  CHECK(AwayText(-spike.away_ns).ends_with(" before"));
}

TEST_CASE("What the card said before training began anew is not told of the new run") {
  constexpr int64_t kMs = 1'000'000;
  const auto told = [&](const std::vector<std::pair<int64_t, int64_t>>& samples, int64_t end_ms) {
    timeline::Stream stream;
    const auto count = [&](int64_t time_ms, Level level, int64_t mebibytes) {
      events::Event& event = stream.Add(EventKind::kCounter, 0, mebibytes << 20);
      event.level = level;
      event.time_ns = time_ms * kMs;
    };
    const auto step = [&](int64_t number, int64_t time_ms, int64_t mebibytes) {
      stream.Add(EventKind::kStepBegin, 0, number).time_ns = time_ms * kMs;
      count(time_ms, Level::kDriver, mebibytes);
      stream.Add(EventKind::kStepEnd, 0, number).time_ns = (time_ms + 5) * kMs;
    };
    count(0, Level::kProcess, 900);
    step(0, 10, 800);
    step(1, 20, 800);
    step(0, 60, 300);  // after Restart
    const timeline::EventIndex at = stream.latest() - 1;
    for (const auto& [time_ms, mebibytes] : samples) count(time_ms, Level::kProcess, mebibytes);
    stream.Add(EventKind::kPhase).time_ns = end_ms * kMs;
    return std::pair(SampleAt(*stream.Publish(), at, timeline::Series::kProcess),
                     LevelAt(*stream.Publish(), at, timeline::Series::kProcess));
  };
  const auto [none, none_bytes] = told({}, 70);
  CHECK(none.is_of_run_before);
  CHECK(none_bytes == 0);
  const auto [next, next_bytes] = told({{100, 400}}, 110);
  CHECK_FALSE(next.is_of_run_before);
  CHECK(next_bytes == 400 << 20);
  const auto [same, same_bytes] = told({}, 170);  // asked since, and it said the same
  CHECK_FALSE(same.is_of_run_before);
  CHECK(same_bytes == 900 << 20);
}

TEST_CASE("A level that nobody told of is left out of the chain, and so is its gap") {
  Training training;
  training.Weight(1000);
  training.Step(0, 2000, 3000);
  Count(training, Level::kCard, 900 << 20);
  const auto rows = MakeLevelChain(*training.Publish());
  REQUIRE(rows.size() == 5);
  CHECK(rows[3].is_gap());
  CHECK(rows[3].bytes == (900 << 20) - 6144);
  CHECK(MakeLevelChain(*timeline::Stream().Publish()).empty());
}

TEST_CASE("Of a program without PyTorch's blocks the chain stands where the driver held most") {
  Training training;
  Count(training, Level::kCard, 900 << 20);
  Count(training, Level::kDriver, 64 << 20);
  Count(training, Level::kDriver, 32 << 20);
  const auto rows = MakeLevelChain(*training.Publish());
  CHECK(BytesOf(rows, "driver") == 64 << 20);
  CHECK(BytesOf(rows, "card") == 900 << 20);
}

TEST_CASE("Sources tell how they fare") {
  Training training;
  const auto text = training.Name("blocked by Nsight Systems");
  events::Event& state = training.Add(EventKind::kMarker);
  state.source = events::Source::kDriver;
  state.name = text;
  training.Add(EventKind::kLoss, 0, 12).source = events::Source::kDriver;
  training.Add(EventKind::kLoss, 0, 3).source = events::Source::kAllocator;
  const auto lines = SourceLines(*training.Publish());
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].starts_with("allocator: lost 3 events since "));
  CHECK(lines[1].starts_with("driver: blocked by Nsight Systems; lost 12 events since "));
}

TEST_CASE("The breakdown ends with the driver, the process and the card where they were measured") {
  Training training;
  training.Weight(1000);
  Count(training, Level::kDriver, 3 << 20);
  training.Step(0, 2000, 3000);
  const Breakdown breakdown = BreakdownAtPeak(*training.Publish());
  REQUIRE(breakdown.totals.size() == 4);
  CHECK(breakdown.totals[3].title == "driver");
  CHECK(breakdown.totals[3].measured_bytes == 3 << 20);
}

TEST_CASE("What the card said before memory rose is not told beside what is reserved now") {
  timeline::Stream training;
  training.Add(EventKind::kCounter, 0, 2 << 20).level = Level::kProcess;
  training.Add(EventKind::kStepBegin);
  training.Add(EventKind::kSegmentAllocate, 0x200000, 20 << 20);
  training.Add(EventKind::kCounter, 0, 21 << 20).level = Level::kDriver;
  training.Allocate(0x200000, 4000);
  training.Add(EventKind::kStepEnd);
  const Breakdown old = BreakdownAtPeak(*training.Publish());
  REQUIRE(old.totals.size() == 5);
  CHECK(old.totals[3].measured_bytes == 21 << 20);
  CHECK(old.totals[4].title == "process");
  CHECK_FALSE(old.totals[4].measured_bytes.has_value());
  CHECK(old.totals[4].is_unsampled);
  CHECK(old.totals[4].told_bytes == 2 << 20);
  CHECK(old.totals[4].away_ns < 0);
  training.Add(EventKind::kCounter, 0, 500 << 20).level = Level::kProcess;  // the next sample
  const Breakdown asked = BreakdownAtPeak(*training.Publish());
  CHECK(asked.totals[4].measured_bytes == 500 << 20);
  CHECK_FALSE(asked.totals[4].is_unsampled);
}

TEST_CASE("No gap is made of what the card said while the process held more") {
  timeline::Stream training;
  int64_t now_ns = 0;
  const auto told = [&](EventKind kind, int64_t bytes, Level level = Level::kNone) {
    events::Event& event = training.Add(kind, 0x200000, bytes);
    event.rounded_bytes = bytes;
    event.level = level;
    event.time_ns = now_ns += 1'000'000;
    return training.latest();
  };
  told(EventKind::kSegmentAllocate, 20 << 20);
  told(EventKind::kCounter, 20 << 20, Level::kDriver);
  const timeline::EventIndex early = told(EventKind::kAllocate, 4096);
  told(EventKind::kSegmentAllocate, 280 << 20);
  told(EventKind::kCounter, 300 << 20, Level::kDriver);
  told(EventKind::kCounter, 900 << 20, Level::kProcess);
  const timeline::EventIndex late = told(EventKind::kCounter, 900 << 20, Level::kCard);
  const auto view = training.Publish();
  for (const Level level : {Level::kProcess, Level::kCard}) {
    CHECK(LevelAt(*view, early, timeline::SeriesOf(level)) == 0);
    CHECK(LevelAt(*view, late, timeline::SeriesOf(level)) == 900 << 20);
  }
  const Breakdown breakdown = MakeBreakdown(*view, {}, {}, ToldAt(*view, early));
  REQUIRE(breakdown.totals.size() == 5);
  CHECK(breakdown.totals[3].is_unsampled);
  CHECK_FALSE(breakdown.totals[3].measured_bytes.has_value());
  CHECK(breakdown.totals[4].is_unsampled);
  for (const size_t row : {3, 4}) {  // as the chain tells it, and `info`
    CHECK(breakdown.totals[row].told_bytes == 900 << 20);
    CHECK(breakdown.totals[row].away_ns > 0);
  }
  CHECK(MakeBridge(*view, {}, ToldAt(*view, early)).steps.back().name == "reserved");
  CHECK(MakeBridge(*view, {}, ToldAt(*view, late)).steps.back().name == "card");
  const auto chain = MakeLevelChain(*view, early, early + 1);
  const auto gap = std::ranges::find(chain, "context, modules, CUPTI, rounding to 2 MiB", &LevelRow::title);
  REQUIRE(gap != chain.end());
  CHECK_FALSE(IsKnown(chain, gap));
}

TEST_CASE("Where memory ran out, reserved is of the moment that the driver's figure is of") {
  timeline::Stream training;
  training.Add(EventKind::kStepBegin);
  training.Add(EventKind::kSegmentAllocate, 0x200000, 30 << 20);
  training.Add(EventKind::kSegmentFree, 0x200000, 30 << 20);  // as PyTorch does before it gives up
  training.Add(EventKind::kSegmentAllocate, 0x200000, 20 << 20);
  training.Add(EventKind::kCounter, 0, 20 << 20).level = Level::kDriver;
  training.Allocate(0x200000, 4000);
  training.Add(EventKind::kOutOfMemory, 0, 40 << 20);
  const Breakdown breakdown = BreakdownAtPeak(*training.Publish());
  REQUIRE(breakdown.totals.size() == 4);
  CHECK(breakdown.totals[2].measured_bytes == 20 << 20);
  CHECK(breakdown.totals[3].measured_bytes == 20 << 20);
}

TEST_CASE("A prediction has a driver's figure, and none of what the card said at some other time") {
  timeline::Stream training;
  training.Add(events::EventKind::kStepBegin);
  training.Allocate(0x1000, 512);
  training.Add(events::EventKind::kCounter, 0, 3 << 20).level = events::Level::kDriver;
  training.Add(events::EventKind::kCounter, 0, 5 << 20).level = events::Level::kProcess;
  training.Add(events::EventKind::kStepEnd);
  session::Prediction phantom;
  phantom.allocated_peak_bytes = 512;
  phantom.at_peak[static_cast<size_t>(timeline::Series::kDriver)] = 3 << 20;
  phantom.at_peak[static_cast<size_t>(timeline::Series::kProcess)] = 4 << 20;
  const Breakdown breakdown = BreakdownAtPeak(*training.Publish(), {}, phantom);
  REQUIRE(breakdown.totals.size() == 5);
  CHECK(breakdown.totals[3].phantom_bytes == 3 << 20);
  CHECK(breakdown.totals[4].title == "process");
  CHECK_FALSE(breakdown.totals[4].phantom_bytes.has_value());
}

}  // namespace tidemark::presenters
