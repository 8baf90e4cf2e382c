// The CUDA runtime's error state, one per thread: every function that fails leaves its error for
// cudaGetLastError.
#pragma once

#include <cuda_runtime_api.h>

#include "profiler/phantom/device/device.h"

namespace tidemark::phantom::runtime {

// Remembers the error, if it is one, and gives it back.
cudaError_t Report(cudaError_t error);

inline bool IsDeviceNumber(int number) { return number >= 0 && number < device::DeviceCount(); }

}  // namespace tidemark::phantom::runtime
