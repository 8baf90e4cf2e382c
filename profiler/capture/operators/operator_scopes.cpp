#include "profiler/capture/operators/operator_scopes.h"

#include <atomic>
#include <string_view>
#include <utility>

#include "profiler/capture/operators/context.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/events/torch_ranges.h"

namespace tidemark::capture {
namespace {

using events::EventKind;
using events::NameId;

std::atomic<void (*)()> operator_gate{nullptr};
thread_local MadeAt last_node_made_at;

void EmitOperator(EventKind kind) {
  events::Event event;
  event.kind = kind;
  event.layer = current_context.layer;
  event.op = current_context.op;
  event.recompute = current_context.recompute ? 1 : 0;
  if (kind == EventKind::kScopeEnd) event.name = current_context.computed_in;
  Emit(event);
}

// The engine announces each backward node twice: around all that it does with the node, by its prefix and no
// number, and inside around the node's own work, with its number. The scope is the outer one, told of once
// the inner is known.
bool IsEngineAround(const OperatorCall& call) {
  return !call.is_backward_node && call.name.starts_with(events::kEngineRangePrefix);
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
NameId LayerOf(const OperatorCall& call) {
  if (call.node == OperatorCall::kNoNumber) return last_node_made_at.layer;
  last_node_made_at = PlaceOfNode(call.forward_thread, call.node);
  return last_node_made_at.layer;
}

// torch.optim's ways, in Python and in C++: moments of zeros, SGD's momentum of the first gradient. Not what
// a model makes whose forward runs within the step (a closure).
bool MakesState(std::string_view op) {
  return current_context.optimizer_depth > 0 && current_context.layer == 0 &&
         (op == "aten::zeros_like" || op == "aten::clone");
}

void Announce(NameId op, NameId layer) {
  current_context.op = op;
  current_context.computed_in = 0;
  current_context.layer = layer;
  ShareAttribution();
  EmitOperator(EventKind::kScopeBegin);
}

void BeginOutermost(const OperatorCall& call) {
  if (void (*const gate)() = operator_gate.load(std::memory_order_relaxed)) gate();
  if (call.is_backward_node) {
    Announce(NodeName(call.name), LayerOf(call));
    current_context.forward_stack = last_node_made_at.stack;
  } else {
    RememberForwardStack({call.thread, call.next_node});
    current_context.makes_state = MakesState(call.name);
    Announce(Intern(call.name), current_context.layer);
  }
}

}  // namespace

bool OperatorEnters() {
  if (!EventStreamIsOpen()) return false;  // in a forked child, where locks may be held for ever
  return current_context.operator_depth++ == 0 || current_context.awaits_node;
}

void OperatorBegins(const OperatorCall& call) {
  Context& context = current_context;
  if (context.operator_depth > 1) {  // inside of the engine's
    context.awaits_node = false;
  } else {
    context.layer_around_operator = context.layer;
    context.awaits_node = IsEngineAround(call);
  }
  context.runs_node = call.is_backward_node;
  if (!context.awaits_node) BeginOutermost(call);
}

void OperatorEnds() {
  if (!EventStreamIsOpen()) return;
  Context& context = current_context;
  if (--context.operator_depth > 0) return;
  ForgetMadeBlocks();
  if (std::exchange(context.awaits_node, false)) return;
  EmitOperator(EventKind::kScopeEnd);
  context.op = 0;
  context.runs_node = false;
  context.makes_state = false;
  context.forward_stack = 0;
  context.layer = context.layer_around_operator;
  ShareAttribution();
}

void SetOperatorGate(void (*gate)()) { operator_gate.store(gate); }

}  // namespace tidemark::capture
