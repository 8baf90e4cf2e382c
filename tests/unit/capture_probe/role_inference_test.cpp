// What follows from a program's hints that training_watch_test.cpp does not play.
#include "profiler/capture/roles/role_inference.h"

#include <span>
#include <utility>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::capture {
namespace {

using events::Category;
using events::Event;
using events::EventKind;

constexpr uint64_t kReserved = 0x7000'0000'0000;

Event Told(EventKind kind, uint64_t address, int64_t bytes = 0) {
  Event event;
  event.kind = kind;
  event.source = events::Source::kAllocator;
  event.address = address;
  event.bytes = bytes;
  return event;
}

Event MadeByOptimizer(uint64_t address) {
  Event event = Told(EventKind::kAllocate, address, 512);
  event.name = 7;
  return event;
}

std::vector<Event> Inferred(RoleInference& inference, const std::vector<Event>& events) {
  const std::span<const Event> inferred = inference.Infer(events);
  return {inferred.begin(), inferred.end()};
}

std::vector<EventKind> Kinds(const std::vector<Event>& events) {
  std::vector<EventKind> kinds;
  kinds.reserve(events.size());
  for (const Event& event : events) kinds.push_back(event.kind);
  return kinds;
}

}  // namespace

TEST_CASE("What follows from a hint stands in its place, at its time and of its thread") {
  RoleInference inference;
  Event saved = Told(EventKind::kTensorSaved, kReserved);
  saved.time_ns = 5;
  saved.thread = 7;
  const std::vector<Event> inferred =
      Inferred(inference, {Told(EventKind::kSegmentAllocate, kReserved, 4096),
                           Told(EventKind::kAllocate, kReserved, 512), saved,
                           Told(EventKind::kFreeCompleted, kReserved, 512), saved});
  CHECK(Kinds(inferred) == std::vector<EventKind>{EventKind::kSegmentAllocate, EventKind::kAllocate,
                                                  EventKind::kCategorize, EventKind::kFreeCompleted,
                                                  EventKind::kCategorize});
  CHECK(inferred[2].time_ns == 5);
  CHECK(inferred[2].thread == 7);
  CHECK(inferred[2].category == Category::kActivation);
}

TEST_CASE("A block that takes the place of one whose end was lost has no role of it") {
  RoleInference inference;
  const std::vector<Event> first{Told(EventKind::kSegmentAllocate, kReserved, 4096),
                                 Told(EventKind::kAllocate, kReserved, 512),
                                 Told(EventKind::kTensorSaved, kReserved)};
  CHECK(Inferred(inference, first).size() == 3);
  CHECK(Inferred(inference, {Told(EventKind::kAllocate, kReserved, 512)}).size() == 1);
  const std::vector<Event> leaf = Inferred(inference, {Told(EventKind::kLeafUsed, kReserved)});
  REQUIRE(leaf.size() == 1);
  CHECK(leaf[0].category == Category::kParameter);
}

TEST_CASE("What Python knows of a parameter names it, and its gradient") {
  RoleInference inference;
  Event parameter = Told(EventKind::kTensorKnown, kReserved);
  parameter.category = Category::kParameter;
  parameter.name = 3;
  parameter.op = 4;
  Event leaf = Told(EventKind::kLeafUsed, kReserved);
  leaf.bytes = 100;
  leaf.rounded_bytes = 200;
  Event gradient = Told(EventKind::kGradientAccumulated, kReserved + 512);
  gradient.bytes = 200;
  const std::vector<Event> inferred =
      Inferred(inference, {Told(EventKind::kSegmentAllocate, kReserved, 4096), parameter, leaf, gradient});
  REQUIRE(inferred.size() == 3);
  CHECK(inferred[1].category == Category::kParameter);
  CHECK(inferred[1].name == 3);
  CHECK(inferred[2].address == kReserved + 512);
  CHECK(inferred[2].category == Category::kGradient);
  CHECK(inferred[2].name == 4);
}

