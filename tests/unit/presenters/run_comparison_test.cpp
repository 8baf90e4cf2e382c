#include "app/presenters/comparison/run_comparison.h"

#include <algorithm>

#include "app/presenters/comparison/side_by_side.h"
#include "app/presenters/moment/moment_title.h"
#include "tests/support/catch.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

using events::Category;
using events::EventKind;
using timeline::Stream;

// A weight, then steps with a forward and a backward phase.
Training TrainingWith(int64_t activation_bytes, int steps) {
  Training training;
  training.Weight(4096);
  for (int step = 0; step < steps; ++step) training.Step(step, activation_bytes, 1000);
  return training;
}

RunComparison Compare(const Stream& a, const Stream& b, ComparedSteps steps = ComparedSteps::kAll) {
  return CompareRuns(*a.Publish(), *b.Publish(), steps);
}

const ComparedBytes& RowTitled(const std::vector<ComparedBytes>& rows, const std::string& title) {
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const ComparedBytes& candidate) { return candidate.title == title; });
  REQUIRE(row != rows.end());
  return *row;
}

// Each side counted by itself, for the mirror.
void CheckMirrored(const StreamComparison& forth, const StreamComparison& back) {
  CHECK(forth.agreed == back.agreed);
  REQUIRE(forth.differences.size() == back.differences.size());
  for (size_t i = 0; i < forth.differences.size(); ++i) {
    CHECK(forth.differences[i].a == back.differences[i].b);
    CHECK(forth.differences[i].only_a == back.differences[i].only_b);
    CHECK(forth.differences[i].b == back.differences[i].a);
    CHECK(forth.differences[i].only_b == back.differences[i].only_a);
  }
}

}  // namespace

TEST_CASE("What one side does not know is nothing, and no 0: requested, and what blocks hold") {
  Stream blocks_only;
  blocks_only.Allocate(0x10000000, 4096, Category::kUnknown);
  const Training known = TrainingWith(8000, 1);
  const std::optional<SideBySide> sides =
      CompareRunsAt(*known.Publish(), *blocks_only.Publish(), "recorded.tide", std::nullopt);
  REQUIRE(sides);
  CHECK(RowTitled(sides->levels, "requested").a);
  CHECK_FALSE(RowTitled(sides->levels, "requested").b);
  CHECK(RowTitled(sides->levels, "allocated").b == 4096);
  const ComparedBytes& activations = RowTitled(sides->states.categories, "activation");
  CHECK(activations.a);
  CHECK_FALSE(activations.b);
  CHECK_FALSE(activations.Difference());
  const auto unknown = std::ranges::find(sides->states.categories, "unknown", &ComparedBytes::title);
  REQUIRE(unknown != sides->states.categories.end());
  CHECK(unknown->a == 0);
  CHECK_FALSE(unknown->b);  // all of it, which nobody told apart, is no category's
  CHECK_FALSE(unknown->Difference());
}

