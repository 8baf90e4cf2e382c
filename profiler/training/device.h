// The device that a run trains on, and the capture of its memory.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>

#include "profiler/base/result.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::training {

struct Device {
  c10::Device torch_device{c10::DeviceType::CPU};
  int index = 0;
  std::string name;   // "NVIDIA H200", "CPU"
  std::string title;  // "phantom H200", "NVIDIA H200", "the CPU"
  std::string uuid;   // as NVML names it; "" of none
  std::string cuda;   // that LibTorch was built with: "13.0"; "" on the CPU
  int64_t bytes = 0;  // 0 = not limited
  bool is_phantom = false;
};

// Initializes CUDA where it is needed. A device that is not there is an error that says what there is.
Result<Device> OpenDevice(const networks::DeviceChoice& choice);

// Events for this device's memory, operators, saved tensors and library workspaces, from here on. Once in a
// process.
void AttachCapture(const Device& device);

// The driver and the card are asked now, rather than with the next of the samples that are taken ten times a
// second: what they say is of a moment that somebody looks at.
void AskDriverAndCard();

}  // namespace tidemark::training
