// Where memory is asked for, as a name (profiler/events/stack.h): the frames of the calling thread, where
// they are wanted (profiler/events/stack_languages.h).
//
// Any thread. A stack that the thread has had before costs reading it; a new one is put into words and
// announced (event_stream.h), for C++ with the dynamic loader's lock: so not under a lock that another thread
// waits for while it loads a library. (PyTorch's allocator tells of segments under its own, which a library
// takes only if it makes tensors on the card while it is loaded.)
#pragma once

#include "profiler/events/event.h"

namespace tidemark::capture {

bool WantsPythonStacks();
bool WantsNativeStacks();

// Once, after the stream is open: says why there will be none, if so.
void BeginStacks();

// For memory that LibTorch hands out: `op`, and behind it the Python frames that led there. Of a thread that
// runs no Python, as autograd's, `instead`; the thread's name if that is 0. `op` itself where stacks are not
// wanted.
events::NameId WithPythonStack(events::NameId op, events::NameId instead = 0);

// For what CUDA's driver gives, rarely: the same with C++'s frames before Python's, where those are wanted.
// `source` = who tells of it.
events::NameId WithSegmentStack(events::NameId op, events::NameId instead = 0,
                                events::Source source = events::Source::kAllocator);

}  // namespace tidemark::capture
