// Operators as scopes, through at::RecordFunction on all threads: forward operators, and backward nodes with
// the layer whose forward made them. Only the outermost operator of a thread is a scope and names allocations
// (aten::conv2d, not the five operators that it calls): that is what people wrote, and a quarter of the
// events.
#pragma once

#include "profiler/events/event.h"

namespace tidemark::capture {

// Once, before the first operator of the run.
void AttachToOperators();

// Called before every outermost operator, on its thread; it may block there. Null = none. Set it before the
// operators run.
void SetOperatorGate(void (*gate)());

}  // namespace tidemark::capture
