// Memory events from LibTorch's allocators.
//
// CUDA: the caching allocator's trace tracker tells of every action with the bytes that were asked for; right
// after an allocation, under the same lock and on the same thread, the allocator reports the block's rounded
// size to the profiler (c10::reportMemoryUsageToProfiler). We define that function ourselves, so no thread is
// missed (a c10::MemoryReportingInfoBase is set per thread), and join both into one kAllocate. Read in
// c10/cuda/ CUDACachingAllocator.cpp of 2.11: alloc_found_block, free. A free that completes at once is one
// kFreeCompleted; kFreeRequested comes only where other streams still hold the block.
//
// CPU: the same function, called by c10::CPUAllocator once c10::memoryProfilingEnabled, ours too, returns
// true; rounded bytes = bytes.
//
// The executable must export these functions; linking this library sees to it. Callbacks run under the
// allocator's lock: they call nothing of LibTorch, take no lock and allocate nothing.
#pragma once

#include <c10/core/DeviceType.h>

namespace tidemark::capture {

// Before the first CPU tensor of the run exists.
void AttachToCpuAllocator();
// After CUDA is initialized (trackers are attached to the devices that exist by then).
void AttachToCudaAllocator();

// Whether this device's memory is the one that we tell of.
bool Traces(c10::DeviceType device);

// Whether the CPU's memory was not enough for an allocation. (LibTorch's exception does not say; CUDA's has
// its own type.)
bool CpuRanOutOfMemory();

}  // namespace tidemark::capture
