// Memory events from LibTorch's allocators.
//
// CUDA: the caching allocator's trace tracker tells of every action with the bytes that were asked for; right
// after an allocation, under the same lock and on the same thread, the allocator reports the block's rounded
// size to the profiler (c10::reportMemoryUsageToProfiler). We define that function ourselves, so no thread is
// missed (a c10::MemoryReportingInfoBase is set per thread), and join both into one kAllocate. Read in
// c10/cuda/ CUDACachingAllocator.cpp of 2.11: alloc_found_block, free. A free that completes at once is one
// kFreeCompleted; kFreeRequested comes only where other streams still hold the block.
//
// cudaMallocAsync in its place (backend:cudaMallocAsync) tells nobody; its blocks are seen at the gate at
// CUDA's function of that name (gates.h).
//
// CPU: the same function, called by c10::CPUAllocator once c10::memoryProfilingEnabled, ours too, returns
// true; rounded bytes = bytes.
//
// The trainer's executable must export these functions; linking this library sees to it. For a user's program
// the gates have the one that CUDA needs (profiler/capture/gates). Callbacks run under the allocator's lock:
// they call nothing of LibTorch.
#pragma once

#include <c10/core/DeviceType.h>

#include <cstdint>

#include "profiler/events/event.h"

namespace tidemark::capture {

// Before the first CPU tensor of the run exists.
void AttachToCpuAllocator();
// After CUDA is initialized (trackers are attached to the devices that exist by then). `out_of_memory`: to be
// asked, on the thread that found no room, before that is told; null = nobody. Throws what LibTorch throws
// where its allocator is one that does not report.
void AttachToCudaAllocator(void (*out_of_memory)() = nullptr);

// For whoever has those functions: the CPU's memory is traced from here on; CUDA's second half of an event;
// an event of the CPU's.
void TraceCpu();
void OnCudaReport(int64_t change_bytes);
void OnCpuReport(void* pointer, int64_t change_bytes);
void OnCpuOutOfMemory(int64_t bytes);

// Told of every block on the device under the allocator's lock: right after its birth is told, and right
// before its end is.
struct BlockObserver {
  void (*born)(uint64_t address, int64_t bytes, events::Category category) = nullptr;
  void (*dies)(uint64_t address) = nullptr;
};
// Before attaching.
void SetBlockObserver(const BlockObserver& observer);

// Whether this device's memory is the one that we tell of.
bool Traces(c10::DeviceType device);

// Whether the CPU's memory was not enough for an allocation. (LibTorch's exception does not say; CUDA's has
// its own type.)
bool CpuRanOutOfMemory();

}  // namespace tidemark::capture
