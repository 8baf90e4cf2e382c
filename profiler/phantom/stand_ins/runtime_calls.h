// The calls of the CUDA runtime that CUPTI is told of: their callback ids, and their parameters as in CUPTI's
// generated_cuda_runtime_api_meta.h. That header fits one version of CUDA only; these structs are the same in
// CUDA 12 and 13, and a test compares them.
#pragma once

#include <cuda_runtime_api.h>
#include <cupti_runtime_cbid.h>

#include "profiler/phantom/device/activity.h"

namespace tidemark::phantom::runtime {

using device::Called;
using device::Function;

inline constexpr Function kMalloc{Function::Library::kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020,
                                  "cudaMalloc"};
inline constexpr Function kFree{Function::Library::kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020,
                                "cudaFree"};
inline constexpr Function kHostAlloc{Function::Library::kRuntime,
                                     CUPTI_RUNTIME_TRACE_CBID_cudaHostAlloc_v3020, "cudaHostAlloc"};
inline constexpr Function kMallocHost{Function::Library::kRuntime,
                                      CUPTI_RUNTIME_TRACE_CBID_cudaMallocHost_v3020, "cudaMallocHost"};
inline constexpr Function kFreeHost{Function::Library::kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaFreeHost_v3020,
                                    "cudaFreeHost"};
inline constexpr Function kMemcpy{Function::Library::kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020,
                                  "cudaMemcpy"};
inline constexpr Function kMemcpyAsync{Function::Library::kRuntime,
                                       CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, "cudaMemcpyAsync"};
inline constexpr Function kMemset{Function::Library::kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaMemset_v3020,
                                  "cudaMemset"};
inline constexpr Function kMemsetAsync{Function::Library::kRuntime,
                                       CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020, "cudaMemsetAsync"};
inline constexpr Function kLaunchKernel{Function::Library::kRuntime,
                                        CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, "cudaLaunchKernel"};

inline constexpr Function kGraphLaunch{Function::Library::kRuntime,
                                       CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000, "cudaGraphLaunch"};

inline constexpr Function kMallocAsync{Function::Library::kRuntime,
                                       CUPTI_RUNTIME_TRACE_CBID_cudaMallocAsync_v11020, "cudaMallocAsync"};
inline constexpr Function kFreeAsync{Function::Library::kRuntime,
                                     CUPTI_RUNTIME_TRACE_CBID_cudaFreeAsync_v11020, "cudaFreeAsync"};

struct AllocateAsyncParameters {
  void** pointer;
  size_t bytes;
  cudaStream_t stream;
};
struct FreeAsyncParameters {
  void* pointer;
  cudaStream_t stream;
};
struct AllocateParameters {
  void** pointer;
  size_t bytes;
};
struct FreeParameters {
  void* pointer;
};
struct HostAllocParameters {
  void** pointer;
  size_t bytes;
  unsigned int flags;
};
struct MemcpyParameters {
  void* to;
  const void* from;
  size_t bytes;
  cudaMemcpyKind kind;
};
struct MemcpyAsyncParameters {
  void* to;
  const void* from;
  size_t bytes;
  cudaMemcpyKind kind;
  cudaStream_t stream;
};
struct MemsetParameters {
  void* pointer;
  int value;
  size_t bytes;
};
struct MemsetAsyncParameters {
  void* pointer;
  int value;
  size_t bytes;
  cudaStream_t stream;
};
struct GraphLaunchParameters {
  cudaGraphExec_t executable;
  cudaStream_t stream;
};
struct LaunchParameters {
  const void* kernel;
  dim3 grid;
  dim3 block;
  void** arguments;
  size_t shared_bytes;
  cudaStream_t stream;
};

}  // namespace tidemark::phantom::runtime
