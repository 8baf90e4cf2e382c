#include "profiler/capture/operators/graph_replays.h"

#include <map>

#include "profiler/base/thread_annotations.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/events/cuda_graphs.h"

namespace tidemark::capture {

namespace {

// By its number from 1, in the order in which they are first replayed. Put into words once: a program may
// replay thousands of times a second.
events::NameId NameOf(const void* graph) {
  static Mutex mutex;
  static auto& names = *new std::map<const void*, events::NameId>;  // LibTorch's threads outlive main
  const MutexLock lock(mutex);
  events::NameId& name = names[graph];
  if (name == 0) name = Intern(events::GraphReplayName(static_cast<int64_t>(names.size())));
  return name;
}

}  // namespace

void GraphReplayed(const void* graph) {
  if (!EventStreamIsOpen()) return;
  events::Event event;
  event.op = NameOf(graph);
  for (const events::EventKind kind : {events::EventKind::kScopeBegin, events::EventKind::kScopeEnd}) {
    event.kind = kind;
    Emit(event);
  }
}

}  // namespace tidemark::capture
