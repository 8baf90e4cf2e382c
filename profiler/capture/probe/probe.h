// The probe: in a process of a program that is recorded, it asks for a ring and tells through it what it
// sees. It comes in by LD_PRELOAD, and is called by the CUDA driver as its injection (CUDA_INJECTION64_PATH),
// or by the first report of LibTorch's allocator. In a process that uses neither it does nothing.
//
// It never throws or prints, and ends the program only where LibTorch lacks a function that it has just
// called (autograd_gates.cpp). A forked child is not recorded with its parent; one that is forked before the
// parent is heard (it uses CUDA, or with record --cpu has its first tensor) asks for a ring of its own.
#pragma once

namespace tidemark::capture {

// Whether this process is recorded; asks for its ring at the first call. Any thread.
bool ProbeRecords();
// And its allocator's blocks, with what they hold, too (kProbeWithoutVariable).
bool ProbeRecordsAllocator();

}  // namespace tidemark::capture
