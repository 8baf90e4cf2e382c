// Whole numbers and conditions that a user's program computes on the phantom from what it sent there:
// lengths, masks, indices. They decide sizes, and kernels compute nothing; so the same operator runs on the
// CPU beside its kernel, on a copy of what the device knows (profiler/phantom/device/contents.h), and its
// result becomes known there. Only where each tensor that goes in or comes out has at most 32,768 numbers,
// and only where all that goes in is known; what is drawn by chance is not. Any thread; an operator of other
// types costs some tens of nanoseconds.
#pragma once

namespace tidemark::capture {

// Once a process; on the phantom only.
void ComputeWholeNumbers();

}  // namespace tidemark::capture
