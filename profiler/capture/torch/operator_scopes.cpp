#include "profiler/capture/torch/operator_scopes.h"

#include <ATen/record_function.h>

#include <atomic>
#include <limits>
#include <memory>
#include <string_view>

#include "profiler/capture/torch/context.h"
#include "profiler/capture/torch/event_stream.h"

namespace tidemark::capture {
namespace {

using events::EventKind;
using events::NameId;

std::atomic<void (*)()> operator_gate{nullptr};
thread_local NameId layer_of_last_node = 0;

void EmitOperator(EventKind kind) {
  events::Event event;
  event.kind = kind;
  event.layer = current_context.layer;
  event.op = current_context.op;
  event.recompute = current_context.recompute ? 1 : 0;
  Emit(event);
}

// Backward nodes are called "torch::autograd::AccumulateGrad" or "ConvolutionBackward0".
NameId NodeName(std::string_view name) {
  constexpr std::string_view kNamespace = "torch::autograd::";
  if (name.starts_with(kNamespace)) name.remove_prefix(kNamespace.size());
  return Intern(name);
}

// AccumulateGrad has no number of its own: the engine runs it before all else, right after the node that made its
// gradient, and so it belongs to that node's layer (ReadyQueue orders by sequence number; AccumulateGrad's is the highest).
NameId LayerOf(const at::RecordFunction& function) {
  const auto number = static_cast<uint64_t>(function.seqNr());
  if (number == std::numeric_limits<uint64_t>::max()) return layer_of_last_node;
  layer_of_last_node = LayerOfNode(function.forwardThreadId(), number);
  return layer_of_last_node;
}

std::unique_ptr<at::ObserverContext> BeginOperator(const at::RecordFunction& function) {
  if (current_context.operator_depth++ > 0) return nullptr;
  if (void (*const gate)() = operator_gate.load(std::memory_order_relaxed)) gate();
  current_context.layer_around_operator = current_context.layer;
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) {
    current_context.op = NodeName(function.name());
    current_context.layer = LayerOf(function);
  } else {
    current_context.op = Intern(function.name());
  }
  ShareAttribution();
  EmitOperator(EventKind::kScopeBegin);
  return nullptr;
}

void EndOperator(const at::RecordFunction& /*function*/, at::ObserverContext* /*none*/) {
  if (--current_context.operator_depth > 0) return;
  EmitOperator(EventKind::kScopeEnd);
  current_context.op = 0;
  current_context.layer = current_context.layer_around_operator;
  ShareAttribution();
}

}  // namespace

void AttachToOperators() {
  at::addGlobalCallback(at::RecordFunctionCallback(BeginOperator, EndOperator)
                            .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

void SetOperatorGate(void (*gate)()) { operator_gate.store(gate); }

}  // namespace tidemark::capture
