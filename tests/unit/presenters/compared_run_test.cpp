#include "app/presenters/plot/compared_run.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "app/presenters/comparison/run_comparison.h"
#include "app/presenters/comparison/same_place.h"
#include "app/presenters/comparison/side_by_side.h"
#include "tests/support/catch.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

Training TrainingOf(int count, int64_t activation_bytes) {
  Training training;
  training.Weight(512);
  for (int step = 0; step < count; ++step) training.Step(step, activation_bytes, 512);
  return training;
}

TimelinePlot WholePlot(const timeline::View& view, TimeAxis axis) {
  const TimelinePlotRequest request{axis, WholeRange(view, axis), 10'000, ByteUnit::kMegabytes};
  return MakeTimelinePlot(view, {}, request);
}

// Steps of three phases, each of so many allocations that end with the step.
timeline::Stream Phased(int steps, const std::vector<std::pair<events::Phase, int>>& phases) {
  timeline::Stream stream;
  for (int step = 0; step < steps; ++step) {
    stream.BeginStep(step);
    uint64_t address = 0;
    for (const auto& [phase, count] : phases) {
      stream.BeginPhase(phase);
      for (int i = 0; i < count; ++i) stream.Allocate(address += 1 << 20, 512);
    }
    for (; address > 0; address -= 1 << 20) stream.Free(address);
    stream.EndStep(step);
  }
  return stream;
}

std::vector<SameEvent> Mirrored(const std::vector<SameEvent>& same) {
  std::vector<SameEvent> mirrored;
  mirrored.reserve(same.size());
  for (const SameEvent& pair : same) mirrored.push_back({pair.b, pair.a});
  return mirrored;
}

// The first event of a phase in a step.
timeline::EventIndex BeginOf(const timeline::View& view, size_t step, events::Phase phase) {
  for (const timeline::PhaseSpan& span : view.phases()) {
    if (span.phase == phase && span.begin >= view.steps()[step].begin) return span.begin;
  }
  FAIL("there is no such phase");
  return 0;
}

}  // namespace

TEST_CASE("Within a step phases lie over each other, however much of it each takes") {
  using events::Phase;
  const auto shown =
      Phased(3, {{Phase::kForward, 10}, {Phase::kBackward, 40}, {Phase::kOptimizer, 4}}).Publish();
  const auto other =
      Phased(3, {{Phase::kForward, 60}, {Phase::kBackward, 20}, {Phase::kOptimizer, 8}}).Publish();
  for (const size_t step : {0U, 1U, 2U}) {
    for (const Phase phase : {Phase::kForward, Phase::kBackward, Phase::kOptimizer})
      CHECK(SamePlace(*shown, BeginOf(*shown, step, phase), *other) == BeginOf(*other, step, phase));
  }
  // Half through backward there is half through backward here.
  CHECK(SamePlace(*shown, BeginOf(*shown, 1, Phase::kBackward) + 21, *other) ==
        BeginOf(*other, 1, Phase::kBackward) + 21 * 21 / 41);
  TimelinePlot plot = WholePlot(*shown, TimeAxis::kEvents);
  AddComparedRun(*shown, *other, {}, plot);
  const auto forward_end = static_cast<double>(BeginOf(*shown, 1, Phase::kBackward));
  const auto at = std::ranges::find(plot.compared, forward_end, &PlotLevel::begin);
  REQUIRE(at != plot.compared.end());
  CHECK(std::prev(at)->bytes == 60 * 512);
}

