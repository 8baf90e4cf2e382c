// The training of a program whose LibTorch the probe was not compiled for, as far as its own actions tell:
// phases and steps (profiler/capture/roles/course.h), and which of PyTorch's blocks on the card are
// parameters, gradients, activations, optimizer state, autocast's copies and DDP's buckets. Those are
// inferred, as torch.profiler's memory timeline infers them, from who handles a tensor: a leaf that gradients
// are accumulated for, what is accumulated there, what is saved for backward, what an optimizer's step
// leaves. A forward begins with any tensor that is saved for backward, on the card or not: where blocks
// cannot be read, or are the CPU's, there are phases all the same. A leaf's cast is taken for autocast's copy
// where its cache is off, too.
//
// Any thread; what is told of blocks, under their allocator's lock.
#pragma once

#include <cstdint>

#include "profiler/events/event.h"

namespace tidemark::capture {

// Once, after the stream was opened; the course stands at idle.
void WatchTraining();

// What a block holds that comes into being now, on this thread.
events::Category CategoryAtBirth();
void OnBlockBorn(uint64_t address, events::Category category);
void OnBlockDied(uint64_t address);

}  // namespace tidemark::capture
