// The CUDA runtime's memory: cudaMalloc, host memory, copies and fills (frees are in runtime_pools.cpp). All
// is done at once, but for what is captured into a graph: streams are empty whenever one asks.
#include <cstring>

#include "profiler/phantom/device/captures.h"
#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/device/outside_memory.h"
#include "profiler/phantom/device/readings.h"
#include "profiler/phantom/stand_ins/runtime_calls.h"
#include "profiler/phantom/stand_ins/runtime_errors.h"
#include "profiler/phantom/stand_ins/runtime_streams.h"

using namespace tidemark::phantom;
using device::Activity;
using device::Device;
using device::Place;
using device::TheDevice;
using runtime::Called;
using runtime::Report;

namespace {

void TellBlock(Activity::Kind kind, Place place, const void* pointer, size_t bytes) {
  Activity activity;
  activity.kind = kind;
  activity.place = place;
  activity.address = reinterpret_cast<uint64_t>(pointer);
  activity.bytes = bytes;
  device::Tell(activity);
}

cudaError_t Allocate(void** pointer, size_t bytes) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  device::NoteAllocation();
  *pointer = device->memory.Allocate(bytes, device::CurrentDevice());
  if (*pointer == nullptr) return Report(cudaErrorMemoryAllocation);
  device::NoteTaken(reinterpret_cast<uint64_t>(*pointer), bytes);
  TellBlock(Activity::Kind::kAllocate, Place::kDevice, *pointer, bytes);
  return cudaSuccess;
}

cudaError_t AllocateHost(void** pointer, size_t bytes) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  device::ContextBegins();
  *pointer = device->host_memory.Allocate(bytes);
  if (*pointer == nullptr) return Report(cudaErrorMemoryAllocation);
  TellBlock(Activity::Kind::kAllocate, Place::kPinned, *pointer, bytes);
  return cudaSuccess;
}

cudaError_t FreeHost(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  const std::optional<size_t> bytes = device->host_memory.Free(pointer);
  if (!bytes) return Report(cudaErrorInvalidValue);
  TellBlock(Activity::Kind::kFree, Place::kPinned, pointer, *bytes);
  return cudaSuccess;
}

Place PlaceOf(const Device& device, const void* pointer) {
  if (device.memory.IsDevice(pointer)) return Place::kDevice;
  return device.host_memory.IsPinned(pointer) ? Place::kPinned : Place::kPageable;
}

// What is true of a copy or a fill beside what it touches.
struct Submission {
  bool asynchronous = false;
  cudaStream_t stream = nullptr;
};

cudaError_t Copy(void* to, const void* from, size_t bytes, const Submission& submission) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  const auto activity_of = [&] {
    Activity activity;
    activity.kind = Activity::Kind::kCopy;
    activity.place = PlaceOf(*device, to);
    activity.from = PlaceOf(*device, from);
    activity.asynchronous = submission.asynchronous;
    activity.bytes = bytes;
    activity.stream = reinterpret_cast<uint64_t>(submission.stream);
    return activity;
  };
  if (device::CaptureOf(submission.stream) != 0) {
    device::NoteCaptured(submission.stream, device::CapturedCopy(to, from, bytes), activity_of());
    return cudaSuccess;
  }
  if (!device::CopyAndNote(*device, to, from, bytes)) return Report(cudaErrorInvalidValue);
  if (device::SomeoneListens()) device::Tell(activity_of());
  return cudaSuccess;
}

cudaError_t Fill(void* pointer, int value, size_t bytes, const Submission& submission) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  const auto activity_of = [&] {
    Activity activity;
    activity.kind = Activity::Kind::kFill;
    activity.place = PlaceOf(*device, pointer);
    activity.asynchronous = submission.asynchronous;
    activity.bytes = bytes;
    activity.fill_value = static_cast<uint32_t>(value);
    activity.stream = reinterpret_cast<uint64_t>(submission.stream);
    return activity;
  };
  if (device::CaptureOf(submission.stream) != 0) {
    device::NoteCaptured(submission.stream, device::CapturedFill(pointer, value, bytes), activity_of());
    return cudaSuccess;
  }
  if (!device->memory.Fill(pointer, value, bytes)) return Report(cudaErrorInvalidValue);
  if (device::SomeoneListens()) device::Tell(activity_of());
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return Called(runtime::kMalloc, runtime::AllocateParameters{pointer, bytes},
                [&] { return Allocate(pointer, bytes); });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  device::ContextBegins();
  *free_bytes = device->memory.free_bytes(device::CurrentDevice());
  *total_bytes = device->memory.total_bytes();
  return cudaSuccess;
}