TEST_CASE(
    "A phase that the other run lacks lies where it would be, and what it has not reached has no place") {
  using events::Phase;
  const auto shown =
      Phased(2, {{Phase::kForward, 10}, {Phase::kEvaluation, 5}, {Phase::kBackward, 10}}).Publish();
  timeline::Stream growing = Phased(1, {{Phase::kForward, 8}, {Phase::kBackward, 8}});
  growing.BeginStep(1);
  growing.BeginPhase(Phase::kForward);
  growing.Allocate(1 << 20, 512);
  const auto other = growing.Publish();
  CHECK(SamePlace(*shown, BeginOf(*shown, 0, Phase::kEvaluation) + 3, *other) ==
        BeginOf(*other, 0, Phase::kBackward));
  CHECK(SamePlace(*shown, BeginOf(*shown, 0, Phase::kBackward), *other) ==
        BeginOf(*other, 0, Phase::kBackward));
  CHECK(SamePlace(*shown, BeginOf(*shown, 1, Phase::kForward) + 1, *other) == growing.latest());
  CHECK_FALSE(SamePlace(*shown, BeginOf(*shown, 1, Phase::kForward) + 2, *other));
  CHECK_FALSE(SamePlace(*shown, BeginOf(*shown, 1, Phase::kBackward), *other));
}

TEST_CASE("A run lies over itself at every event") {
  const auto view = TrainingOf(4, 1 << 20).Publish();
  for (timeline::EventIndex index = view->first(); index < view->end(); ++index)
    CHECK(SamePlace(*view, index, *view) == index);
  for (const TimeAxis axis : {TimeAxis::kEvents, TimeAxis::kWallClock}) {
    TimelinePlot plot = WholePlot(*view, axis);
    AddComparedRun(*view, *view, {}, plot);
    REQUIRE(plot.compared.size() == plot.columns.size());
    for (size_t i = 0; i < plot.columns.size(); ++i)
      CHECK(plot.compared[i].bytes == ValueOf(plot.columns[i].at_peak, timeline::Series::kAllocated));
  }
}

TEST_CASE("A run lies over itself to the end of what the GPU did after its last event") {
  timeline::Stream stream;
  stream.Allocate(1 << 20, 512);
  stream.Allocate(2 << 20, 1024);
  events::Event& kernel = stream.Add(events::EventKind::kKernel, timeline::Stream::kStartNs);
  kernel.rounded_bytes = 2'000'000;  // it lasts so many nanoseconds
  const auto view = stream.Publish();
  for (const int columns : {2, 10, 1000}) {
    const VisibleRange whole = WholeRange(*view, TimeAxis::kWallClock);
    TimelinePlot plot = MakeTimelinePlot(*view, {}, {TimeAxis::kWallClock, whole, columns});
    AddComparedRun(*view, *view, {}, plot);
    REQUIRE(plot.compared.size() == plot.columns.size());
    CHECK(plot.compared.back().end == plot.columns.back().end);
    CHECK(plot.compared.back().bytes == 1536);
  }
}

TEST_CASE("Steps that the other lacks have no line, and its own highest moment fits on the axis") {
  const auto shown = TrainingOf(6, 1 << 20).Publish();
  const auto other = TrainingOf(2, 5 << 20).Publish();
  const auto& steps = shown->steps();
  CHECK(SamePlace(*shown, steps[1].begin, *other) == other->steps()[1].begin);
  CHECK_FALSE(SamePlace(*shown, steps[2].begin, *other));
  TimelinePlot plot = WholePlot(*shown, TimeAxis::kEvents);
  AddComparedRun(*shown, *other, {}, plot);
  REQUIRE_FALSE(plot.compared.empty());
  CHECK(plot.compared.back().end <= static_cast<double>(steps[2].begin) + 1);
  CHECK(plot.highest_bytes == (5 << 20) + 1024);
}

TEST_CASE("The peak of another run is that of all of it, also where it lies in steps that the first lacks") {
  const auto shown = TrainingOf(2, 1 << 20).Publish();
  Training longer = TrainingOf(3, 1 << 20);
  longer.Step(3, 9 << 20, 512);
  const auto other = longer.Publish();
  TimelinePlot plot = WholePlot(*shown, TimeAxis::kEvents);
  AddComparedRun(*shown, *other, {}, plot);
  CHECK(plot.compared_peak_bytes == (9 << 20) + 1024);
  for (const PlotLevel& level : plot.compared) CHECK(level.bytes < 9 << 20);
}

