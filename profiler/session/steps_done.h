// How far a run is, as its events tell. Any thread.
#pragma once

#include <cstdint>
#include <span>

#include "profiler/events/event.h"

namespace tidemark::session {

// The steps that are done after these events, where it were `before` ahead of them: of the latest start or
// restart, which begins to count anew. O(events).
inline int64_t StepsDoneAfter(std::span<const events::Event> events, int64_t before) {
  int64_t done = before;
  for (const events::Event& event : events) {
    if (event.kind == events::EventKind::kStepBegin) done = event.bytes;
    if (event.kind == events::EventKind::kStepEnd) done = event.bytes + 1;
  }
  return done;
}

}  // namespace tidemark::session
