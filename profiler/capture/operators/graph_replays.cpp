#include "profiler/capture/operators/graph_replays.h"

#include <map>

#include "profiler/base/thread_annotations.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/events/cuda_graphs.h"

namespace tidemark::capture {

namespace {

// From 1, by the order in which they are first replayed.
int64_t NumberOf(const void* graph) {
  static Mutex mutex;
  static std::map<const void*, int64_t> numbers;
  const MutexLock lock(mutex);
  return numbers.try_emplace(graph, static_cast<int64_t>(numbers.size()) + 1).first->second;
}

}  // namespace

void GraphReplayed(const void* graph) {
  if (!EventStreamIsOpen()) return;
  events::Event event;
  event.op = Intern(events::GraphReplayName(NumberOf(graph)));
  for (const events::EventKind kind : {events::EventKind::kScopeBegin, events::EventKind::kScopeEnd}) {
    event.kind = kind;
    Emit(event);
  }
}

}  // namespace tidemark::capture
