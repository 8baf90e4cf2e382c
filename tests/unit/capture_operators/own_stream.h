// The stream of the test's process, and what was emitted on it.
#pragma once

#include <cstdlib>
#include <utility>
#include <vector>

#include "profiler/capture/operators/forward_places.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/events/stack_languages.h"
#include "tests/support/catch.h"

namespace tidemark::capture {

inline thread_local ForwardPlace place{1, 0};  // this thread's number, and the next node that it makes

inline transport::RingReader& Ring() {
  static transport::RingReader ring = [] {
    Result<transport::RingReader> created = transport::RingReader::Create(1024);
    REQUIRE(created);
    setenv(events::kStacksVariable, events::kPythonStacks, 1);
    OpenEventStream(transport::RingWriter::Beside(*created), 0);
    SetForwardPlaceOfThread([] { return place; });
    return std::move(*created);
  }();
  return ring;
}

// Since it was asked for the last time.
inline std::vector<events::Event> Emitted() {
  std::vector<events::Event> batch(1024);
  batch.resize(Ring().Pop(batch, true));
  return batch;
}

}  // namespace tidemark::capture
