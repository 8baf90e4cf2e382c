// Of which moment map and tables tell, and what they know of it.
#include <algorithm>
#include <chrono>
#include <thread>

#include "app/gui/scene/scene.h"
#include "profiler/base/paths.h"
#include "tests/gui/asked_of.h"
#include "tests/support/catch.h"
#include "tests/unit/session/fake_trainer.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {
namespace {

// In step 0, with 512 B allocated; before there were 4,096, at the moment that is returned.
events::EventIndex RunOutOfMemory(timeline::Stream& stream) {
  stream.Add(events::EventKind::kSegmentAllocate, 1 << 20, 1 << 20);
  stream.BeginStep(0);
  stream.Allocate(1 << 20, 4096);
  const events::EventIndex highest = stream.latest();
  stream.Free(1 << 20);
  stream.Allocate(1 << 20, 512);
  stream.Add(events::EventKind::kOutOfMemory, 0, 1 << 30);
  return highest;
}

}  // namespace

TEST_CASE("Once a program is over all is told of its highest moment, though nothing new came of it") {
  timeline::Stream stream;
  const auto step = [&stream](int64_t number, int64_t bytes) {
    stream.BeginStep(number);
    stream.Allocate(1 << 20, bytes);
    const events::EventIndex peak = stream.latest();
    stream.Free(1 << 20);
    stream.EndStep(number);
    return peak;
  };
  stream.Add(events::EventKind::kSegmentAllocate, 1 << 20, 1 << 20);
  const events::EventIndex highest = step(0, 4096);
  const events::EventIndex latest = step(1, 512);
  AskedOf asked(stream);
  asked.input.description.title = "train.py";
  asked.input.status.state = session::RunState::kRunning;
  ViewState state;
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto told_of = [&](events::EventIndex moment) {
    const Frame& seen = scene.Prepare(asked.input, state, estimates);
    const auto& totals = seen.breakdown.breakdown->totals;
    return seen.memory_map.state->index == moment && !totals.empty() &&
           totals.front().measured_bytes == (moment == highest ? 4096 : 512);
  };
  CHECK(told_of(latest));
  asked.input.status.state = session::RunState::kFinished;
  CHECK(told_of(highest));
}

TEST_CASE("Of what memory ended all panels tell the moment when it ran out, though there was more before") {
  timeline::Stream stream;
  const events::EventIndex highest = RunOutOfMemory(stream);
  const events::EventIndex failure = stream.latest();
  AskedOf asked(stream);
  asked.input.description.title = "train.py";
  asked.input.status.state = session::RunState::kFailed;
  ViewState state;
  Estimates estimates(&asked.networks);
  Scene scene;
  state.live_tree.drawn = true;
  const Frame& seen = scene.Prepare(asked.input, state, estimates);
  CHECK(seen.memory_map.state->index == failure);
  CHECK(seen.memory_map.moment == "step 0 · event " + std::to_string(failure) + " · memory ran out");
  CHECK(seen.live_tree.moment == seen.memory_map.moment);
  CHECK(seen.breakdown.breakdown->moment == "where memory ran out in step 0");
  CHECK(seen.breakdown.breakdown->totals.front().measured_bytes == 512);
  CHECK_FALSE(seen.breakdown.at_peak);
  state.pinned = highest;
  CHECK(scene.Prepare(asked.input, state, estimates).memory_map.unpinned == "where memory ran out in step 0");
}

