// The CUDA runtime's kernels: registered, configured, launched; nothing computes. What they say about
// themselves decides how much scratch memory libraries ask for, so it follows the card.
#include <cstdint>
#include <optional>

#include "profiler/phantom/device/captures.h"
#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/readings.h"
#include "profiler/phantom/stand_ins/device_attributes.h"
#include "profiler/phantom/stand_ins/runtime_calls.h"
#include "profiler/phantom/stand_ins/runtime_errors.h"

using namespace tidemark::phantom;
using device::Device;
using device::TheDevice;
using runtime::Report;

namespace {

// A launch in two halves, as the compiler writes it: `kernel<<<...>>>` pushes, the kernel's host stub pops.
struct Configuration {
  dim3 grid;
  dim3 block;
  size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};
constexpr int kNestedLaunches = 8;
thread_local Configuration configurations[kNestedLaunches];
thread_local int configuration_count = 0;

device::Activity ActivityOf(const runtime::LaunchParameters& launch) {
  device::Activity activity;
  activity.address = reinterpret_cast<uint64_t>(launch.kernel);
  activity.asynchronous = true;
  activity.stream = reinterpret_cast<uint64_t>(launch.stream);
  activity.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
  activity.block = {launch.block.x, launch.block.y, launch.block.z};
  activity.shared_bytes = launch.shared_bytes;
  return activity;
}

cudaError_t Submit(const runtime::LaunchParameters& launch) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  const uint64_t threads = uint64_t{launch.block.x} * launch.block.y * launch.block.z;
  const uint64_t blocks = uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  if (threads == 0 || threads > kThreadsPerBlock || blocks == 0) return Report(cudaErrorInvalidConfiguration);
  device::ContextBegins();
  if (device::CaptureOf(launch.stream) != 0) {
    device::NoteCaptured(launch.stream, device::CapturedKernel(launch.kernel, launch.arguments),
                         ActivityOf(launch));
    return cudaSuccess;
  }
  device::NoteKernel(launch.kernel, launch.arguments);
  device::KernelRan();
  if (device::SomeoneListens()) device::Tell(ActivityOf(launch));
  return cudaSuccess;
}

cudaError_t Launch(const runtime::LaunchParameters& launch) {
  const char* symbol = device::SomeoneListens() ? device::KernelName(launch.kernel) : nullptr;
  return runtime::Called(
      runtime::kLaunchKernel, launch, [&] { return Submit(launch); }, symbol);
}

cudaError_t GiveOccupancy(int* blocks, int threads, size_t shared_bytes) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  const std::optional<int> count = BlocksPerMultiprocessor(device->card, threads, shared_bytes);
  if (!count) return Report(cudaErrorInvalidValue);
  *blocks = *count;
  return cudaSuccess;
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterFunction(void**, const char* stub, char*, const char* name, int, uint3*, uint3*, dim3*,
                            dim3*, int*) {
  device::RegisterKernel(stub, name);
}

void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}

char __cudaInitModule(void**) { return 1; }

// Functions are known by the address of their host stub.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void* stream) {
  if (configuration_count == kNestedLaunches) return cudaErrorMissingConfiguration;
  configurations[configuration_count++] = {grid, block, shared_bytes, static_cast<cudaStream_t>(stream)};
  return cudaSuccess;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
  if (configuration_count == 0) return Report(cudaErrorMissingConfiguration);
  const Configuration& configuration = configurations[--configuration_count];
  *grid = configuration.grid;
  *block = configuration.block;
  *shared_bytes = configuration.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = configuration.stream;
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared_bytes, cudaStream_t stream) {
  return Launch({kernel, grid, block, arguments, shared_bytes, stream});
}

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t stream) {
  return Launch({kernel, grid, block, arguments, shared_bytes, stream});
}

cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream) {
  return Launch({kernel, grid, block, arguments, shared_bytes, stream});
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, const void* kernel,
                                void** arguments) {
  return Launch({kernel, configuration->gridDim, configuration->blockDim, arguments,
                 configuration->dynamicSmemBytes, configuration->stream});
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  device::ContextBegins();  // the kernel is loaded
  *attributes = {};
  attributes->maxThreadsPerBlock = kThreadsPerBlock;
  attributes->numRegs = kRegistersPerThread;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(device->card.shared_bytes_per_block);
  attributes->preferredShmemCarveout = -1;
  // Not the card's own number: CUB chooses its scratch by the architecture that the kernel was compiled for.
  attributes->ptxVersion = device->card.compiled_architecture;
  attributes->binaryVersion = device->card.compiled_architecture;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int threads,
                                                          size_t shared_bytes) {
  return GiveOccupancy(blocks, threads, shared_bytes);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int threads,
                                                                   size_t shared_bytes, unsigned int) {
  return GiveOccupancy(blocks, threads, shared_bytes);
}

}  // extern "C"
