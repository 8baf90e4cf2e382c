// The CUDA driver's virtual memory management, which PyTorch's expandable segments use.
#include <cuda.h>

#include <optional>

#include "profiler/phantom/device/device.h"
#include "profiler/phantom/stand_ins/driver_calls.h"

using namespace tidemark::phantom;
using device::Called;
using device::Device;
using device::TheDevice;

namespace {

bool IsWhole(size_t bytes) { return bytes > 0 && bytes % device::kGranuleBytes == 0; }

// NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are what this is about
void* PointerOf(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

CUresult Create(CUmemGenericAllocationHandle* handle, size_t bytes) {
  Device* device = TheDevice();
  if (device == nullptr) return CUDA_ERROR_NO_DEVICE;
  if (!IsWhole(bytes)) return CUDA_ERROR_INVALID_VALUE;
  const std::optional<uint64_t> piece = device->virtual_memory.Create(bytes);
  if (!piece) return CUDA_ERROR_OUT_OF_MEMORY;
  *handle = *piece;
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp*,
                                       CUmemAllocationGranularity_flags) {
  *bytes = device::kGranuleBytes;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t, CUdeviceptr, unsigned long long) {
  Device* device = TheDevice();
  if (device == nullptr) return CUDA_ERROR_NO_DEVICE;
  if (!IsWhole(bytes)) return CUDA_ERROR_INVALID_VALUE;
  void* reserved = device->memory.ReserveAddresses(bytes);
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
                [&] { return Create(handle, bytes); });
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

// There is one device, and it may always reach its own memory.
CUresult cuMemSetAccess(CUdeviceptr, size_t, const CUmemAccessDesc*, size_t) { return CUDA_SUCCESS; }

}  // extern "C"
