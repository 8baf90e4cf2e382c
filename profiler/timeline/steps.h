// Where an event lies among a view's steps. Pure functions, any thread. O(log steps). What they return points
// into the view.
#pragma once

#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

// The first step that begins after the event; View::steps().end() where none does.
Sequence<Step>::const_iterator FirstStepAfter(const View& view, EventIndex index);

// The latest step that began with the event or before it, over or not; null where the view has none.
const Step* LatestStepAt(const View& view, EventIndex index);

// The step that the event lies in, its kStepBegin and its kStepEnd included; null between steps.
const Step* StepAt(const View& view, EventIndex index);

}  // namespace tidemark::timeline
