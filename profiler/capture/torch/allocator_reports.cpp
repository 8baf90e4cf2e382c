// What LibTorch's allocators report to its profiler. These functions are libc10's; the executable's
// definitions come first. LibTorch's own profiler is not used in this process, so nothing needs to be passed
// on.
#include <c10/core/Allocator.h>

#include "profiler/capture/gates/phantom_blocks.h"
#include "profiler/capture/torch/allocator_events.h"

namespace tidemark::capture {

void AttachToCpuAllocator() { TraceCpu(); }

}  // namespace tidemark::capture

namespace c10 {

bool memoryProfilingEnabled() { return tidemark::capture::Traces(DeviceType::CPU); }

void reportMemoryUsageToProfiler(void* pointer, int64_t change, size_t /*total_allocated*/,
                                 size_t /*total_reserved*/, Device device) {
  if (device.is_cuda()) {
    if (change > 0) tidemark::capture::BlockBegins(pointer, static_cast<size_t>(change));
    return tidemark::capture::OnCudaReport(change);
  }
  if (device.is_cpu() && memoryProfilingEnabled()) tidemark::capture::OnCpuReport(pointer, change);
}

void reportOutOfMemoryToProfiler(int64_t bytes, size_t /*total_allocated*/, size_t /*total_reserved*/,
                                 Device device) {
  if (device.is_cpu()) tidemark::capture::OnCpuOutOfMemory(bytes);  // CUDA's is told by the trace
}

}  // namespace c10