// What of it lies on a card changes as kernels touch it, and no kernel runs here.
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned int) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  if (pointer == nullptr || bytes == 0) return Report(cudaErrorInvalidValue);
  device::Doubt(
      "Managed memory (cudaMallocManaged, as paged optimizers use it) stays on the host here; what of "
      "it moves to the card is not known and not counted.");
  device::ContextBegins();
  *pointer = device->host_memory.AllocateManaged(bytes);
  return Report(*pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  return Called(runtime::kHostAlloc, runtime::HostAllocParameters{pointer, bytes, flags},
                [&] { return AllocateHost(pointer, bytes); });
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return Called(runtime::kMallocHost, runtime::AllocateParameters{pointer, bytes},
                [&] { return AllocateHost(pointer, bytes); });
}

cudaError_t cudaFreeHost(void* pointer) {
  return Called(runtime::kFreeHost, runtime::FreeParameters{pointer}, [&] { return FreeHost(pointer); });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  device::ContextBegins();
  const bool registered = device->host_memory.Register(pointer, bytes);
  return Report(registered ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void* pointer) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  const bool unregistered = device->host_memory.Unregister(pointer);
  return Report(unregistered ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetDevicePointer(void** on_device, void* pointer, unsigned int) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  *on_device = device->host_memory.IsPinned(pointer) ? pointer : nullptr;  // one address space
  return Report(*on_device == nullptr ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  *attributes = {};
  attributes->device = device->memory.CardOf(pointer).value_or(device::CurrentDevice());
  if (device->memory.IsAllocated(pointer, 1)) {
    attributes->type = cudaMemoryTypeDevice;
    attributes->devicePointer = const_cast<void*>(pointer);
  } else if (device->host_memory.IsPinned(pointer) || device->host_memory.IsManaged(pointer)) {
    const bool managed = device->host_memory.IsManaged(pointer);
    attributes->type = managed ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
    attributes->devicePointer = const_cast<void*>(pointer);
    attributes->hostPointer = const_cast<void*>(pointer);
  } else {
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    attributes->hostPointer = const_cast<void*>(pointer);
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return Called(runtime::kMemcpy, runtime::MemcpyParameters{to, from, bytes, kind},
                [&] { return Copy(to, from, bytes, {}); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return Called(runtime::kMemcpyAsync, runtime::MemcpyAsyncParameters{to, from, bytes, kind, stream}, [&] {
    return Copy(to, from, bytes, {true, stream});
  });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream) {
  if (!runtime::IsDeviceNumber(to_device) || !runtime::IsDeviceNumber(from_device)) {
    return Report(cudaErrorInvalidDevice);
  }
  return Copy(to, from, bytes, {true, stream});
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind, cudaStream_t stream) {
  if (width > to_pitch || width > from_pitch) return Report(cudaErrorInvalidValue);
  for (size_t row = 0; row < height; ++row) {
    const cudaError_t error = Copy(static_cast<char*>(to) + row * to_pitch,
                                   static_cast<const char*>(from) + row * from_pitch, width, {true, stream});
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t cudaMemset(void* pointer, int value, size_t bytes) {
  return Called(runtime::kMemset, runtime::MemsetParameters{pointer, value, bytes},
                [&] { return Fill(pointer, value, bytes, {}); });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream) {
  return Called(runtime::kMemsetAsync, runtime::MemsetAsyncParameters{pointer, value, bytes, stream}, [&] {
    return Fill(pointer, value, bytes, {true, stream});
  });
}

}  // extern "C"
