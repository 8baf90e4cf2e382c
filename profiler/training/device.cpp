#include "profiler/training/device.h"

#include <ATen/Context.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>

#include "profiler/capture/cupti/driver_source.h"
#include "profiler/capture/nvml/card_sampler.h"
#include "profiler/capture/nvml/cuda_device.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/torch/allocator_events.h"
#include "profiler/capture/torch/library_workspaces.h"
#include "profiler/capture/torch/operator_watch.h"
#include "profiler/capture/torch/saved_tensors.h"

namespace tidemark::training {
namespace {

using networks::DeviceChoice;
using networks::DeviceKind;

std::string MissingDevice(const DeviceChoice& choice, int count) {
  if (choice.kind == DeviceKind::kPhantom) {
    return "The phantom GPU did not come up: its libraries are not under this process. Build the project "
           "again with ./run.";
  }
  const std::string wanted = "There is no CUDA device " + std::to_string(choice.index) + ": ";
  if (count == 0) {
    return wanted +
           "this machine has no usable NVIDIA GPU or driver. Choose the device phantom or cpu instead.";
  }
  return wanted + "this machine has " + std::to_string(count) + ", counted from cuda:0.";
}

}  // namespace

Result<Device> OpenDevice(const DeviceChoice& choice) {
  Device device;
  if (choice.kind == DeviceKind::kCpu) {
    device.name = "CPU";
    device.title = "the CPU";
    return device;
  }
  device.index = choice.kind == DeviceKind::kPhantom ? 0 : choice.index;
  const int count = c10::cuda::device_count();
  if (device.index >= count) return Error{MissingDevice(choice, count)};
  at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
  device.torch_device = c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device.index));
  c10::cuda::set_device(device.torch_device.index());
  const cudaDeviceProp* properties = at::cuda::getDeviceProperties(device.torch_device.index());
  device.name = properties->name;
  device.is_phantom = choice.kind == DeviceKind::kPhantom;
  device.cuda = std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
  device.title = (device.is_phantom ? "phantom " : "") + device.name;
  device.uuid = capture::CardUuid(properties->uuid.bytes);
  device.bytes = static_cast<int64_t>(properties->totalGlobalMem);
  return device;
}

void AskDriverAndCard() {
  capture::SampleCard();
  capture::FlushDriver();
}

void AttachCapture(const Device& device) {
  capture::InstallSavedTensorHooks();
  capture::WatchOperators(capture::kOperatorScopes);
  if (device.torch_device.is_cuda()) {
    capture::AttachToDriver(capture::cupti::LoadFunctions());
    capture::WatchCard(capture::nvml::LoadFunctions(), device.uuid);
    // What the driver and the card say then belongs to the page that tells why.
    capture::AttachToCudaAllocator(AskDriverAndCard);
    capture::AttachToLibraryWorkspaces();
  } else {
    capture::AttachToCpuAllocator();
  }
}

}  // namespace tidemark::training
