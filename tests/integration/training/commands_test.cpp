// The trainer and its commands, on a phantom GPU: what it does, and in which order.
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/integration/training/replay.h"
#include "tests/integration/training/trainer_under_test.h"
#include "tests/support/catch.h"

namespace tidemark::tests {
namespace {

using events::Category;
using events::Event;
using events::EventKind;
using networks::Precision;
using networks::TrainingSettings;
using transport::Change;
using transport::RunMode;
using transport::SetMode;
using transport::SetStepLimit;

const networks::DeviceChoice h200{};

TrainingSettings Small() {
  TrainingSettings settings;
  settings.batch = 4;
  return settings;
}

int64_t CountOf(const CollectedEvents& collected, EventKind kind) {
  return std::count_if(collected.events.begin(), collected.events.end(),
                       [&](const Event& event) { return event.kind == kind; });
}

TEST_CASE("The first report describes the run, and the first marker carries the settings") {
  TrainerUnderTest trainer(Small(), h200, 1);
  REQUIRE(trainer.AwaitPause());
  REQUIRE(trainer.started());
  const events::RunDescription& run = trainer.started()->description;
  CHECK(run.device == "phantom");
  CHECK(run.device_name.find("H200") != std::string::npos);
  CHECK(run.device_bytes > 140'000'000'000);
  CHECK(run.producer.find("tidemark-trainer") == 0);
  CHECK(run.process_id == trainer.process());
  const auto marker = std::find_if(
      trainer.collected().events.begin(), trainer.collected().events.end(), [](const Event& event) {
        return event.kind == EventKind::kMarker && event.source == events::Source::kTrainer;
      });
  REQUIRE(marker != trainer.collected().events.end());
  CHECK(trainer.collected().NameOf(marker->op) == networks::ToJson(Small()));
  CHECK(trainer.Stop() == 0);
}

TEST_CASE("Mixed precision shows in the first step after it is switched on") {
  TrainerUnderTest trainer(Small(), h200, 2);
  REQUIRE(trainer.AwaitPause());
  TrainingSettings half = Small();
  half.amp = Precision::kFloat16;
  trainer.Send(Change{half});
  trainer.Send(SetStepLimit{3});
  const auto pause = trainer.AwaitPause();
  REQUIRE(pause);
  CHECK(pause->steps_done == 3);
  bool marked = false;
  int64_t copies_before = 0;
  int64_t copies_after = 0;
  std::string text;
  for (const Event& event : trainer.collected().events) {
    if (event.kind == EventKind::kMarker && event.time_ns > trainer.collected().events.front().time_ns) {
      text = trainer.collected().NameOf(event.name);
      marked = text == networks::DescribeChange(Small(), half);
    }
    if (event.kind == EventKind::kAllocate && event.category == Category::kAutocastCache) {
      (marked ? copies_after : copies_before) += event.bytes;
    }
  }
  CAPTURE(text);
  CHECK(marked);
  CHECK(copies_before == 0);
  CHECK(copies_after == 2'158'356);  // half of the parameters' 4,316,712 bytes
  CHECK(trainer.collected().Metric("loss scale").size() == 1);
}

TEST_CASE(
    "A change of optimizer starts it without state, a change of network starts afresh, without the cache") {
  TrainerUnderTest trainer(Small(), h200, 2);
  REQUIRE(trainer.AwaitPause());
  TrainingSettings changed = Small();
  changed.optimizer = networks::OptimizerKind::kSgd;
  trainer.Send(Change{changed});
  trainer.Send(SetStepLimit{3});
  REQUIRE(trainer.AwaitPause());
  MemoryState state;
  for (const Event& event : trainer.collected().events) state.Apply(event);
  CHECK(state[Category::kOptimizerState] == 0);
  changed.network = "smaller-conv-net";
  trainer.Send(Change{changed});
  trainer.Send(SetStepLimit{4});
  REQUIRE(trainer.AwaitPause());
  MemoryState smaller;
  for (const Event& event : trainer.collected().events) smaller.Apply(event);
  CHECK(smaller[Category::kParameter] == 2'085'888);
  CHECK(std::ranges::count(trainer.collected().events, EventKind::kSegmentFree, &Event::kind) > 0);
}

// What memory is asked for and what for, in order, without addresses and times. Frees are left out: autocast
// drops its copies in the order of a hash of their addresses.
std::vector<std::string> MemoryStory(const CollectedEvents& collected, size_t first) {
  std::vector<std::string> story;
  for (size_t index = first; index < collected.events.size(); ++index) {
    const Event& event = collected.events[index];
    if (event.kind != EventKind::kAllocate && event.kind != EventKind::kSegmentAllocate &&
        event.kind != EventKind::kCategorize) {
      continue;
    }
    story.push_back(std::string(events::NameOf(event.kind)) + " " + std::to_string(event.bytes) + " " +
                    std::to_string(event.rounded_bytes) + " " + collected.NameOf(event.layer) + " " +
                    collected.NameOf(event.op) + " " + collected.NameOf(event.name));
  }
  return story;
}

TEST_CASE("A restarted run takes memory like a fresh process") {
  TrainingSettings settings = Small();
  settings.amp = Precision::kFloat16;
  TrainerUnderTest trainer(Small(), h200, 3);
  REQUIRE(trainer.AwaitPause());
  trainer.Send(transport::Restart{settings});
  REQUIRE(trainer.AwaitPause());
  CHECK(trainer.Stop() == 0);
  const auto& events = trainer.collected().events;
  const auto last_marker = std::find_if(events.rbegin(), events.rend(),
                                        [](const Event& event) { return event.kind == EventKind::kMarker; });
  MemoryState at_restart;
  std::for_each(events.begin(), last_marker.base(), [&](const Event& event) { at_restart.Apply(event); });
  CHECK(at_restart.blocks.empty());
  CHECK(at_restart.reserved_bytes == 0);

  const CollectedEvents fresh = EventsOf(settings, h200, 3);
  const auto story =
      MemoryStory(trainer.collected(), static_cast<size_t>(last_marker.base() - events.begin()));
  const auto fresh_story = MemoryStory(fresh, 0);
  REQUIRE(story.size() == fresh_story.size());
  const auto different = std::mismatch(story.begin(), story.end(), fresh_story.begin());
  if (different.first != story.end()) CHECK(*different.first == *different.second);
}

TEST_CASE("One step at a time") {
  TrainerUnderTest trainer(Small(), h200, 2);
  REQUIRE(trainer.AwaitPause()->steps_done == 2);
  trainer.Send(SetMode{RunMode::kOneStep});
  CHECK(trainer.AwaitPause()->steps_done == 3);
  trainer.Send(SetMode{RunMode::kOneStep});
  CHECK(trainer.AwaitPause()->steps_done == 4);
  CHECK(CountOf(trainer.collected(), EventKind::kStepEnd) == 4);
}

TEST_CASE("One operator at a time, forward and backward") {
  TrainerUnderTest trainer(Small(), h200, 1);
  REQUIRE(trainer.AwaitPause());
  const auto operators = [&] {
    return std::count_if(
        trainer.collected().events.begin(), trainer.collected().events.end(),
        [](const Event& event) { return event.kind == EventKind::kScopeBegin && event.op != 0; });
  };
  const auto before = operators();
  for (int count = 1; count <= 40; ++count) {
    trainer.Send(SetMode{RunMode::kOneOperator});
    REQUIRE(trainer.AwaitPause());
    CHECK(operators() == before + count);
  }
  CHECK(CountOf(trainer.collected(), EventKind::kStepEnd) == 1);
  // The rest of the step, at once.
  trainer.Send(SetMode{RunMode::kOneStep});
  CHECK(trainer.AwaitPause()->steps_done == 2);
  CHECK(trainer.Stop() == 0);
}

TEST_CASE("Stopping while halted before an operator ends in order") {
  TrainerUnderTest trainer(Small(), h200, 1);
  REQUIRE(trainer.AwaitPause());
  trainer.Send(SetMode{RunMode::kOneOperator});
  REQUIRE(trainer.AwaitPause());
  CHECK(trainer.Stop() == 0);
}

TEST_CASE("Memory that does not suffice ends the run with an event and PyTorch's message") {
  // A thousandth of the card: 141 MB.
  TrainerUnderTest trainer({}, h200, 0, {"PYTORCH_CUDA_ALLOC_CONF=per_process_memory_fraction:0.001"});
  const auto failed = trainer.AwaitFailure();
  REQUIRE(failed);
  CHECK(failed->out_of_memory);
  CHECK(failed->sentence.find("CUDA out of memory. Tried to allocate") == 0);
  CHECK(failed->sentence.find('\n') == std::string::npos);
  CHECK(trainer.AwaitExit() == 1);
  const auto& events = trainer.collected().events;
  const auto event = std::find_if(events.begin(), events.end(),
                                  [](const Event& each) { return each.kind == EventKind::kOutOfMemory; });
  REQUIRE(event != events.end());
  CHECK(event->bytes >= 14'745'600);
  CHECK(event->rounded_bytes > 0);
  // What the card held just then, not up to 100 ms before.
  const auto card = std::find_if(event, events.end(), [](const Event& each) {
    return each.kind == EventKind::kCounter && each.level == events::Level::kCard;
  });
  REQUIRE(card != events.end());
  const auto freed = std::find_if(event, events.end(), [](const Event& each) {
    return each.kind == EventKind::kFreeRequested || each.kind == EventKind::kSegmentFree;
  });
  CHECK(card < freed);
}

TEST_CASE("A device that is not there is a sentence") {
  networks::DeviceChoice device;
  device.kind = networks::DeviceKind::kCuda;
  device.index = 3;
  TrainerUnderTest trainer(Small(), device, 1);
  const auto failed = trainer.AwaitFailure();
  REQUIRE(failed);
  CHECK(failed->sentence.find("There is no CUDA device 3") == 0);
  CHECK_FALSE(failed->out_of_memory);
  CHECK(trainer.AwaitExit() == 1);
}

TEST_CASE("An unknown network is a sentence") {
  TrainingSettings settings;
  settings.network = "no-such-net";
  TrainerUnderTest trainer(settings, h200, 1);
  const auto failed = trainer.AwaitFailure();
  REQUIRE(failed);
  CHECK(failed->sentence.find("no-such-net") != std::string::npos);
  CHECK(trainer.AwaitExit() == 1);
}

TEST_CASE("When the program goes, the trainer goes") {
  TrainerUnderTest trainer(Small(), h200, 1);
  REQUIRE(trainer.AwaitPause());
  trainer.CloseChannel();
  CHECK(trainer.AwaitExit() == 1);
}

TEST_CASE("A run at full speed loses no event") {
  TrainerUnderTest trainer(Small(), h200, 2000);
  const auto pause = trainer.AwaitPause();
  REQUIRE(pause);
  CHECK(pause->steps_done == 2000);
  CHECK(trainer.lost() == 0);
  CHECK(CountOf(trainer.collected(), EventKind::kStepEnd) == 2000);
}

}  // namespace
}  // namespace tidemark::tests
