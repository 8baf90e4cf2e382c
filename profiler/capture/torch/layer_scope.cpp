#include "profiler/capture/torch/layer_scope.h"

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>

#include "profiler/capture/operators/context.h"
#include "profiler/capture/stream/event_stream.h"

namespace tidemark::capture {
namespace {

using events::EventKind;
using events::NameId;

thread_local LayerScope* current_layer_scope = nullptr;

void EmitLayer(EventKind kind, NameId layer) {
  events::Event event;
  event.kind = kind;
  event.layer = layer;
  event.recompute = current_context.recompute ? 1 : 0;
  Emit(event);
}

}  // namespace

LayerScope::LayerScope(NameId layer, NameId saved_name, NameId saved_scalar_name)
    : outer_(current_layer_scope),
      outer_layer_(current_context.layer),
      saved_name_(saved_name),
      saved_scalar_name_(saved_scalar_name == 0 ? saved_name : saved_scalar_name),
      first_node_(at::sequence_number::peek()) {
  current_layer_scope = this;
  current_context.layer = layer;
  ShareAttribution();
  EmitLayer(EventKind::kScopeBegin, layer);
}

LayerScope::~LayerScope() {
  EmitLayer(EventKind::kScopeEnd, current_context.layer);
  RememberNodes({at::RecordFunction::currentThreadId(), first_node_, at::sequence_number::peek()},
                current_context.layer);
  current_context.layer = outer_layer_;
  current_layer_scope = outer_;
  ShareAttribution();
}

const LayerScope* LayerScope::Current() { return current_layer_scope; }

}  // namespace tidemark::capture
