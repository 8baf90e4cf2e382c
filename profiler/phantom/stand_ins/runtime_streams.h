// The CUDA runtime's streams and events. What is captured of them: profiler/phantom/device/captures.h. Any
// thread.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <cstdint>

// The runtime declares these and leaves what they are to itself.
struct CUstream_st {
  int priority = 0;
};
struct CUevent_st {
  bool has_time = true;
  bool is_recorded = false;
  std::chrono::steady_clock::time_point recorded;
  cudaStream_t stream = nullptr;     // on which
  int64_t worked_ns = 0;             // by that until then
  std::atomic<uint64_t> capture{0};  // that it was recorded in
};

namespace tidemark::phantom::runtime {

// The null stream and its two other names are small numbers, not objects. They cannot be captured.
inline bool IsDefaultStream(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

}  // namespace tidemark::phantom::runtime
