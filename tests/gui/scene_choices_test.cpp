// What the scene shows where nobody has chosen.
#include <string>

#include "app/gui/scene/scene.h"
#include "app/gui/view/panel_table.h"
#include "tests/gui/asked_of.h"
#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE("The stack is of lines of code where a run that has ended tells no categories, but as is chosen") {
  timeline::Stream stream;
  const events::NameId line = stream.Name("forward (net.py:7)");
  stream.Allocate(1 << 20, 512, events::Category::kUnknown).op = line;
  AskedOf asked(stream);
  ViewState state;
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto stack = [&] { return scene.Prepare(asked.input, state, estimates).timeline.stack.by; };
  asked.input.status.state = session::RunState::kRunning;
  CHECK(stack() == presenters::StackBy::kCategory);  // it may tell them yet
  asked.input.status.state = session::RunState::kFinished;
  CHECK(stack() == presenters::StackBy::kLine);
  state.timeline.stack = presenters::StackOrder{presenters::StackBy::kCategory, ""};
  CHECK(stack() == presenters::StackBy::kCategory);
}

TEST_CASE("Layers have no panel where a file tells none, nor what its blocks hold") {
  timeline::Stream stream;
  const events::NameId line = stream.Name("forward (net.py:7)");
  stream.Allocate(1 << 20, 512, events::Category::kUnknown).op = line;
  AskedOf asked(stream);
  asked.input.description.title = "snapshot.pickle";
  ViewState state;
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto has_layers = [&] {
    return HasContent(Panels()[IndexOfPanel("layers")], scene.Prepare(asked.input, state, estimates));
  };
  asked.input.status.state = session::RunState::kRunning;
  CHECK(has_layers());  // some may come yet
  asked.input.status.state = session::RunState::kFinished;
  CHECK_FALSE(has_layers());
  stream.Allocate(2 << 20, 512, events::Category::kUnknown).layer = stream.Name("conv1");
  asked.input.view = stream.Publish();
  CHECK(has_layers());
}

TEST_CASE("What is alive is grouped as the stack is where nobody chose") {
  timeline::Stream stream;
  const events::NameId line = stream.Name("forward (net.py:7)");
  stream.Allocate(1 << 20, 512, events::Category::kUnknown).op = line;
  AskedOf asked(stream);
  asked.input.status.state = session::RunState::kFinished;
  ViewState state;
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto tree = [&]() -> const LiveTreeInput& {
    state.live_tree.drawn = true;
    return scene.Prepare(asked.input, state, estimates).live_tree;
  };
  CHECK(tree().grouping == TreeGrouping::kCallStack);
  REQUIRE(tree().tree != nullptr);
  CHECK(tree().tree->nodes[1].title == "forward (net.py:7)");
  state.timeline.stack = presenters::StackOrder{presenters::StackBy::kCategory, ""};
  CHECK(tree().grouping == TreeGrouping::kCallStack);  // that was chosen of the stack
  state.live_tree.grouping = TreeGrouping::kPhase;
  CHECK(tree().grouping == TreeGrouping::kPhase);
}

TEST_CASE(
    "What is told of every batch is of the next run's network and card, and what ran stands there if it ran "
    "so") {
  timeline::Stream stream;
  networks::TrainingSettings trained;
  stream.Mark(0, stream.Name(networks::ToJson(trained)));
  for (const int64_t step : {0, 1}) {
    stream.BeginStep(step);
    stream.Allocate(1 << 20, 512);
    stream.Free(1 << 20);
    stream.EndStep(step);
  }
  AskedOf asked(stream);
  asked.cards = *phantom::LoadCards();
  asked.input.origin = RunOrigin::kOpened;
  ViewState state;
  Estimates estimates(&asked.networks);
  Scene scene;
  constexpr const char* kCpu = "";
  for (const std::string ran : {kCpu, "t4"}) {
    const phantom::Card* const ran_on = phantom::CardNamed(asked.cards, ran);
    asked.input.description.device = ran_on == nullptr ? "cpu" : "cuda";
    asked.input.description.device_name = ran_on == nullptr ? "Xeon" : ran_on->title;
    for (const std::string next : {kCpu, "h200", "t4"}) {
      CAPTURE(ran, next);
      const phantom::Card* const next_on = phantom::CardNamed(asked.cards, next);
      asked.input.device = {next_on == nullptr ? networks::DeviceKind::kCpu : networks::DeviceKind::kPhantom,
                            0, next};
      state.batch.drawn = true;
      const BatchInput& batch = scene.Prepare(asked.input, state, estimates).batch;
      if (next_on != nullptr) CHECK(batch.card_bytes == next_on->memory_bytes);
      CHECK(batch.measured.has_value() == (ran == next));
    }
  }
  asked.input.settings.network = "gpt-mini";
  REQUIRE(asked.input.settings.network != trained.network);
  state.batch.drawn = true;
  CHECK_FALSE(scene.Prepare(asked.input, state, estimates).batch.measured);
}

TEST_CASE("What ran out of memory stands at the line of what it had") {
  timeline::Stream stream;
  stream.Mark(0, stream.Name(networks::ToJson(networks::TrainingSettings{})));
  stream.BeginStep(0);
  stream.Allocate(1 << 20, 512);
  stream.Add(events::EventKind::kOutOfMemory, 0, 1'000'000);
  AskedOf asked(stream);
  asked.cards = *phantom::LoadCards();
  const phantom::Card& card = *phantom::CardNamed(asked.cards, "t4");
  asked.input.description.device_name = card.title;
  asked.input.device = {networks::DeviceKind::kPhantom, 0, card.name};
  ViewState state;
  Estimates estimates(&asked.networks);
  Scene scene;
  for (const int64_t limit : {int64_t{0}, int64_t{64} << 20}) {
    asked.input.description.device_bytes = limit;
    state.batch.drawn = true;
    const auto measured = scene.Prepare(asked.input, state, estimates).batch.measured;
    REQUIRE(measured);
    CHECK(measured->bytes == (limit == 0 ? card.memory_bytes : limit));
  }
}

TEST_CASE(
    "Of a recording the run's peak is told, of a run of ours the latest, and how often Esc leads back to "
    "it") {
  timeline::Stream stream;
  for (const int64_t step : {0, 1}) {
    stream.BeginStep(step);
    stream.Allocate(1 << 20, step == 0 ? 4096 : 512);
    stream.Free(1 << 20);
    stream.EndStep(step);
  }
  AskedOf asked(stream);
  ViewState state;
  Estimates estimates(&asked.networks);
  const auto prepare = [&]() -> std::string {
    Scene scene;
    const Frame& frame = scene.Prepare(asked.input, state, estimates);
    return frame.memory_map.unpinned + ", " + std::to_string(frame.memory_map.escapes);
  };
  CHECK(prepare() == "at the peak of step 1, 0");
  asked.input.origin = RunOrigin::kOpened;
  CHECK(prepare() == "at the peak of the run, in step 0, 0");
  state.selection = presenters::CategorySelected(events::Category::kTemporary);
  CHECK(prepare() == "at the peak of the run, in step 0, 1");
  asked.input.origin = RunOrigin::kFollowed;  // it is still being written
  asked.input.status.state = session::RunState::kRunning;
  CHECK(prepare() == "at the peak of step 1, 1");
}

}  // namespace tidemark::gui
