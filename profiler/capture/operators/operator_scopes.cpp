#include "profiler/capture/torch/operator_scopes.h"

#include <ATen/record_function.h>

#include <atomic>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/torch/context.h"
#include "profiler/capture/torch/forward_stacks.h"

namespace tidemark::capture {
namespace {

using events::EventKind;
using events::NameId;

std::atomic<void (*)()> operator_gate{nullptr};
thread_local NameId layer_of_last_node = 0;
thread_local NameId stack_of_last_node = 0;

void EmitOperator(EventKind kind) {
  events::Event event;
  event.kind = kind;
  event.layer = current_context.layer;
  event.op = current_context.op;
  event.recompute = current_context.recompute ? 1 : 0;
  if (kind == EventKind::kScopeEnd) event.name = current_context.computed_in;
  Emit(event);
}

// The engine announces each backward node twice: around all that it does with the node, by this prefix and no
// number, and inside around the node's own work, with its number. The scope is the outer one, told of once
// the inner is known.
constexpr std::string_view kEnginePrefix = "autograd::engine::evaluate_function: ";

bool IsEngineAround(const at::RecordFunction& function, std::string_view name) {
  return function.scope() == at::RecordScope::FUNCTION && name.starts_with(kEnginePrefix);
}

// "torch::autograd::AccumulateGrad" or "ConvolutionBackward0".
NameId NodeName(std::string_view name) {
  constexpr std::string_view kNamespace = "torch::autograd::";
  if (name.starts_with(kNamespace)) name.remove_prefix(kNamespace.size());
  return Intern(name);
}

// AccumulateGrad has no number of its own: the engine runs it before all else, right after the node that made
// its gradient, and so it belongs to that node's layer (ReadyQueue orders by sequence number;
// AccumulateGrad's is the highest).
NameId LayerOf(const at::RecordFunction& function) {
  const auto number = static_cast<uint64_t>(function.seqNr());
  if (number == std::numeric_limits<uint64_t>::max()) return layer_of_last_node;
  layer_of_last_node = LayerOfNode(function.forwardThreadId(), number);
  stack_of_last_node = ForwardStackOf(function.forwardThreadId(), number);
  return layer_of_last_node;
}

void Announce(NameId op, NameId layer) {
  current_context.op = op;
  current_context.computed_in = 0;
  current_context.layer = layer;
  ShareAttribution();
  EmitOperator(EventKind::kScopeBegin);
}

void BeginOutermost(const at::RecordFunction& function, std::string_view name) {
  if (void (*const gate)() = operator_gate.load(std::memory_order_relaxed)) gate();
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) {
    Announce(NodeName(name), LayerOf(function));
    current_context.forward_stack = stack_of_last_node;
  } else {
    RememberForwardStack();
    Announce(Intern(name), current_context.layer);
  }
}

std::unique_ptr<at::ObserverContext> BeginOperator(const at::RecordFunction& function) {
  if (!EventStreamIsOpen()) return nullptr;  // in a forked child, where locks may be held for ever
  Context& context = current_context;
  if (context.operator_depth++ == 0) {
    const std::string_view name = function.name();
    context.layer_around_operator = context.layer;
    context.awaits_node = IsEngineAround(function, name);
    if (!context.awaits_node) BeginOutermost(function, name);
  } else if (context.awaits_node) {
    context.awaits_node = false;
    BeginOutermost(function, function.name());
  }
  return nullptr;
}

void EndOperator(const at::RecordFunction& /*function*/, at::ObserverContext* /*none*/) {
  if (!EventStreamIsOpen()) return;
  Context& context = current_context;
  if (--context.operator_depth > 0 || std::exchange(context.awaits_node, false)) return;
  EmitOperator(EventKind::kScopeEnd);
  context.op = 0;
  context.forward_stack = 0;
  context.layer = context.layer_around_operator;
  ShareAttribution();
}

}  // namespace

void AttachToOperators() {
  at::addGlobalCallback(at::RecordFunctionCallback(BeginOperator, EndOperator)
                            .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

void SetOperatorGate(void (*gate)()) { operator_gate.store(gate); }

}  // namespace tidemark::capture