TEST_CASE("What Python knows of an optimizer's state is called so, and the rest by the optimizer") {
  RoleInference inference;
  Event state = Told(EventKind::kTensorKnown, kReserved);
  state.category = Category::kOptimizerState;
  state.name = 3;
  Event end = Told(EventKind::kOptimizerEnd, 0);
  end.name = 7;
  const std::vector<Event> inferred =
      Inferred(inference, {Told(EventKind::kSegmentAllocate, kReserved, 4096), MadeByOptimizer(kReserved),
                           MadeByOptimizer(kReserved + 512), state, end});
  REQUIRE(inferred.size() == 5);
  CHECK(inferred[3].address == kReserved);
  CHECK(inferred[3].name == 3);
  CHECK(inferred[4].address == kReserved + 512);
  CHECK(inferred[4].name == 7);
}

TEST_CASE("Nothing follows for what lies in no segment and is no block") {
  RoleInference inference;
  const Event segment = Told(EventKind::kSegmentAllocate, kReserved, 4096);
  CHECK(Inferred(inference, {segment, Told(EventKind::kTensorSaved, kReserved + 4096),
                             Told(EventKind::kTensorSaved, 0), Told(EventKind::kTensorSaved, kReserved - 1)})
            .size() == 1);
  CHECK(Inferred(inference,
                 {Told(EventKind::kSegmentFree, kReserved, 4096), Told(EventKind::kTensorSaved, kReserved)})
            .size() == 1);
}

TEST_CASE("The CPU's blocks lie in no segment, and hold what the card's would as long as they are there") {
  RoleInference inference;
  const Event saved = Told(EventKind::kTensorSaved, 4096);
  const std::vector<Event> inferred =
      Inferred(inference, {Told(EventKind::kAllocate, 4096, 512), saved, MadeByOptimizer(8192),
                           Told(EventKind::kOptimizerEnd, 0)});
  CHECK(Kinds(inferred) == std::vector<EventKind>{EventKind::kAllocate, EventKind::kCategorize,
                                                  EventKind::kAllocate, EventKind::kCategorize});
  CHECK(inferred[1].category == Category::kActivation);
  CHECK(inferred[3].category == Category::kOptimizerState);
  CHECK(Inferred(inference, {Told(EventKind::kFreeCompleted, 4096, 512), saved}).size() == 1);
}

TEST_CASE(
    "What an optimizer made is its state, whatever was lost of its steps; the mark is in no recording") {
  RoleInference inference;
  std::vector<Event> inferred = Inferred(
      inference,
      {Told(EventKind::kSegmentAllocate, kReserved, 4096), MadeByOptimizer(kReserved),
       Told(EventKind::kAllocate, kReserved + 512, 512)});  // of another thread, or a later forward's
  REQUIRE(inferred.size() == 3);
  CHECK(inferred[1].name == 0);
  Event end = Told(EventKind::kOptimizerEnd, 0);
  end.name = 7;
  inferred = Inferred(inference, {end});  // the first one's was lost
  REQUIRE(inferred.size() == 1);
  CHECK(inferred[0].address == kReserved);
  CHECK(inferred[0].category == Category::kOptimizerState);
  CHECK(inferred[0].name == 7);
}

TEST_CASE("What holds no hint is handed on as it is") {
  RoleInference inference;
  const std::vector<Event> events{Told(EventKind::kSegmentAllocate, kReserved, 4096),
                                  Told(EventKind::kAllocate, kReserved, 512)};
  CHECK(inference.Infer(events).data() == events.data());
}