TEST_CASE("Under the mouse stand what both runs have there, and the difference") {
  const auto shown = TrainingOf(6, 1 << 20).Publish();
  const auto other = TrainingOf(2, 3 << 20).Publish();
  TimelinePlot plot = WholePlot(*shown, TimeAxis::kEvents);
  AddComparedRun(*shown, *other, {}, plot);
  const auto told = [&](const timeline::Step& step) {
    const PlotColumn* column = ColumnAt(plot, static_cast<double>(step.peak));
    return DescribeCompared(plot, *column, "other.tide", ByteUnit::kMebibytes);
  };
  CHECK(told(shown->steps()[1]) == "other.tide allocated 3,146,752 B here, this run 1,049,600 B: +2.0 MiB");
  CHECK(told(shown->steps()[4]) == "other.tide has nothing like this");
}

TEST_CASE("Zoomed out a column tells the highest moment of all that lies under it") {
  const auto shown = TrainingOf(64, 1 << 20).Publish();
  const auto other = TrainingOf(64, 3 << 20).Publish();
  TimelinePlot plot =
      MakeTimelinePlot(*shown, {}, {TimeAxis::kEvents, WholeRange(*shown, TimeAxis::kEvents), 8});
  AddComparedRun(*shown, *other, {}, plot);
  REQUIRE(plot.compared.size() == plot.columns.size());
  for (size_t i = 0; i < plot.columns.size(); ++i) {
    const bool at_peak = ValueOf(plot.columns[i].at_peak, timeline::Series::kAllocated) == (1 << 20) + 1024;
    CHECK(at_peak == (plot.compared[i].bytes == (3 << 20) + 1024));
    CHECK((at_peak || i + 1 == plot.columns.size()));  // the last may begin behind the last peak
  }
}

TEST_CASE("Where steps are narrow the line follows their peaks") {
  const auto view = TrainingOf(64, 1 << 20).Publish();
  TimelinePlot plot =
      MakeTimelinePlot(*view, {}, {TimeAxis::kEvents, WholeRange(*view, TimeAxis::kEvents), 500});
  AddComparedRun(*view, *view, {}, plot);
  REQUIRE(plot.compared.size() < plot.columns.size() / 8);
  CHECK(plot.compared.front().begin == plot.columns.front().begin);
  CHECK(plot.compared.back().end == plot.columns.back().end);
  for (size_t i = 0; i + 1 < plot.compared.size(); ++i) {
    CHECK(plot.compared[i].end == plot.compared[i + 1].begin);
    CHECK(plot.compared[i].bytes == (1 << 20) + 1024);
  }
}

TEST_CASE(
    "A run that has just begun its step is compared event by event, one without steps from its beginning") {
  Training growing = TrainingOf(2, 1 << 20);
  growing.BeginStep(2);
  growing.BeginPhase(events::Phase::kForward);
  const auto shown = growing.Publish();
  const auto other = TrainingOf(4, 1 << 20).Publish();
  CHECK(SamePlace(*shown, growing.latest(), *other) == other->steps()[2].begin + 1);
  timeline::Stream plain;
  plain.Allocate(0x1000, 512);
  CHECK(SamePlace(*other, 0, *plain.Publish()) == 0U);
  CHECK_FALSE(SamePlace(*other, 5, *plain.Publish()));
  CHECK_FALSE(SamePlace(*timeline::Stream().Publish(), 0, *other));
}

