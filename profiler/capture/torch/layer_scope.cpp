#include "profiler/capture/torch/layer_scope.h"

#include "profiler/capture/operators/layer_scopes.h"

namespace tidemark::capture {
namespace {

thread_local LayerScope* current_layer_scope = nullptr;

}  // namespace

LayerScope::LayerScope(events::NameId layer, events::NameId saved_name, events::NameId saved_scalar_name)
    : outer_(current_layer_scope),
      saved_name_(saved_name),
      saved_scalar_name_(saved_scalar_name == 0 ? saved_name : saved_scalar_name) {
  current_layer_scope = this;
  BeginLayer(layer);
}

LayerScope::~LayerScope() {
  EndLayer();
  current_layer_scope = outer_;
}

const LayerScope* LayerScope::Current() { return current_layer_scope; }

}  // namespace tidemark::capture