TEST_CASE(
    "Where memory ran out, the peak that the phantom predicts is told beside it, as at no moment that is "
    "pinned") {
  const Result<networks::Network> network = networks::FindNetwork(networks::TrainingSettings().network);
  REQUIRE(network);
  timeline::Stream stream;
  stream.Mark(stream.Name("begin"), stream.Name(networks::ToJson(networks::TrainingSettings())));
  const events::EventIndex highest = RunOutOfMemory(stream);
  AskedOf asked(stream);
  asked.networks.push_back(*network);
  asked.input.device.kind = networks::DeviceKind::kPhantom;
  asked.input.description.device = "cuda";
  asked.input.status.state = session::RunState::kFailed;
  ViewState state;
  Estimates estimates(&asked.networks, {ExecutableFolder() / "fake_trainer"});
  Scene scene;
  const auto prepare = [&]() -> const BreakdownInput& {
    estimates.BeginFrame();
    return scene.Prepare(asked.input, state, estimates).breakdown;
  };
  const auto allocated = [&] {
    return *std::ranges::find(prepare().breakdown->totals, timeline::Series::kAllocated,
                              &presenters::BreakdownRow::level);
  };
  for (int tries = 0; tries < 1000 && !allocated().phantom_bytes; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(allocated().measured_bytes == 512);
  CHECK(allocated().phantom_bytes == 2 * session::kFakeBlockBytes);
  CHECK(allocated().difference_bytes == 512 - 2 * session::kFakeBlockBytes);
  CHECK(prepare().ran_out);
  CHECK_FALSE(prepare().at_peak);
  state.pinned = highest;
  CHECK(allocated().measured_bytes == 4096);
  CHECK_FALSE(allocated().phantom_bytes);
  CHECK_FALSE(prepare().ran_out);
}

TEST_CASE("A run is held against a phantom with its own settings of the allocator, not the next run's") {
  const networks::TrainingSettings settings;
  const Result<networks::Network> network = networks::FindNetwork(settings.network);
  REQUIRE(network);
  timeline::Stream stream;
  stream.Mark(stream.Name("begin"), stream.Name(networks::ToJson(settings)));
  stream.BeginStep(0);
  stream.Allocate(1 << 20, 512);
  stream.EndStep(0);
  AskedOf asked(stream);
  asked.networks.push_back(*network);
  asked.input.origin = RunOrigin::kOpened;
  asked.input.device.kind = networks::DeviceKind::kPhantom;
  asked.input.description.device = "phantom";
  asked.input.description.allocator_settings = "expandable_segments:True";
  asked.input.allocator = "max_split_size_mb:128";
  Estimates estimates(&asked.networks, {ExecutableFolder() / "fake_trainer"});
  Scene scene;
  const auto is_predicted = [&] {
    ViewState state;
    const auto& totals = scene.Prepare(asked.input, state, estimates).breakdown.breakdown->totals;
    const auto allocated =
        std::ranges::find(totals, timeline::Series::kAllocated, &presenters::BreakdownRow::level);
    return allocated != totals.end() && allocated->phantom_bytes.has_value();
  };
  for (int tries = 0; tries < 1000 && !is_predicted(); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(is_predicted());
  const std::string card = CardFor(asked.input);
  estimates.BeginFrame();
  CHECK(estimates.Phantom(settings, {card, "expandable_segments:True"}));
  CHECK_FALSE(estimates.Phantom(settings, {card, "max_split_size_mb:128"}));
}

TEST_CASE("What a run that is over told last of its blocks is known, where they outlive it") {
  timeline::Stream stream;
  stream.Add(events::EventKind::kSegmentAllocate, 1 << 20, 1 << 20);
  stream.Allocate(1 << 20, 512, events::Category::kUnknown);
  AskedOf asked(stream);
  asked.input.description.title = "train.py";
  asked.input.status.state = session::RunState::kRunning;
  ViewState state;
  state.pinned = stream.latest();
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto category = [&] {
    return scene.Prepare(asked.input, state, estimates).memory_map.state->blocks.at(0).category;
  };
  CHECK(category() == events::Category::kUnknown);
  stream.Categorize(1 << 20, events::Category::kOptimizerState);
  asked.input.view = stream.Publish();
  asked.input.status.state = session::RunState::kFinished;
  CHECK(category() == events::Category::kOptimizerState);
}

TEST_CASE("The map's blocks have the colours of the timeline's stack, whatever that is of") {
  timeline::Stream stream;
  stream.Add(events::EventKind::kSegmentAllocate, 1 << 20, 1 << 20);
  const events::NameId layers[] = {stream.Name("conv1"), stream.Name("fc")};
  stream.Allocate(1 << 20, 512).layer = layers[0];
  stream.Allocate((1 << 20) + 512, 4096).layer = layers[1];
  AskedOf asked(stream);
  asked.input.description.title = "train.py";
  asked.input.status.state = session::RunState::kFinished;
  ViewState state;
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto map = [&]() -> const MemoryMapInput& {
    return scene.Prepare(asked.input, state, estimates).memory_map;
  };
  CHECK(map().groups == nullptr);
  state.timeline.stack = {presenters::StackBy::kLayer, ""};
  REQUIRE(map().groups != nullptr);
  CHECK(*map().groups == std::vector<uint8_t>{1, 0});  // the largest first
  CHECK(map().group_count == 3);
  state.timeline.stack = {presenters::StackBy::kPhase, ""};
  CHECK(map().groups == nullptr);
}

TEST_CASE("A map with very many blocks never has other colours than the timeline") {
  constexpr int kBlocks = 150'000;
  timeline::Stream stream;
  stream.Add(events::EventKind::kSegmentAllocate, 1 << 20, int64_t{kBlocks} * 512);
  const events::NameId layers[] = {stream.Name("conv1"), stream.Name("fc")};
  for (int i = 0; i < kBlocks; ++i) {
    const bool is_in_first = i % 3 != 0;
    stream.Allocate((1 << 20) + static_cast<uint64_t>(i) * 512, 512).layer = layers[is_in_first ? 0 : 1];
  }
  AskedOf asked(stream);
  asked.input.description.title = "train.py";
  ViewState state;
  state.timeline.stack = {presenters::StackBy::kLayer, ""};
  Estimates estimates(&asked.networks);
  Scene scene;
  const auto map = [&]() -> const MemoryMapInput& {
    return scene.Prepare(asked.input, state, estimates).memory_map;
  };
  const auto has_stack = [&] { return map().groups != nullptr; };
  for (int i = 0; i < 4000 && !has_stack(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  REQUIRE(has_stack());
  // As the scrubber is dragged: each frame has another moment.
  for (const int born : {10, 20, 30}) {
    state.pinned = asked.input.view->end() - static_cast<events::EventIndex>(born);
    for (int i = 0; i < 4000 && scene.pending(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const MemoryMapInput& seen = map();
    REQUIRE(seen.groups != nullptr);
    REQUIRE(seen.groups->size() == seen.state->blocks.size());
    CHECK(std::ranges::all_of(*seen.groups, [&](uint8_t group) { return group < seen.group_count; }));
  }
  state.pinned.reset();
  for (int i = 0; i < 4000 && (map(), scene.pending()); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto& groups = *map().groups;
  CHECK(std::ranges::count(groups, 0) == 2 * std::ranges::count(groups, 1));
}

}  // namespace tidemark::gui