TEST_CASE("Where nobody told what blocks hold, lines of code are compared") {
  const auto snapshot = [](int64_t kept_bytes) {
    Stream stream;
    const events::NameId forward = stream.Name("aten::mm ← forward (gpt.py:16) ← <module> (gpt.py:36)");
    const events::NameId keeps = stream.Name("aten::clone ← <module> (gpt.py:35)");
    stream.Allocate(0x10000000, 8192, Category::kUnknown).op = forward;
    stream.Allocate(0x20000000, kept_bytes, Category::kUnknown).op = keeps;
    return stream;
  };
  const StateComparison states = Compare(snapshot(40'960), snapshot(4096)).at_peak;
  REQUIRE(states.lines.size() == 2);
  CHECK(states.lines[0].title == "<module> (gpt.py:35)");
  CHECK(states.lines[0].Difference() == 4096 - 40'960);
  CHECK(states.lines[0].selection == FrameSelected("<module> (gpt.py:35)"));
  CHECK(states.lines[1].title == "forward (gpt.py:16)");
  CHECK(states.lines[1].Difference() == 0);
  CHECK(states.layers.empty());
  CHECK(Compare(TrainingWith(8000, 1), TrainingWith(8000, 1)).at_peak.lines.empty());
}

TEST_CASE("Layers that differ as much stand in the order of their numbers") {
  const auto run = [](int64_t bytes) {
    Stream stream;
    uint64_t address = 0x10000000;
    for (const char* layer : {"blocks.10", "blocks.1", "blocks.2"}) {
      const events::NameId name = stream.Name(layer);
      stream.Allocate(address += 1 << 20, bytes).layer = name;
    }
    return stream;
  };
  const auto layers = Compare(run(4096), run(8192)).at_peak.layers;
  REQUIRE(layers.size() == 3);
  CHECK(layers[0].title == "blocks.1");
  CHECK(layers[1].title == "blocks.2");
  CHECK(layers[2].title == "blocks.10");
}

TEST_CASE("A level whose source is live has its row before it is told") {
  Training early = TrainingWith(8000, 2);
  const auto say = [&early](events::Source source, const char* text) {
    const events::NameId name = early.Name(text);
    events::Event& state = early.Add(EventKind::kMarker);
    state.source = source;
    state.name = name;
  };
  say(events::Source::kDevice, "live (NVML)");
  say(events::Source::kDriver, "blocked by another tool");
  const auto levels = Compare(early, TrainingWith(8000, 2)).levels;
  CHECK_FALSE(RowTitled(levels, "process").a);
  CHECK_FALSE(RowTitled(levels, "card").Difference());
  CHECK(std::ranges::count(levels, std::string("driver"), &ComparedBytes::title) == 0);
  say(events::Source::kDevice, "live (NVML), but of the card as a whole: WSL");
  const auto in_part = Compare(early, TrainingWith(8000, 2)).levels;
  CHECK(std::ranges::count(in_part, std::string("process"), &ComparedBytes::title) == 0);
  CHECK(std::ranges::count(in_part, std::string("card"), &ComparedBytes::title) == 1);
}

TEST_CASE("How a source fares is read from its first word, and what it lacks from what follows") {
  using events::Standing;
  CHECK(events::StandingOf("") == Standing::kUntold);
  CHECK(events::StandingOf("live (CUPTI 13.0)") == Standing::kLive);
  CHECK(events::StandingOf(events::InPart("live (NVML)", "of the card as a whole")) == Standing::kInPart);
  CHECK(events::StandingOf("waiting: PyTorch has told of no block") == Standing::kWaiting);
  CHECK(events::StandingOf("blocked by another tool, but live elsewhere") == Standing::kOff);
}

TEST_CASE("A run is the same as itself, and so are two empty ones") {
  const Training training = TrainingWith(8000, 5);
  const RunComparison comparison = Compare(training, training);
  CHECK(comparison.same());
  CHECK(comparison.streams.by_step);
  CHECK(comparison.streams.by_phase);
  CHECK(comparison.streams.steps_in_both == 5);
  CHECK(comparison.streams.allocations.agreed == 11);
  CHECK(comparison.at_peak.blocks.empty());
  CHECK(*RowTitled(comparison.levels, "allocated").Difference() == 0);
  CHECK(Compare(Stream(), Stream()).same());
}

TEST_CASE("Runs that ask for the same are the same, wherever each says that its first step begins") {
  const Training told = TrainingWith(8000, 3);
  Training earlier;  // as a trace, whose first step begins with its first event
  earlier.BeginStep(0);
  earlier.BeginPhase(events::Phase::kForward);
  earlier.Weight(4096);
  for (int step = 0; step < 3; ++step) earlier.Step(step, 8000, 1000);
  const RunComparison comparison = Compare(told, earlier);
  CHECK(comparison.streams.allocations.agreed == 7);
  CHECK(comparison.streams.allocations.differences.empty());
  CHECK(comparison.same());
  Training other;
  other.BeginStep(0);
  other.BeginPhase(events::Phase::kForward);
  other.Weight(8192);
  for (int step = 0; step < 3; ++step) other.Step(step, 8000, 1000);
  CHECK_FALSE(Compare(told, other).same());
}

TEST_CASE("Another size is found in each step, and does not hide what agrees") {
  const Training small = TrainingWith(8000, 3);
  const Training large = TrainingWith(16'000, 3);
  const RunComparison comparison = Compare(small, large);
  CHECK_FALSE(comparison.same());
  const StreamComparison& allocations = comparison.streams.allocations;
  CHECK(allocations.agreed == 4);  // the weight and the temporaries of backward
  REQUIRE(allocations.differences.size() == 3);
  const auto view = small.Publish();
  CHECK(view->event(allocations.differences[0].a).bytes == 8000);
  CHECK(view->event(allocations.differences[0].a).phase == events::Phase::kForward);
  CHECK(StepTitle(*view, allocations.differences[2].a) == "step 2");
  CheckMirrored(allocations, Compare(large, small).streams.allocations);
}

TEST_CASE("Peaks, categories and layers are put beside each other") {
  const RunComparison comparison = Compare(TrainingWith(8000, 3), TrainingWith(16'000, 3));
  const ComparedBytes& requested = RowTitled(comparison.levels, "requested");
  CHECK(*requested.a == 4096 + 8000 + 1000);
  CHECK(*requested.Difference() == 8000);
  CHECK(*RowTitled(comparison.levels, "allocated").Difference() == 16'384 - 8192);
  const ComparedBytes& activation = RowTitled(comparison.at_peak.categories, "activation");
  CHECK(*activation.a == 8192);
  CHECK(*activation.Percent() == 100.0);
  CHECK(RowTitled(comparison.at_peak.categories, "parameter").Difference() == 0);
  REQUIRE(comparison.at_peak.layers.size() == 1);
  CHECK(comparison.at_peak.layers[0].title == "conv1");
  CHECK(comparison.at_peak.layers[0].selection == LayerSelected("conv1"));
  CHECK(activation.selection == CategorySelected(Category::kActivation));
  CHECK_FALSE(requested.selection.any());
  REQUIRE(comparison.at_peak.blocks.size() == 2);  // the larger difference first
  CHECK(comparison.at_peak.blocks[0].bytes == 16'000);
  CHECK(comparison.at_peak.blocks[0].in_a == 0);
  CHECK(comparison.at_peak.blocks[0].in_b == 1);
  CHECK(comparison.at_peak.blocks[0].title == "conv1 output");
  CHECK_FALSE(comparison.at_peak.blocks[0].first_in_a.has_value());
  REQUIRE(comparison.at_peak.blocks[0].first_in_b.has_value());
  const auto born_in_b = TrainingWith(16'000, 3).Publish()->event(*comparison.at_peak.blocks[0].first_in_b);
  CHECK(born_in_b.kind == EventKind::kAllocate);
  CHECK(born_in_b.bytes == 16'000);
  CHECK(comparison.at_peak.blocks[1].Difference() == -8000);
}

TEST_CASE("Runs of different lengths agree in the steps that both have") {
  const Training few = TrainingWith(8000, 10);
  const Training many = TrainingWith(8000, 50);
  const RunComparison all = Compare(few, many);
  CHECK_FALSE(all.same());
  CHECK(all.streams.steps_in_both == 10);
  CHECK(all.streams.steps_only_b == 40);
  CHECK(all.streams.allocations.agreed == 21);
  CHECK(all.streams.allocations.differences.front().only_a == 0);
  const RunComparison common = Compare(few, many, ComparedSteps::kInBoth);
  CHECK(common.same());
  CHECK(common.streams.steps_only_b == 40);
  CHECK(common.streams.allocations.of_b == 21);
  CHECK(Compare(many, few, ComparedSteps::kInBoth).same());
}

TEST_CASE("What comes in the steps that only one has moves no peak of the common ones") {
  const int only_in_many = GENERATE(0, 1, 2);  // before, between or after the others
  Training few;
  Training many;
  for (int number = 0; number < 3; ++number) {
    many.Step(number, number == only_in_many ? 1 << 20 : 8000 + number, 1000);
    if (number != only_in_many) few.Step(number, 8000 + number, 1000);
  }
  const RunComparison common = Compare(few, many, ComparedSteps::kInBoth);
  CHECK(common.same());
  CHECK(common.streams.steps_only_b == 1);
  CHECK(many.Publish()->event(common.peak_b).bytes != 1 << 20);
  CHECK(*RowTitled(Compare(few, many).levels, "requested").Difference() ==
        (1 << 20) - (only_in_many == 2 ? 8001 : 8002));
}

TEST_CASE("Runs that have no step in common are not the same for want of a difference") {
  Training a;
  Training b;
  a.Step(0, 8000, 1000);
  b.Step(7, 8000, 1000);
  const RunComparison common = Compare(a, b, ComparedSteps::kInBoth);
  CHECK(common.streams.ranges.empty());
  CHECK_FALSE(common.same());
  CHECK(common.at_peak.blocks.empty());
}

TEST_CASE("A snapshot, which knows where steps end only, agrees with the run that it is of") {
  const auto step = [](Stream& stream, int64_t input_bytes) {
    stream.Allocate(0x150000, input_bytes);
    stream.Allocate(0x200000, 8000);
    stream.Free(0x200000);
    stream.Free(0x150000);
  };
  Stream run;
  run.Allocate(0x100000, 4096);
  Stream snapshot;
  snapshot.BeginStep(0);
  snapshot.Allocate(0x100000, 4096);
  for (int number = 0; number < 3; ++number) {
    run.Allocate(0x150000, 700 + number);
    run.BeginStep(number);
    run.BeginPhase(events::Phase::kForward);
    run.Allocate(0x200000, 8000);
    run.Free(0x200000);
    run.Free(0x150000);
    run.EndStep(number);
    step(snapshot, 700 + number);
    snapshot.BeginPhase(events::Phase::kOptimizer);
    snapshot.EndStep(number);
    snapshot.BeginStep(number + 1);
  }
  const RunComparison comparison = Compare(run, snapshot);
  CHECK(comparison.same());
  CHECK(comparison.streams.steps_in_both == 3);
  CHECK(comparison.streams.steps_only_b == 0);
  CHECK_FALSE(comparison.streams.by_phase);
  CHECK(comparison.streams.allocations.agreed == 7);
}

TEST_CASE("Without steps on one side the streams are compared as they are") {
  Stream plain;
  plain.Allocate(0x100000, 4096);
  for (int step = 0; step < 2; ++step) {
    plain.Allocate(0x200000, 8000);
    plain.Allocate(0x300000, 1000);
    plain.Free(0x200000);
    plain.Free(0x300000);
  }
  const RunComparison comparison = Compare(TrainingWith(8000, 2), plain);
  CHECK_FALSE(comparison.streams.by_step);
  CHECK_FALSE(comparison.streams.by_phase);
  CHECK(comparison.same());
  CHECK(comparison.at_peak.layers.empty());  // only one knows any
}

TEST_CASE("An extra micro-batch is a gap of its own phases") {
  Training once;
  Training twice;
  for (Training* training : {&once, &twice}) {
    training->BeginStep(0);
    for (int micro = 0; micro < (training == &twice ? 2 : 1); ++micro) {
      training->BeginPhase(events::Phase::kForward);
      for (int64_t i = 1; i < 9; ++i) training->Allocate(0x1000 * static_cast<uint64_t>(i), 100 * i);
      training->BeginPhase(events::Phase::kBackward);
      for (int64_t i = 1; i < 9; ++i) training->Free(0x1000 * static_cast<uint64_t>(i));
    }
    training->BeginPhase(events::Phase::kOptimizer);
    training->Allocate(0x100000, 5000);
    training->EndStep(0);
  }
  const StreamComparison allocations = Compare(once, twice).streams.allocations;
  CHECK(allocations.agreed == 9);
  REQUIRE(allocations.differences.size() == 1);
  CHECK(allocations.differences[0].only_a == 0);
  CHECK(allocations.differences[0].only_b == 8);
}

TEST_CASE("Blocks' sizes are compared where one of the runs knows no others") {
  Stream told;
  told.Allocate(0x100000, 1000);
  told.Allocate(0x200000, 5000);
  Stream blocks;
  blocks.Allocate(0x100000, 1024);
  blocks.Allocate(0x200000, 5120);
  const RunComparison comparison = Compare(told, blocks);
  CHECK_FALSE(comparison.streams.by_requested());
  CHECK(comparison.same());
  const ComparedBytes& requested = RowTitled(comparison.levels, "requested");
  CHECK(*requested.a == 6000);
  CHECK_FALSE(requested.b);
  CHECK_FALSE(requested.Difference());
}

TEST_CASE("New segments count, and so does a peak that the frees alone move") {
  Stream one;
  one.Add(EventKind::kSegmentAllocate, 0x200000, 1 << 21);
  one.Allocate(0x200000, 512);
  Stream other = one;
  other.Add(EventKind::kSegmentAllocate, 0x800000, 1 << 21);
  const RunComparison segments = Compare(one, other);
  CHECK_FALSE(segments.same());
  CHECK(segments.streams.allocations.differences.empty());
  REQUIRE(segments.streams.segments.differences.size() == 1);
  CHECK(segments.streams.segments.differences[0].only_b == 1);

  Stream early = one;
  early.Free(0x200000);
  early.Allocate(0x200200, 700);
  Stream late = one;
  late.Allocate(0x200200, 700);
  late.Free(0x200000);
  CHECK(Compare(early, late).streams.allocations.differences.empty());
  CHECK_FALSE(Compare(early, late).same());
}

TEST_CASE("What driver and card report is told and does not count; a level of one side has no difference") {
  Stream quiet;
  quiet.Allocate(0x100000, 700);
  Stream told = quiet;
  told.Add(EventKind::kCounter, 0, 1 << 30).level = events::Level::kCard;
  const RunComparison comparison = Compare(quiet, told);
  CHECK(comparison.same());
  CHECK_FALSE(RowTitled(comparison.levels, "card").a);
  CHECK_FALSE(RowTitled(comparison.levels, "card").Percent());
}

TEST_CASE("Runs that use several streams are put beside each other stream by stream") {
  timeline::Stream a;
  a.Allocate(0x1000, 4096);
  timeline::Stream b;
  b.Allocate(0x1000, 4096);
  CHECK(CompareStates(MomentAt(*a.Publish(), 0), MomentAt(*b.Publish(), 0), true).streams.empty());
  b.Allocate(0x2000, 8192).stream = 0x55aa;
  b.Allocate(0x3000, 512).stream = 0x66bb;
  const auto view_a = a.Publish();
  const auto view_b = b.Publish();
  const StateComparison states = CompareStates(MomentAt(*view_a, 0), MomentAt(*view_b, 2), true);
  REQUIRE(states.streams.size() == 3);
  CHECK(states.streams[0].Difference() == 0);
  CHECK(states.streams[1].title == "stream 1");
  CHECK(states.streams[1].Difference() == 8192);
  CHECK(states.streams[2].b == 512);
}

}  // namespace tidemark::presenters
