#include "profiler/capture/probe/optimizer_steps.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "profiler/capture/gates/user_scope_gate.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/events/event.h"

namespace tidemark::capture {
namespace {

std::atomic<int64_t> step_number{0};
std::atomic<bool> step_is_open{false};

void CloseStep() {
  OpenStep();
  EmitNumbered(events::EventKind::kStepEnd, step_number++);
  step_is_open = false;
}

// Of this thread, the outermost one: some optimizers step others. Null if there is none.
thread_local const std::byte* optimizer_scope = nullptr;

// torch/csrc/autograd/record_function_ops.h: a PythonRecordFunction is a RecordFunction behind a table of
// virtual functions and two counts.
constexpr size_t kLargestHeadBytes = 64;

}  // namespace

void OpenStep() {
  if (step_is_open.load(std::memory_order_relaxed) || step_is_open.exchange(true)) return;
  EmitNumbered(events::EventKind::kStepBegin, step_number);
}

void OnUserScopeBegins(std::string_view name, const void* scope) {
  if (!EventStreamIsOpen() || optimizer_scope != nullptr || !name.starts_with(kOptimizerScopePrefix)) return;
  optimizer_scope = static_cast<const std::byte*>(scope);
}

void OnRecordFunctionEnds(const void* record_function) {
  const auto* const place = static_cast<const std::byte*>(record_function);
  if (optimizer_scope == nullptr || place < optimizer_scope || place >= optimizer_scope + kLargestHeadBytes) {
    return;
  }
  optimizer_scope = nullptr;
  if (EventStreamIsOpen()) CloseStep();
}

}  // namespace tidemark::capture
