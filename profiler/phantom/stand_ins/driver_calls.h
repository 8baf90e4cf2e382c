// The calls of the CUDA driver that CUPTI is told of: see runtime_calls.h.
#pragma once

#include <cuda.h>
#include <cupti_driver_cbid.h>

#include "profiler/phantom/device/activity.h"

namespace tidemark::phantom::driver {

using device::Function;

inline constexpr Function kMemAlloc{Function::Library::kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2,
                                    "cuMemAlloc_v2"};
inline constexpr Function kMemFree{Function::Library::kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2,
                                   "cuMemFree_v2"};
inline constexpr Function kMemCreate{Function::Library::kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemCreate,
                                     "cuMemCreate"};
inline constexpr Function kMemRelease{Function::Library::kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemRelease,
                                      "cuMemRelease"};
inline constexpr Function kMemMap{Function::Library::kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemMap, "cuMemMap"};
inline constexpr Function kMemUnmap{Function::Library::kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemUnmap,
                                    "cuMemUnmap"};

struct MemAllocParameters {
  CUdeviceptr* address;
  size_t bytes;
};
struct MemFreeParameters {
  CUdeviceptr address;
};
struct MemCreateParameters {
  CUmemGenericAllocationHandle* handle;
  size_t bytes;
  const CUmemAllocationProp* properties;
  unsigned long long flags;
};
struct MemReleaseParameters {
  CUmemGenericAllocationHandle handle;
};
struct MemMapParameters {
  CUdeviceptr address;
  size_t bytes;
  size_t offset;
  CUmemGenericAllocationHandle handle;
  unsigned long long flags;
};
struct MemUnmapParameters {
  CUdeviceptr address;
  size_t bytes;
};

}  // namespace tidemark::phantom::driver
