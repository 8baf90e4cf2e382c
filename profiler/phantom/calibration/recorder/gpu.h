// The GPU of this machine, as the recorder sees it: NVIDIA's management library and driver, loaded at run
// time. One thread. Errors are whole sentences.
#pragma once

#include <cstdint>
#include <string>

#include "profiler/base/result.h"

namespace tidemark::phantom::calibration {

struct GpuFacts {
  std::string name;           // "NVIDIA H200"
  int cuda_version = 0;       // of the driver: 13000
  int64_t context_bytes = 0;  // what the card's used memory grew by when this process made its context
};

// Makes the primary context of device 0, which stays. What another process allocates at that moment is
// counted too, so that nothing else may run on the card.
Result<GpuFacts> OpenGpu();

}  // namespace tidemark::phantom::calibration
