// The CUDA runtime's streams and events, and the captures of work into graphs that they take part in. Any
// thread.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <cstdint>

// The runtime declares these and leaves what they are to itself.
struct CUstream_st {
  int priority = 0;
  std::atomic<uint64_t> capture{0};  // 0 = none
};
struct CUevent_st {
  std::chrono::steady_clock::time_point recorded;
  int64_t worked_ns = 0;             // by the device until then
  std::atomic<uint64_t> capture{0};  // that it was recorded in
};

namespace tidemark::phantom::runtime {

// The null stream and its two other names are small numbers, not objects. They cannot be captured.
inline bool IsDefaultStream(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

// The capture that this stream takes part in, 0 if none. A stream stays marked when a capture that it joined
// has ended, so the mark counts only while that capture lasts.
uint64_t CaptureOf(cudaStream_t stream);
bool IsActive(uint64_t capture);

}  // namespace tidemark::phantom::runtime
