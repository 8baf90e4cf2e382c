// What the scene makes of a second run, and of its lack.
#include <string>

#include "app/gui/scene/scene.h"
#include "tests/gui/asked_of.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {

TEST_CASE("A change of settings is offered to compare only where settings can be changed") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 512);
  AskedOf asked(stream);
  ViewState state;
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto why_empty = [&] {
    state.comparison.drawn = true;
    scene.Prepare(asked.input, state, estimates);
    state.comparison.drawn = true;
    return scene.Prepare(asked.input, state, estimates).comparison.empty_reason;
  };
  CHECK(std::string(why_empty()).find("Compare with…") != std::string::npos);
  CHECK(std::string(why_empty()).find("change a setting") == std::string::npos);
  asked.input.live = true;
  CHECK(std::string(why_empty()).find("change a setting") != std::string::npos);
}

TEST_CASE("Between two cursors one run stands beside itself, unless a second one does") {
  timeline::Stream stream;
  for (uint64_t block = 1; block <= 100; ++block) stream.Allocate(block << 20, 512);
  AskedOf asked(stream);
  ViewState state;
  state.timeline.axis = presenters::TimeAxis::kEvents;
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto compared = [&]() -> const presenters::SideBySide* {
    state.comparison.drawn = true;
    return scene.Prepare(asked.input, state, estimates).comparison.comparison;
  };
  CHECK(compared() == nullptr);
  state.timeline.cursors = {60, 20};  // the second may be the earlier
  const presenters::SideBySide* between = compared();
  REQUIRE(between != nullptr);
  CHECK(between->title_a == "event 20");
  CHECK(between->title_b == "event 60");
  CHECK(between->of_one_run);
  REQUIRE(between->states.blocks.size() == 1);
  CHECK(between->states.blocks[0].Difference() == 40 * 512);
  asked.input.compared = ComparedRun{"b.tide", stream.Publish(), {}};
  REQUIRE(compared() != nullptr);
  CHECK(compared()->title_b == "b.tide");
  asked.input.compared.reset();
  state.timeline.cursors.reset();
  CHECK(compared() == nullptr);
}

TEST_CASE("The tree of differences is of what the Compare panel compares, and else of what is alive") {
  timeline::Stream stream;
  for (uint64_t block = 1; block <= 100; ++block)
    stream.Allocate(block << 20, 512, events::Category::kActivation);
  AskedOf asked(stream);
  ViewState state;
  state.timeline.axis = presenters::TimeAxis::kEvents;
  state.live_tree.of_difference = true;
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto tree = [&]() -> const LiveTreeInput& {
    state.live_tree.drawn = true;
    return scene.Prepare(asked.input, state, estimates).live_tree;
  };
  CHECK_FALSE(tree().compares);
  REQUIRE(tree().tree != nullptr);
  CHECK_FALSE(tree().tree->nodes.front().sides);
  state.timeline.cursors = {60, 20};
  REQUIRE(tree().tree != nullptr);
  REQUIRE(tree().tree->nodes.front().sides);
  CHECK(tree().tree->nodes.front().sides->Difference() == 40 * 512);
  CHECK(tree().sides->b == "event 60");
  timeline::Stream other;
  other.Allocate(1 << 20, 1024, events::Category::kGradient);
  asked.input.compared = ComparedRun{"b.tide", other.Publish(), {}};
  REQUIRE(tree().tree != nullptr);
  CHECK(tree().sides->b == "b.tide");
  CHECK(tree().moment == "at each one's peak");
  CHECK(tree().tree->nodes.front().sides->Difference() == 1024 - 100 * 512);
  CHECK(tree().tree->nodes.front().bytes == 1024 + 100 * 512);
  state.live_tree.of_difference = false;
  REQUIRE(tree().tree != nullptr);
  CHECK(tree().compares);
  CHECK_FALSE(tree().tree->nodes.front().sides);
}

TEST_CASE("Where one of two runs does not tell its blocks there is no tree of differences, and why is said") {
  timeline::Stream stream;
  stream.Allocate(1 << 20, 512);
  AskedOf asked(stream);
  timeline::Stream untold;
  untold.Count(events::Level::kDriver, 4096);
  asked.input.compared = ComparedRun{"b.tide", untold.Publish(), {}};
  ViewState state;
  state.live_tree.of_difference = state.live_tree.drawn = true;
  Estimates estimates(&asked.networks);
  Scene scene;
  const LiveTreeInput& tree = scene.Prepare(asked.input, state, estimates).live_tree;
  CHECK(tree.tree == nullptr);
  CHECK(tree.empty_reason.starts_with("Of b.tide: "));
}

TEST_CASE("Of what is noted on two runs that is told which only one of them has, as tidemark compare does") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 512);
  AskedOf asked(stream);
  asked.input.description.notes = {"cuDNN's workspaces are not included.", "Of both."};
  asked.input.compared = ComparedRun{"b.tide", stream.Publish(), {"Of both.", "A doubt."}};
  ViewState state;
  state.comparison.drawn = true;
  Estimates estimates(&asked.networks);
  Scene scene;
  CHECK(scene.Prepare(asked.input, state, estimates).comparison.notes ==
        std::vector<std::string>{"Note on this run: cuDNN's workspaces are not included.",
                                 "Note on b.tide: A doubt."});
}

TEST_CASE("A second run that knows no steps lies over the first where their allocations agree") {
  timeline::Stream stream;
  timeline::Stream snapshot;
  for (int64_t step = 0; step < 40; ++step) {
    stream.BeginStep(step);
    for (int i = 0; i < 12; ++i) stream.BeginPhase(events::Phase::kForward);  // a step is wide enough
    for (timeline::Stream* each : {&stream, &snapshot}) {
      each->Allocate(1 << 20, 512 * (step + 1));
      each->Free(1 << 20);
    }
    stream.EndStep(step);
  }
  const AskedOf asked(stream);
  SceneInput input = asked.input;
  input.compared = ComparedRun{"s.pickle", snapshot.Publish()};
  ViewState state;
  state.timeline.columns = 10'000;
  Estimates estimates(&asked.networks);
  Scene scene;
  const Frame& frame = scene.Prepare(input, state, estimates);
  REQUIRE_FALSE(frame.timeline.plot->compared.empty());
  for (const presenters::PlotLevel& level : frame.timeline.plot->compared) {
    const presenters::PlotColumn* column = presenters::ColumnAt(*frame.timeline.plot, level.begin);
    CHECK(level.bytes == ValueOf(column->at_peak, timeline::Series::kAllocated));
  }
  // At a moment, too.
  state.pinned = input.view->steps()[30].peak;
  state.comparison.drawn = true;
  const presenters::SideBySide* sides = scene.Prepare(input, state, estimates).comparison.comparison;
  REQUIRE(sides != nullptr);
  CHECK(sides->states.blocks.empty());
}

}  // namespace tidemark::gui
