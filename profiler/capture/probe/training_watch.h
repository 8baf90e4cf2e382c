// The training of a program whose LibTorch the probe was not compiled for, as far as its own actions tell:
// phases and steps (profiler/capture/course/course.h), and what it does with its tensors, by which who reads
// the ring infers which of PyTorch's blocks are parameters, gradients, activations, optimizer state and
// autocast's copies (profiler/capture/roles/role_inference.h); DDP's buckets are told here. A forward begins
// with any tensor that is saved for backward, on the card or not: where blocks cannot be read, there are
// phases all the same.
//
// Any thread; what is told of blocks, under their allocator's lock. A training waits for each of these calls:
// but where an optimizer's step begins they look nothing up, save whether a block was told of
// (saved_blocks.h).
#pragma once

#include <cstdint>

#include "profiler/events/event.h"

namespace tidemark::capture {

// Once, after the stream was opened; the course stands at idle.
void WatchTraining();
// Where layers are told, before they are: their calls without gradients are a phase, too, and leave outputs.
void WatchEvaluations();

// What the block holds, which comes into being now, on this thread; output is a hint (events::EventKind).
events::Category OnBlockBorn(uint64_t address);
// What the state of the optimizer is called that steps on this thread; 0 = none does.
events::NameId OptimizerAtWork();
void OnBlockDied(uint64_t address);

}  // namespace tidemark::capture
