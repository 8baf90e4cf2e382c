// The CUDA runtime's memory: cudaMalloc and its kin, host memory, copies and fills. All is done at once:
// streams are empty whenever one asks.
#include <cstring>

#include "profiler/phantom/stand_ins/runtime_errors.h"

using namespace tidemark::phantom;
using device::Device;
using device::TheDevice;
using runtime::Report;

namespace {

cudaError_t Allocate(void** pointer, size_t bytes) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  *pointer = device->memory.Allocate(bytes);
  return Report(*pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}

cudaError_t AllocateHost(void** pointer, size_t bytes) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  *pointer = device->host_memory.Allocate(bytes);
  return Report(*pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}

cudaError_t Copy(void* to, const void* from, size_t bytes) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  return Report(device->memory.Copy(to, from, bytes) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t Fill(void* pointer, int value, size_t bytes) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  return Report(device->memory.Fill(pointer, value, bytes) ? cudaSuccess : cudaErrorInvalidValue);
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) { return Allocate(pointer, bytes); }

cudaError_t cudaFree(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  return Report(device->memory.Free(pointer) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  *free_bytes = device->memory.free_bytes();
  *total_bytes = device->memory.total_bytes();
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int) { return AllocateHost(pointer, bytes); }

cudaError_t cudaMallocHost(void** pointer, size_t bytes) { return AllocateHost(pointer, bytes); }

cudaError_t cudaFreeHost(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  return Report(device->host_memory.Free(pointer) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  const bool registered = device->host_memory.Register(pointer, bytes);
  return Report(registered ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void* pointer) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  const bool unregistered = device->host_memory.Unregister(pointer);
  return Report(unregistered ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  *attributes = {};
  if (device->memory.IsAllocated(pointer, 1)) {
    attributes->type = cudaMemoryTypeDevice;
    attributes->devicePointer = const_cast<void*>(pointer);
  } else if (device->host_memory.IsPinned(pointer)) {
    attributes->type = cudaMemoryTypeHost;
    attributes->devicePointer = const_cast<void*>(pointer);
    attributes->hostPointer = const_cast<void*>(pointer);
  } else {
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    attributes->hostPointer = const_cast<void*>(pointer);
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  return Copy(to, from, bytes);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t) {
  return Copy(to, from, bytes);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t) {
  if (!runtime::IsDeviceNumber(to_device) || !runtime::IsDeviceNumber(from_device)) {
    return Report(cudaErrorInvalidDevice);
  }
  return Copy(to, from, bytes);
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind, cudaStream_t) {
  if (width > to_pitch || width > from_pitch) return Report(cudaErrorInvalidValue);
  for (size_t row = 0; row < height; ++row) {
    const cudaError_t error = Copy(static_cast<char*>(to) + row * to_pitch,
                                   static_cast<const char*>(from) + row * from_pitch, width);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t cudaMemset(void* pointer, int value, size_t bytes) { return Fill(pointer, value, bytes); }

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t) {
  return Fill(pointer, value, bytes);
}

}  // extern "C"