TEST_CASE("A snapshot, which knows no steps, lies beside a recording where their allocations agree") {
  const auto shown = TrainingOf(4, 1 << 20).Publish();
  timeline::Stream snapshot;  // of the same run: of all of it allocations and frees, and something before
  snapshot.Allocate(0x500000, 3 << 20);
  snapshot.Allocate(0x100000, 512);
  for (int step = 0; step < 4; ++step) {
    snapshot.Allocate(0x200000, 1 << 20);
    snapshot.Allocate(0x300000, 512);
    snapshot.Free(0x200000);
    snapshot.Free(0x300000);
  }
  const auto other = snapshot.Publish();
  CHECK(AlignByAllocations(*shown, *other));
  CHECK_FALSE(AlignByAllocations(*shown, *shown));
  const StreamsCompared streams = CompareStreams(*shown, *other, ComparedSteps::kAll);
  const std::vector<SameEvent> same = SameEvents(*shown, *other, streams);
  REQUIRE(same.size() == 9 + 8);  // allocations and frees
  const std::vector<SameEvent> mirrored = Mirrored(same);
  CHECK(same.front().b == 1);
  for (const SameEvent& pair : same) {
    CHECK(shown->event(pair.a).kind == other->event(pair.b).kind);
    CHECK(shown->event(pair.a).bytes == other->event(pair.b).bytes);
    CHECK(SamePlace(*shown, pair.a, *other, same) == pair.b);
    CHECK(SamePlace(*other, pair.b, *shown, mirrored) == pair.a);
  }
  TimelinePlot plot = WholePlot(*shown, TimeAxis::kEvents);
  AddComparedRun(*shown, *other, same, plot);
  for (const timeline::Step& step : shown->steps()) {
    const PlotColumn* column = ColumnAt(plot, static_cast<double>(step.peak));
    CHECK(DescribeCompared(plot, *column, "s.pickle", ByteUnit::kMebibytes) ==
          "s.pickle allocated 4,195,328 B here, this run 1,049,600 B: +3.0 MiB");
  }
  // Behind the last that agrees it goes on event by event: there the snapshot ends.
  CHECK_FALSE(SamePlace(*shown, same.back().a + 1, *other, same));
  CHECK(SamePlace(*other, 0, *shown, mirrored) == 0U);
}

TEST_CASE("A snapshot that knows where steps end, but no phases, lies so, too, but for steps that it lacks") {
  const auto shown = TrainingOf(4, 1 << 20).Publish();
  timeline::Stream snapshot;  // its first step begins with the first event
  snapshot.BeginStep(0);
  snapshot.Allocate(0x100000, 512);
  for (int step = 0; step < 3; ++step) {
    if (step > 0) snapshot.BeginStep(step);
    snapshot.Allocate(0x200000, 1 << 20);
    snapshot.Allocate(0x300000, 512);
    snapshot.Free(0x200000);
    snapshot.Free(0x300000);
    snapshot.EndStep(step);
  }
  const auto other = snapshot.Publish();
  CHECK(AlignByAllocations(*shown, *other));
  const std::vector<SameEvent> same =
      SameEvents(*shown, *other, CompareStreams(*shown, *other, ComparedSteps::kAll));
  REQUIRE(same.size() == 7 + 4);  // the last two frees lie before different ends
  for (const SameEvent& pair : same) CHECK(SamePlace(*shown, pair.a, *other, same) == pair.b);
  CHECK_FALSE(SamePlace(*shown, shown->steps()[3].begin, *other, same));
  // Where none agree steps lie over each other.
  CHECK(SamePlace(*shown, shown->steps()[2].begin, *other) == other->steps()[2].begin);
}

TEST_CASE("A restarted run finds its steps by their numbers") {
  Training restarted = TrainingOf(3, 1 << 20);
  restarted.Step(0, 1 << 20, 512);
  const auto shown = restarted.Publish();
  const auto other = TrainingOf(3, 1 << 20).Publish();
  CHECK(SamePlace(*shown, shown->steps()[3].begin, *other) == other->steps()[0].begin);
  // What it did before is another run.
  for (const size_t step : {0U, 1U, 2U}) CHECK_FALSE(SamePlace(*shown, shown->steps()[step].begin, *other));
}

