// Layers as scopes on the thread that runs them: of all that is allocated inside, and of the backward nodes
// that are made inside (forward_places.h).
//
// What people wrote counts as if nothing were around it, also where an operator runs it: a layer that
// checkpointing runs again within a backward node, and a backward within another. Its operators are
// outermost ones. Any thread, each its own; takes no lock that anybody holds for long.
#pragma once

#include "profiler/events/event.h"

namespace tidemark::capture {

// Within a backward node it is a recompute. Whether it is the outermost of its thread.
bool BeginLayer(events::NameId layer);
// Ends the layer that began last on this thread. The end of one that began before the stream was open changes
// nothing.
void EndLayer();

// The call of an outermost layer (none runs on the thread, no engine and no operator) may be an evaluation:
// one in which no gradients are recorded. Asked of each, before it begins, and told once it is to end, both
// on its thread. Where an operator runs it, as where checkpointing with reentry does, it is a part of that.
struct EvaluationListener {
  bool (*begins)() = nullptr;  // whether it is one
  void (*ends)() = nullptr;
};
// Functions that throw nothing, before layers are told. None = there are no evaluations.
void SetEvaluationListener(const EvaluationListener& listener);

// LibTorch's engine begins, on the thread that asks it for a backward, and ends.
void BeginEngine();
void EndEngine();

}  // namespace tidemark::capture
