#include "profiler/capture/operators/layer_scopes.h"

#include <vector>

#include "profiler/capture/operators/context.h"
#include "profiler/capture/operators/forward_places.h"
#include "profiler/capture/stream/event_stream.h"

namespace tidemark::capture {
namespace {

using events::EventKind;

// What is told while the process exits is told by a thread whose own objects are gone.
thread_local bool around_is_gone = false;
// What is around the layers and engines that run on a thread, the outermost first.
struct Around {
  ~Around() { around_is_gone = true; }
  std::vector<Context> contexts;
};
thread_local Around around;

EvaluationListener evaluation_listener;

bool IsTold() { return EventStreamIsOpen() && !around_is_gone; }

// What runs from here on is within no operator.
void Enter() {
  Context& context = current_context;
  around.contexts.push_back(context);
  context.op = 0;
  context.operator_depth = 0;
  context.awaits_node = context.runs_node = false;
}

bool IsOutermost() { return around.contexts.empty() && current_context.operator_depth == 0; }

bool Evaluates() { return evaluation_listener.begins != nullptr && evaluation_listener.begins(); }

bool EndsEvaluation() {
  return current_context.evaluates && !around.contexts.empty() && !around.contexts.back().evaluates;
}

bool Leave() {
  if (around.contexts.empty()) return false;  // it began before anybody listened
  const uint64_t last_birth_address = current_context.last_birth_address;
  current_context = around.contexts.back();
  current_context.last_birth_address = last_birth_address;
  around.contexts.pop_back();
  ShareAttribution();
  return true;
}

void EmitLayer(EventKind kind, const Context& of) {
  events::Event event;
  event.kind = kind;
  event.layer = of.layer;
  event.recompute = of.recompute ? 1 : 0;
  Emit(event);
}

}  // namespace

void SetEvaluationListener(const EvaluationListener& listener) { evaluation_listener = listener; }

bool BeginLayer(events::NameId layer) {
  if (!IsTold()) return false;
  const bool runs_again = current_context.recompute || current_context.runs_node;
  const bool is_outermost = IsOutermost();
  const bool begins_evaluation = is_outermost && Evaluates();
  Enter();
  current_context.evaluates = current_context.evaluates || begins_evaluation;
  current_context.layer = layer;
  current_context.recompute = runs_again;
  ShareAttribution();
  RememberForwardLayer(layer);
  EmitLayer(EventKind::kScopeBegin, current_context);
  return is_outermost;
}

void EndLayer() {
  const Context ended = current_context;
  if (!IsTold()) return;
  if (EndsEvaluation()) evaluation_listener.ends();
  if (!Leave()) return;
  EmitLayer(EventKind::kScopeEnd, ended);
  RememberForwardLayer(current_context.layer);
}

void BeginEngine() {
  if (!IsTold()) return;
  Enter();
  current_context.recompute = false;
}

void EndEngine() {
  if (IsTold()) Leave();
}

}  // namespace tidemark::capture