TEST_CASE("Of a second run that was restarted only the steps since count") {
  Training restarted = TrainingOf(4, 5 << 20);
  for (int64_t step = 0; step < 2; ++step) restarted.Step(step, 1 << 20, 512);
  const auto other = restarted.Publish();
  const auto shown = TrainingOf(4, 1 << 20).Publish();
  CHECK(SamePlace(*shown, shown->steps()[0].begin, *other) == other->steps()[4].begin);
  CHECK(SamePlace(*shown, shown->steps()[1].begin, *other) == other->steps()[5].begin);
  CHECK_FALSE(SamePlace(*shown, shown->steps()[2].begin, *other));  // it came so far before it was restarted
  CHECK(SamePlace(*shown, shown->first(), *other) == other->steps()[3].end + 1);
  TimelinePlot plot = WholePlot(*shown, TimeAxis::kEvents);
  AddComparedRun(*shown, *other, {}, plot);
  for (const PlotLevel& level : plot.compared) CHECK(level.bytes < 5 << 20);
  // Its peak is that of these steps, too.
  const auto peaks = CompareRunsAt(*shown, *other, "other.tide", {});
  REQUIRE(peaks);
  CHECK(peaks->moment == "at each one's peak since it began anew");
  REQUIRE(peaks->levels.size() == 1);
  CHECK(peaks->levels[0].Difference() == 0);
  CHECK(peaks->states.blocks.empty());
  // What was alive before is let go when settings are told.
  Training of_another;
  of_another.Allocate(0x900000, 9 << 20);
  of_another.Step(0, 1 << 20, 512);
  of_another.Step(1, 1 << 20, 512);
  of_another.Free(0x900000);
  of_another.Mark(of_another.Name("restart"), of_another.Name(R"({"batch":2})"));
  of_another.Weight(512);
  of_another.Step(0, 1 << 20, 512);
  const auto after = CompareRunsAt(*of_another.Publish(), *shown, "other.tide", {});
  REQUIRE(after);
  CHECK(after->levels[0].a == (1 << 20) + 1024);
  // One that has let go of its first steps has its own numbers, which are no restart.
  Training later;
  later.Step(2, 1 << 20, 512);
  later.Step(3, 1 << 20, 512);
  const auto let_go = later.Publish();
  CHECK(SamePlace(*shown, shown->steps()[3].begin, *let_go) == let_go->steps()[1].begin);
}

TEST_CASE("Two runs stand side by side at their peaks, or at one place in both") {
  const auto shown = TrainingOf(3, 1 << 20).Publish();
  const auto other = TrainingOf(2, 3 << 20).Publish();
  const auto peaks = CompareRunsAt(*shown, *other, "other.tide", {});
  REQUIRE(peaks);
  CHECK(peaks->title_b == "other.tide");
  REQUIRE(peaks->levels.size() == 1);  // of blocks: nobody tells what was requested
  CHECK(peaks->levels[0].Difference() == 2 << 20);
  REQUIRE(peaks->states.blocks.size() == 2);
  CHECK(peaks->states.blocks[0].in_b == 1);

  const auto begin = CompareRunsAt(*shown, *other, "other.tide", shown->steps()[1].begin);
  REQUIRE(begin);
  CHECK(begin->levels[0].Difference() == 0);
  CHECK(begin->states.blocks.empty());
  CHECK_FALSE(CompareRunsAt(*shown, *other, "other.tide", shown->steps()[2].begin));
  // Nobody waits for it any more, at whichever side it is.
  for (const int after : {0, 1, 2}) {
    int looks = 0;
    const auto progress = [&](double) { return looks++ < after; };
    CHECK_FALSE(CompareRunsAt(*shown, *other, "other.tide", {}, {}, progress));
    CHECK(looks == after + 1);
  }
}

TEST_CASE("Two moments of a run tell what came between them and stayed") {
  Training training;
  training.Weight(512);
  training.Step(0, 4 << 20, 512);
  const auto early = training.Publish()->end() - 1;
  training.Allocate(0x40000000, 1 << 20, Category::kActivation);
  training.Step(1, 4 << 20, 512);
  const auto view = training.Publish();
  const SideBySide sides = *CompareMoments(*view, early, view->end() - 1);
  CHECK(sides.title_a == "after step 0");
  CHECK(sides.title_b == "after step 1");
  CHECK(sides.moment == "at events " + std::to_string(early) + " and " + std::to_string(view->end() - 1));
  const auto allocated = std::ranges::find(sides.levels, Series::kAllocated, &ComparedBytes::level);
  REQUIRE(allocated != sides.levels.end());
  CHECK(allocated->Difference() == 1 << 20);  // not the peak between them
  REQUIRE(sides.states.categories.size() == 2);
  CHECK(sides.states.categories[0].Difference() == 0);
  CHECK(sides.states.categories[1].Difference() == 1 << 20);
  REQUIRE(sides.states.blocks.size() == 1);
  CHECK(sides.states.blocks[0].in_a == 0);
  CHECK(sides.states.blocks[0].in_b == 1);
  CHECK_FALSE(CompareMoments(*view, early, view->end() - 1, [](double) { return false; }));
}

