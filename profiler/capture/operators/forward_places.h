// Where forward stood, in which layer and at which line of Python, when backward nodes were made: autograd
// runs those in other threads, and later. The newest 65,536 places of a thread are kept, and when it has
// ended, as backward may come later, those of the threads that ended last while they are no more than 65,536
// together. Any thread.
#pragma once

#include <cstdint>

#include "profiler/events/event.h"

namespace tidemark::capture {

// The calling thread, which has this number, stands at a place: nodes that are made from here on, the next of
// them with that one, belong there. Numbers are LibTorch's.
struct ForwardPlace {
  uint64_t thread = 0;
  uint64_t next_node = 0;
};
// An outermost forward operator begins. Does nothing where Python's stacks are not wanted. O(frames).
void RememberForwardStack(const ForwardPlace& place);
// This layer runs on the calling thread from here on; 0 = none. Does nothing until somebody told how to ask
// where that thread stands.
void RememberForwardLayer(events::NameId layer);
void SetForwardPlaceOfThread(ForwardPlace (*asked)());

// What is known of the place where a node was made; 0 if nobody knows. O(log places).
struct MadeAt {
  events::NameId layer = 0;
  events::NameId stack = 0;
};
MadeAt PlaceOfNode(uint64_t forward_thread, uint64_t sequence_number);

}  // namespace tidemark::capture
