// Layers of a network that is ours, as scopes on the thread that runs them.
#pragma once

#include "profiler/events/event.h"

namespace tidemark::capture {

// A layer runs in this scope, on this thread (profiler/capture/operators/layer_scopes.h). What its operators
// save for backward and did not get as an input is called `saved_name`; `saved_scalar_name` if it has no
// dimensions.
class LayerScope {
 public:
  LayerScope(events::NameId layer, events::NameId saved_name, events::NameId saved_scalar_name = 0);
  ~LayerScope();
  LayerScope(const LayerScope&) = delete;
  LayerScope& operator=(const LayerScope&) = delete;

  static const LayerScope* Current();
  events::NameId SavedName(bool scalar) const { return scalar ? saved_scalar_name_ : saved_name_; }

 private:
  LayerScope* outer_;
  events::NameId saved_name_;
  events::NameId saved_scalar_name_;
};

}  // namespace tidemark::capture