TEST_CASE("A change of settings stands beside itself before and after, once two steps are complete") {
  Training training;
  const events::NameId text = training.Name("fp16 on");
  const events::NameId before = training.Name(R"({"amp":"off"})");
  const events::NameId after = training.Name(R"({"amp":"fp16"})");
  training.Mark(before, before);
  training.Weight(512);
  training.Step(0, 4 << 20, 512);
  training.Mark(text, after);
  training.Step(1, 3 << 20, 512);
  CHECK_FALSE(LatestChange(*training.Publish()));
  training.Step(2, 2 << 20, 512);
  const auto view = training.Publish();
  const auto change = LatestChange(*view);
  REQUIRE(change);
  const SideBySide sides = *CompareChange(*view, *change, ByteUnit::kMebibytes);
  CHECK(sides.headline == "fp16 on: −2.0 MiB at peak");
  CHECK(sides.moment == "at the peaks of steps 0 and 2");
  REQUIRE(sides.states.blocks.size() == 2);
  CHECK(sides.states.blocks[0].title == "conv1 output");
}

TEST_CASE(
    "Moments that are as high but for rounding are not held against each other, but one of them with "
    "itself") {
  Training training;
  const events::NameId before = training.Name(R"({"optimizer":"sgd"})");
  const events::NameId after = training.Name(R"({"optimizer":"momentum"})");
  const auto step = [&](int64_t number, int64_t first_bytes, int64_t second_bytes) {
    training.BeginStep(number);
    training.BeginPhase(events::Phase::kBackward);
    for (const auto& [bytes, category] : {std::pair(first_bytes, events::Category::kActivation),
                                          std::pair(second_bytes, events::Category::kTemporary)}) {
      training.Allocate(0x900000, bytes, category);
      training.Free(0x900000);
    }
    training.EndStep(number);
  };
  constexpr int64_t kHigh = int64_t{64} << 20;
  const int64_t rounding = GENERATE(512, -512);
  training.Mark(before, before);
  step(0, kHigh, kHigh - rounding);
  training.Mark(training.Name("momentum"), after);
  step(1, kHigh, kHigh + rounding);
  step(2, kHigh, kHigh + rounding);
  const auto view = training.Publish();
  const SideBySide sides = *CompareChange(*view, *LatestChange(*view), ByteUnit::kMebibytes);
  for (const ComparedBytes& category : sides.states.categories) {
    INFO(category.title);
    CHECK(std::abs(category.Difference().value_or(kHigh)) <= 1024);
  }
  timeline::Stream one;
  timeline::Stream other;
  for (auto* run : {&one, &other}) {
    const int64_t more = run == &one ? 0 : 512;
    run->Allocate(0x100, kHigh, events::Category::kActivation);
    run->Free(0x100);
    run->Allocate(0x200, kHigh - 512 + 2 * more, events::Category::kTemporary);
    run->Free(0x200);
  }
  const auto of_one = one.Publish();
  const auto of_other = other.Publish();
  const std::vector<SameEvent> same = {{0, 0}, {1, 1}, {2, 2}, {3, 3}};
  // In either order, and so does the command line.
  const std::vector<std::pair<const timeline::View*, const timeline::View*>> orders = {
      {of_one.get(), of_other.get()}, {of_other.get(), of_one.get()}};
  for (const auto& [a, b] : orders) {
    const auto runs = CompareRunsAt(*a, *b, "other.tide", {}, same);
    REQUIRE(runs);
    for (const ComparedBytes& category : runs->states.categories)
      CHECK(std::abs(category.Difference().value_or(kHigh)) <= 1024);
    const RunComparison compared = CompareRuns(*a, *b, ComparedSteps::kAll);
    for (const ComparedBytes& category : compared.at_peak.categories)
      CHECK(std::abs(category.Difference().value_or(kHigh)) <= 1024);
  }
}

