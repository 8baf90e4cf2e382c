// The Python stacks of forward operators, for the backward nodes that they make: autograd runs those in
// threads without Python. The newest 65,536 operators of a thread are kept, and when it has ended, as
// backward may come later, those of the threads that ended last while they are no more than 65,536 together.
// Any thread.
#pragma once

#include <cstdint>

#include "profiler/events/event.h"

namespace tidemark::capture {

// An outermost forward operator begins on the calling thread, which has this number: nodes that are made from
// here on, the next of them with that one, are its own. Does nothing where Python's stacks are not wanted.
// O(frames).
struct ForwardPlace {
  uint64_t thread = 0;
  uint64_t next_node = 0;
};
void RememberForwardStack(const ForwardPlace& place);

// 0 if nobody knows. O(log operators).
events::NameId ForwardStackOf(uint64_t forward_thread, uint64_t sequence_number);

}  // namespace tidemark::capture
