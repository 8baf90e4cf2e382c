// The CUDA driver's memory: plain allocations, and virtual memory management, which PyTorch's expandable
// segments use.
#include <cuda.h>

#include <optional>

#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/outside_memory.h"
#include "profiler/phantom/device/refusal.h"
#include "profiler/phantom/stand_ins/driver_calls.h"

using namespace tidemark::phantom;
using device::Activity;
using device::Called;
using device::Device;
using device::TheDevice;

namespace {

bool IsWhole(size_t bytes) { return bytes > 0 && bytes % device::kGranuleBytes == 0; }

// NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are what this is about
void* PointerOf(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

void TellBlock(Activity::Kind kind, CUdeviceptr address, size_t bytes) {
  Activity activity;
  activity.kind = kind;
  activity.address = address;
  activity.bytes = bytes;
  device::Tell(activity);
}

CUresult Allocate(CUdeviceptr* address, size_t bytes) {
  Device* device = TheDevice();
  if (device == nullptr) return CUDA_ERROR_NO_DEVICE;
  if (address == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  device::NoteAllocation();
  *address = reinterpret_cast<CUdeviceptr>(device->memory.Allocate(bytes, device::CurrentDevice()));
  if (*address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  device::NoteTaken(*address, bytes);
  TellBlock(Activity::Kind::kAllocate, *address, bytes);
  return CUDA_SUCCESS;
}

// Whether the driver or the runtime allocated it, and from its pool or not: their addresses are the same.
CUresult Free(CUdeviceptr address) {
  if (address == 0) return CUDA_SUCCESS;
  Device* device = TheDevice();
  if (device == nullptr) return CUDA_ERROR_NO_DEVICE;
  const std::optional<Device::Freed> freed = device->Free(PointerOf(address));
  if (!freed) return CUDA_ERROR_INVALID_VALUE;
  TellBlock(Activity::Kind::kFree, address, freed->asked_bytes);
  return CUDA_SUCCESS;
}

CUresult Create(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* properties) {
  Device* device = TheDevice();
  if (device == nullptr) return CUDA_ERROR_NO_DEVICE;
  if (properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
    device::Refuse("cuMemCreate", {static_cast<uint64_t>(properties->location.type)});
  }
  const int number = properties->location.id;
  if (number < 0 || number >= device::DeviceCount()) return CUDA_ERROR_INVALID_DEVICE;
  if (!IsWhole(bytes)) return CUDA_ERROR_INVALID_VALUE;
  device::NoteAllocation(number);
  const std::optional<uint64_t> piece = device->virtual_memory.Create(bytes, number);
  if (!piece) return CUDA_ERROR_OUT_OF_MEMORY;
  device::NoteTaken(*piece, bytes);
  *handle = *piece;
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

// The plain names are older forms, with 32 bits for a size.
CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  return Called(driver::kMemAlloc, driver::MemAllocParameters{address, bytes},
                [&] { return Allocate(address, bytes); });
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  return Called(driver::kMemFree, driver::MemFreeParameters{address}, [&] { return Free(address); });
}

CUresult cuMemGetInfo_v2(size_t* free_bytes, size_t* total_bytes) {
  Device* device = TheDevice();
  if (device == nullptr) return CUDA_ERROR_NO_DEVICE;
  device::ContextBegins();
  *free_bytes = device->memory.free_bytes(device::CurrentDevice());
  *total_bytes = device->memory.total_bytes();
  return CUDA_SUCCESS;
}

// Triton's launchers ask so whether an argument may be touched on the card.
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  Device* device = TheDevice();
  if (device == nullptr) return CUDA_ERROR_NO_DEVICE;
  if (attribute != CU_POINTER_ATTRIBUTE_DEVICE_POINTER) {
    device::Refuse("cuPointerGetAttribute", {static_cast<uint64_t>(attribute)});
  }
  void* pointer = PointerOf(address);
  const bool reachable =
      device->memory.IsAllocated(pointer, 1) || device->host_memory.IsPinned(pointer);  // one address space
  if (!reachable) return CUDA_ERROR_INVALID_VALUE;
  *static_cast<CUdeviceptr*>(value) = address;
  return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp*,
                                       CUmemAllocationGranularity_flags) {
  *bytes = device::kGranuleBytes;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t, CUdeviceptr, unsigned long long) {
  Device* device = TheDevice();
  if (device == nullptr) return CUDA_ERROR_NO_DEVICE;
  if (!IsWhole(bytes)) return CUDA_ERROR_INVALID_VALUE;
  void* reserved = device->memory.ReserveAddresses(bytes, device::CurrentDevice());
  *address = reinterpret_cast<CUdeviceptr>(reserved);
  return reserved == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t) {
  Device* device = TheDevice();
  if (device == nullptr) return CUDA_ERROR_NO_DEVICE;
  return device->memory.FreeAddresses(PointerOf(address)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes,
                     const CUmemAllocationProp* properties, unsigned long long flags) {
  return Called(driver::kMemCreate, driver::MemCreateParameters{handle, bytes, properties, flags},
                [&] { return Create(handle, bytes, properties); });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return Called(driver::kMemRelease, driver::MemReleaseParameters{handle}, [&] {
    Device* device = TheDevice();
    if (device == nullptr) return CUDA_ERROR_NO_DEVICE;
    return device->virtual_memory.Release(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  return Called(driver::kMemMap, driver::MemMapParameters{address, bytes, offset, handle, flags}, [&] {
    Device* device = TheDevice();
    if (device == nullptr) return CUDA_ERROR_NO_DEVICE;
    const bool mapped =
        offset == 0 && IsWhole(bytes) && device->virtual_memory.Map(PointerOf(address), bytes, handle);
    return mapped ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  return Called(driver::kMemUnmap, driver::MemUnmapParameters{address, bytes}, [&] {
    Device* device = TheDevice();
    if (device == nullptr) return CUDA_ERROR_NO_DEVICE;
    return device->virtual_memory.Unmap(PointerOf(address), bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

// Every device reaches all memory here.
CUresult cuMemSetAccess(CUdeviceptr, size_t, const CUmemAccessDesc*, size_t) { return CUDA_SUCCESS; }

}  // extern "C"