TEST_CASE("Where only one of two peaks is as high at the other's place, both orders compare there") {
  constexpr int64_t kHigh = int64_t{64} << 20;
  timeline::Stream one;  // its peaks are as high but for rounding, the other's are not
  timeline::Stream other;
  for (auto* run : {&one, &other}) {
    run->Allocate(0x100, kHigh, events::Category::kActivation);
    run->Free(0x100);
    run->Allocate(0x200, run == &one ? kHigh - 512 : 2 * kHigh, events::Category::kTemporary);
    run->Free(0x200);
  }
  const auto of_one = one.Publish();
  const auto of_other = other.Publish();
  const RunComparison forth = CompareRuns(*of_one, *of_other, ComparedSteps::kAll);
  const RunComparison back = CompareRuns(*of_other, *of_one, ComparedSteps::kAll);
  CHECK(forth.peak_a == 2);
  CHECK(forth.peak_b == 2);
  CHECK(back.peak_a == 2);
  CHECK(back.peak_b == 2);
}

TEST_CASE("What the card tells of a step from time to time is told behind it, and not of the next settings") {
  Training training;
  const auto tells = [&training](int64_t bytes) {
    training.Add(events::EventKind::kCounter, 0, bytes).level = events::Level::kProcess;
  };
  const events::NameId before = training.Name(R"({"amp":"off"})");
  const events::NameId after = training.Name(R"({"amp":"fp16"})");
  training.Mark(before, before);
  training.Weight(512);
  tells(100);
  training.Step(0, 4 << 20, 512);
  tells(500);
  training.Mark(training.Name("fp16 on"), after);
  tells(200);
  training.Step(1, 3 << 20, 512);
  training.Step(2, 3 << 20, 512);
  tells(400);
  training.BeginStep(3);
  tells(900);
  const auto view = training.Publish();
  const SideBySide sides = *CompareChange(*view, *LatestChange(*view), ByteUnit::kMebibytes);
  const auto process = std::ranges::find(sides.levels, timeline::Series::kProcess, &ComparedBytes::level);
  REQUIRE(process != sides.levels.end());
  CHECK(process->a == 500);
  CHECK(process->b == 400);
}

TEST_CASE("A change tells its price in time once three steps on either side have computed") {
  Training training;
  const events::NameId before = training.Name(R"({"amp":"off"})");
  const events::NameId after = training.Name(R"({"amp":"fp16"})");
  training.Mark(before, before);
  for (int step = 0; step < 3; ++step) training.Step(step, 4 << 20, 512);
  training.Mark(training.Name("fp16 on"), after);
  const events::NameId loss = training.Name("loss");
  const auto short_step = [&](int number) {  // 3 events, one after another, where the others are 11
    training.BeginStep(number);
    training.Metric(loss, 1, number);
    training.EndStep(number);
  };
  for (int step = 3; step < 6; ++step) short_step(step);
  CHECK_FALSE(LatestChange(*training.Publish())->times_as_long);
  short_step(6);
  const auto change = LatestChange(*training.Publish());
  REQUIRE(change->times_as_long);
  CHECK(*change->times_as_long == Approx(2.0 / 10));
  CHECK(ConsequenceOf(*change, ByteUnit::kMebibytes) == "−4.0 MiB at peak, time × 0.20");
}

TEST_CASE("How two runs' last settings differ is told of the second") {
  const auto ran = [](const std::vector<int>& batches) {
    timeline::Stream stream;
    const events::NameId text = stream.Name("settings");
    for (const int batch : batches) {
      networks::TrainingSettings settings;
      settings.batch = batch;
      stream.Mark(text, stream.Name(networks::ToJson(settings)));
    }
    return stream.Publish();
  };
  CHECK(SettingsDifference(*ran({64}), *ran({64, 8})) == "batch 64 → 8");
  CHECK(SettingsDifference(*ran({8, 64}), *ran({64})).empty());
  CHECK(SettingsDifference(*ran({64}), *ran({})).empty());  // it tells of none
}

}  // namespace tidemark::presenters
