#include "profiler/capture/probe/optimizer_steps.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "profiler/base/thread_annotations.h"
#include "profiler/capture/gates/forward_gate.h"
#include "profiler/capture/gates/user_scope_gate.h"
#include "profiler/capture/stacks/python_frames.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/stream/optimizer_cycle.h"
#include "profiler/events/event.h"

namespace tidemark::capture {
namespace {

// A thread that begins or ends a step tells of it in between, so that threads that step at once tell of each
// begin and each end once, and in that order.
enum class Course { kBetweenSteps, kChanging, kInStep };
std::atomic<Course> course{Course::kBetweenSteps};
int64_t step_number = 0;  // of the thread that changes the course

// False if the course is another one, or another thread's to change.
bool TakeCourse(Course from) { return course.compare_exchange_strong(from, Course::kChanging); }

// Which step the program is in is not known before it trains.
std::atomic<bool> training{false};

Mutex cycle_mutex;
OptimizerCycle cycle TIDEMARK_GUARDED_BY(cycle_mutex);

bool CompletesCycle(const void* optimizer) {
  const MutexLock lock(cycle_mutex);
  return cycle.Completes(optimizer);
}

void CloseStep() {
  OpenStep();
  if (!TakeCourse(Course::kInStep)) return;  // another thread's step() ends this one
  EmitNumbered(events::EventKind::kStepEnd, step_number++);
  course = Course::kBetweenSteps;
}

void BeginTraining() {
  training.store(true, std::memory_order_relaxed);
  OpenStep();
}

// Of this thread, the outermost one: some optimizers step others. Null if there is none.
thread_local const std::byte* optimizer_scope = nullptr;
thread_local const void* optimizer_at_work = nullptr;  // Python's object; null where it is not found

// torch/csrc/autograd/record_function_ops.h: a PythonRecordFunction is a RecordFunction behind a table of
// virtual functions and two counts.
constexpr size_t kLargestHeadBytes = 64;

}  // namespace

void OpenStep() {
  if (!training.load(std::memory_order_relaxed)) return;
  if (course.load(std::memory_order_relaxed) == Course::kInStep || !TakeCourse(Course::kBetweenSteps)) return;
  EmitNumbered(events::EventKind::kStepBegin, step_number);
  course = Course::kInStep;
}

void OnForwardRecorded() {
  if (!training.load(std::memory_order_relaxed) && EventStreamIsOpen()) BeginTraining();
}

void OnUserScopeBegins(std::string_view name, const void* scope) {
  if (!EventStreamIsOpen() || optimizer_scope != nullptr || !name.starts_with(kOptimizerScopePrefix)) return;
  optimizer_scope = static_cast<const std::byte*>(scope);
  // torch/optim/optimizer.py, profile_hook_step: its wrapper takes the optimizer first.
  optimizer_at_work = FirstArgumentOf("wrapper", "/torch/optim/optimizer.py");
  BeginTraining();
}

void OnRecordFunctionEnds(const void* record_function) {
  const auto* const place = static_cast<const std::byte*>(record_function);
  if (optimizer_scope == nullptr || place < optimizer_scope || place >= optimizer_scope + kLargestHeadBytes) {
    return;
  }
  optimizer_scope = nullptr;
  if (EventStreamIsOpen() && CompletesCycle(optimizer_at_work)) CloseStep();
}

}  // namespace tidemark::capture
