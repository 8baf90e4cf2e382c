// Steps of threads that step at once, told to a stream that the test plays itself.
#include "profiler/capture/probe/optimizer_steps.h"

#include <array>
#include <cstddef>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "profiler/capture/gates/user_scope_gate.h"
#include "profiler/capture/stream/event_stream.h"
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

bool EventStreamIsOpen() { return true; }
void EmitNumbered(EventKind kind, int64_t number) {
  const std::lock_guard lock(telling);
  told.emplace_back(kind, number);
}

TEST_CASE("Threads that step at once tell of each step's begin and end once, in that order") {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(StepOften);
  threads.clear();
  std::vector<std::pair<EventKind, int64_t>> expected;
  for (int64_t step = 0; expected.size() < told.size(); ++step) {
    expected.emplace_back(EventKind::kStepBegin, step);
    expected.emplace_back(EventKind::kStepEnd, step);
  }
  CHECK_FALSE(told.empty());
  CHECK(told == expected);
}

}  // namespace tidemark::capture
