// Steps of threads that step at once, told to a stream that the test plays itself.
#include "profiler/capture/probe/optimizer_steps.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "profiler/capture/gates/forward_gate.h"
#include "profiler/capture/gates/user_scope_gate.h"
#include "profiler/capture/stacks/python_frames.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/stream/optimizer_cycle.h"
#include "tests/support/catch.h"

namespace tidemark::capture {
namespace {

using events::EventKind;

std::mutex telling;
std::vector<std::pair<EventKind, int64_t>> told;

void StepOften() {
  const std::array<std::byte, 64> scope{};
  for (int i = 0; i < 2000; ++i) {
    OpenStep();
    OnUserScopeBegins("Optimizer.step#SGD.step", scope.data());
    OnRecordFunctionEnds(scope.data() + 16);
  }
}

}  // namespace

// By their addresses: what Python calls its optimizers.
thread_local const void* stepping = nullptr;

namespace {

void Turn(const void* optimizer) {
  const std::array<std::byte, 64> scope{};
  stepping = optimizer;
  OpenStep();
  OnUserScopeBegins("Optimizer.step#SGD.step", scope.data());
  OnRecordFunctionEnds(scope.data() + 16);
}

size_t StepsEnded() {
  return static_cast<size_t>(
      std::ranges::count(told, EventKind::kStepEnd, [](const auto& event) { return event.first; }));
}

}  // namespace

const void* FirstArgumentOf(std::string_view, std::string_view) { return stepping; }
bool EventStreamIsOpen() { return true; }
void EmitNumbered(EventKind kind, int64_t number) {
  const std::lock_guard lock(telling);
  told.emplace_back(kind, number);
}

TEST_CASE("What comes before the first forward that saves for backward is no step") {
  OpenStep();
  OpenStep();
  CHECK(told.empty());
  OnForwardRecorded();
  OnForwardRecorded();
  CHECK(told == std::vector<std::pair<EventKind, int64_t>>{{EventKind::kStepBegin, 0}});
  Turn(nullptr);
  OpenStep();
  CHECK(told.size() == 3);
  Turn(nullptr);
  CHECK(StepsEnded() == 2);
  told.clear();
}

TEST_CASE("Threads that step at once tell of each step's begin and end once, in that order") {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(StepOften);
  threads.clear();
  std::vector<std::pair<EventKind, int64_t>> expected;
  for (int64_t step = told.empty() ? 0 : told.front().second; expected.size() < told.size(); ++step) {
    expected.emplace_back(EventKind::kStepBegin, step);
    expected.emplace_back(EventKind::kStepEnd, step);
  }
  CHECK_FALSE(told.empty());
  CHECK(told == expected);
  told.clear();
}

TEST_CASE("A step of several optimizers ends once each has had its turn") {
  const std::array<int, 3> optimizers{};
  OptimizerCycle cycle;
  const auto ends = [&](int turns, size_t optimizer) {
    int steps = 0;
    for (int i = 0; i < turns; ++i) steps += cycle.Completes(&optimizers[optimizer]) ? 1 : 0;
    return steps;
  };
  CHECK(ends(1, 0) + ends(1, 1) == 2);  // nobody knew of them
  for (int round = 0; round < 5; ++round) {
    CHECK(ends(1, 0) == 0);
    CHECK(ends(1, 1) == 1);
  }
  for (int round = 0; round < 5; ++round) {
    CHECK(ends(5, 0) == 0);
    CHECK(ends(1, 1) == 1);
  }
  CHECK(ends(40, 2) == 31);  // the others are gone
  CHECK(ends(3, 2) == 3);
}

TEST_CASE("Of two optimizers of one class each is known by itself") {
  const std::array<int, 2> optimizers{};
  for (int round = 0; round < 20; ++round) {  // whatever stepped before is gone by then
    Turn(&optimizers[0]);
    Turn(&optimizers[1]);
  }
  told.clear();
  for (int round = 0; round < 5; ++round) {
    Turn(&optimizers[0]);
    Turn(&optimizers[1]);
  }
  CHECK(StepsEnded() == 5);
  told.clear();
}

}  // namespace tidemark::capture
