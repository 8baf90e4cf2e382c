#include "profiler/capture/operators/graph_replays.h"

#include "profiler/capture/stream/event_stream.h"
#include "profiler/events/cuda_graphs.h"

namespace tidemark::capture {

void GraphReplayed() {
  if (!EventStreamIsOpen()) return;
  events::Event event;
  event.op = Intern(events::kGraphReplay);
  for (const events::EventKind kind : {events::EventKind::kScopeBegin, events::EventKind::kScopeEnd}) {
    event.kind = kind;
    Emit(event);
  }
}

}  // namespace tidemark::capture