TEST_CASE("What a forward made is output if it is there as backward begins, and no activation") {
  RoleInference inference;
  const auto phase = [](events::Phase begins) {
    Event event = Told(EventKind::kPhase, 0);
    event.source = events::Source::kTrainer;
    event.phase = begins;
    return event;
  };
  const auto born = [](uint64_t offset, events::Phase in = events::Phase::kForward) {
    Event event = Told(EventKind::kAllocate, kReserved + offset, 512);
    event.phase = in;
    return event;
  };
  const std::vector<Event> before = {Told(EventKind::kSegmentAllocate, kReserved, 8192),
                                     born(0, events::Phase::kIdle),
                                     born(512),
                                     born(1024),
                                     born(2048),
                                     Told(EventKind::kFreeCompleted, kReserved + 512, 512),
                                     Told(EventKind::kTensorSaved, kReserved + 1024)};
  Inferred(inference, before);
  const std::vector<Event> inferred =
      Inferred(inference, {born(4096), phase(events::Phase::kBackward), born(5120, events::Phase::kIdle),
                           phase(events::Phase::kIdle)});
  CHECK(Kinds(inferred) == std::vector<EventKind>{EventKind::kAllocate, EventKind::kCategorize,
                                                  EventKind::kCategorize, EventKind::kPhase,
                                                  EventKind::kAllocate, EventKind::kPhase});
  CHECK(inferred[0].phase == events::Phase::kIdle);
  CHECK(inferred[1].address == kReserved + 2048);
  CHECK(inferred[2].address == kReserved + 4096);
  CHECK(inferred[2].category == Category::kOutput);
  CHECK(Inferred(inference, {phase(events::Phase::kBackward)}).size() == 1);
}

TEST_CASE("What a forward made and let go of was temporary, unless somebody said what it held") {
  RoleInference inference;
  const auto made = [](uint64_t offset) {
    Event event = Told(EventKind::kAllocate, kReserved + offset, 512);
    event.phase = events::Phase::kForward;
    return event;
  };
  const auto freed = [](uint64_t offset) { return Told(EventKind::kFreeCompleted, kReserved + offset, 512); };
  Event workspace = Told(EventKind::kCategorize, kReserved + 1024);
  workspace.category = Category::kWorkspace;
  Inferred(inference, {Told(EventKind::kSegmentAllocate, kReserved, 8192), made(0), made(512), made(1024),
                       workspace, Told(EventKind::kTensorSaved, kReserved + 512),
                       Told(EventKind::kAllocate, kReserved + 2048, 512)});
  const std::vector<Event> inferred = Inferred(inference, {freed(512), freed(1024), freed(2048), freed(0)});
  CHECK(Kinds(inferred) == std::vector<EventKind>{EventKind::kFreeCompleted, EventKind::kFreeCompleted,
                                                  EventKind::kFreeCompleted, EventKind::kCategorize,
                                                  EventKind::kFreeCompleted});
  CHECK(inferred[3].address == kReserved);
  CHECK(inferred[3].category == Category::kTemporary);
}

TEST_CASE("What an evaluation made on its thread is temporary, and output once it has ended") {
  RoleInference inference;
  const auto born = [](uint64_t address, uint32_t thread) {
    Event event = Told(EventKind::kAllocate, address, 512);
    event.category = Category::kOutput;
    event.thread = thread;
    return event;
  };
  Event end = Told(EventKind::kEvaluationEnd, 0);
  end.thread = 7;
  const std::vector<Event> inferred =
      Inferred(inference, {Told(EventKind::kSegmentAllocate, kReserved, 8192), born(kReserved, 7),
                           born(kReserved + 512, 8), born(kReserved + 1024, 7), born(kReserved + 2048, 7),
                           Told(EventKind::kFreeCompleted, kReserved, 512),
                           Told(EventKind::kTensorSaved, kReserved + 1024), end,
                           Told(EventKind::kTensorSaved, kReserved + 2048)});
  std::vector<std::pair<uint64_t, Category>> found;
  for (const Event& event : inferred) {
    if (event.kind == EventKind::kAllocate) CHECK(event.category == Category::kTemporary);
    if (event.kind == EventKind::kCategorize) found.emplace_back(event.address, event.category);
  }
  CHECK(found == std::vector<std::pair<uint64_t, Category>>{{kReserved + 1024, Category::kActivation},
                                                            {kReserved + 2048, Category::kOutput},
                                                            {kReserved + 2048, Category::kActivation}});
}

}  // namespace tidemark::capture
