// What a program on a phantom is asked beside autograd's gates: PyTorch's CUDA allocator, before its first
// block, and copies to the card.
#include <dlfcn.h>

#include "profiler/capture/gates/allocator_gate.h"
#include "profiler/capture/gates/gates.h"
#include "profiler/capture/gates/phantom_blocks.h"
#include "profiler/capture/gates/recorder_loading.h"

namespace {

using tidemark::capture::Tell;
using tidemark::capture::TheGates;

constexpr int kHostToDevice = 1;  // driver_types.h: cudaMemcpyKind
constexpr int kDeviceToDevice = 3;
constexpr int64_t kLargeBlock = 1 << 20;  // what is known of smaller ones takes little of the host

}  // namespace

void tidemark::capture::OnMemoryReported(void* pointer, int64_t change, size_t /*reserved*/,
                                         uint16_t device) {
  if (DeviceTypeOf(device) != kCudaDevice) return;
  if (change > 0) BlockBegins(pointer, static_cast<size_t>(change));
  if (change < -kLargeBlock) BlockEnds(pointer, static_cast<size_t>(-change));
  Tell(TheGates().memory_reported, change);
}

// NOLINTBEGIN(readability-identifier-naming): their names
extern "C" {

__attribute__((visibility("default"))) int cudaGetDevice(int* device);
__attribute__((visibility("default"))) int cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind,
                                                           void* stream);

// What LibTorch copies from the CPU, it copies by this.
int cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void* stream) {
  static const auto next =
      reinterpret_cast<int (*)(void*, const void*, size_t, int, void*)>(dlsym(RTLD_NEXT, "cudaMemcpyAsync"));
  if (kind == kHostToDevice) Tell(TheGates().copied_from_host, static_cast<const void*>(to));
  if (kind == kDeviceToDevice) Tell(TheGates().copied_on_device, static_cast<const void*>(to), from, bytes);
  return next(to, from, bytes, kind, stream);
}

// LibTorch's CUDA allocator asks for the device before each allocation, the first included.
int cudaGetDevice(int* device) {
  static const auto next = reinterpret_cast<int (*)(int*)>(dlsym(RTLD_NEXT, "cudaGetDevice"));
  tidemark::capture::LoadRecorder();
  return next(device);
}
}
// NOLINTEND(readability-identifier-naming)
