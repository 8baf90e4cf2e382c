// The CUDA runtime's answers about devices and about the driver.

#include <atomic>
#include <cstdio>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/device/captures.h"
#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/device/refusal.h"
#include "profiler/phantom/device/visible_devices.h"
#include "profiler/phantom/stand_ins/device_attributes.h"
#include "profiler/phantom/stand_ins/driver_functions.h"
#include "profiler/phantom/stand_ins/runtime_errors.h"
#include "tidemark_library_versions.h"

using namespace tidemark;
using namespace tidemark::phantom;
using device::Device;
using device::TheDevice;
using runtime::Report;

namespace {

// PyTorch only says "invalid device ordinal".
void DoubtNumber(int number) {
  static std::atomic<int> told{0};  // whoever asks again and again is told once
  const int seen = device::DeviceCount();
  if (number < seen || told.exchange(number) == number) return;  // below 0 is none at all
  const bool are_hidden = seen < device::MachineDeviceCount();
  device::DoubtOrSay(
      "tidemark phantom: The program asked for GPU " + std::to_string(number) +
      " (cuda:" + std::to_string(number) + ") and sees " +
      (seen == 1 ? "one, number 0" : std::to_string(seen) + ", numbers 0 to " + std::to_string(seen - 1)) +
      (are_hidden ? ": CUDA_VISIBLE_DEVICES hides the others of its machine."
                  : ". tidemark phantom --gpus " + std::to_string(number + 1) +
                        " gives a program so many; --world " + std::to_string(number + 1) +
                        " makes it one rank of so many, each with a GPU of its own."));
}

// What a function with a device's number answers before all else; success if there is that device.
cudaError_t CheckDevice(int number) {
  if (TheDevice() == nullptr) return Report(cudaErrorNoDevice);
  if (runtime::IsDeviceNumber(number)) return cudaSuccess;
  DoubtNumber(number);
  return Report(cudaErrorInvalidDevice);
}

void FillSizes(const Card& card, cudaDeviceProp& properties) {
  const auto attribute = [&](cudaDeviceAttr name) { return AttributeOf(card, name).value_or(0); };
  properties.totalGlobalMem = static_cast<size_t>(card.memory_bytes);
  properties.multiProcessorCount = card.multiprocessors;
  properties.maxThreadsPerMultiProcessor = card.threads_per_multiprocessor;
  properties.maxBlocksPerMultiProcessor = card.blocks_per_multiprocessor;
  properties.sharedMemPerBlock = static_cast<size_t>(card.shared_bytes_per_block);
  properties.sharedMemPerBlockOptin = static_cast<size_t>(card.shared_bytes_per_block_optin);
  properties.sharedMemPerMultiprocessor = static_cast<size_t>(card.shared_bytes_per_multiprocessor);
  properties.reservedSharedMemPerBlock =
      static_cast<size_t>(attribute(cudaDevAttrReservedSharedMemoryPerBlock));
  properties.l2CacheSize = static_cast<int>(card.l2_bytes);
  properties.memoryBusWidth = attribute(cudaDevAttrGlobalMemoryBusWidth);
#if CUDART_VERSION < 13000
  properties.clockRate = card.clock_khz;
  properties.memoryClockRate = card.memory_clock_khz;
#endif
  properties.warpSize = kWarpThreads;
  properties.maxThreadsPerBlock = kThreadsPerBlock;
  properties.regsPerBlock = kRegisters;
  properties.regsPerMultiprocessor = kRegisters;
  properties.totalConstMem = kConstantBytes;
  properties.textureAlignment = kTextureAlignment;
  properties.texturePitchAlignment = kTexturePitchAlignment;
  properties.memPitch = kPitchBytes;
  std::memcpy(properties.maxThreadsDim, kBlockSize, sizeof kBlockSize);
  std::memcpy(properties.maxGridSize, kGridSize, sizeof kGridSize);
}

cudaDeviceProp PropertiesOf(const Card& card, int number) {
  const auto attribute = [&](cudaDeviceAttr name) { return AttributeOf(card, name).value_or(0); };
  cudaDeviceProp properties = {};
  std::snprintf(properties.name, sizeof properties.name, "%s", card.title.c_str());
  std::memcpy(properties.uuid.bytes, device::UuidOf(card, number).data(), sizeof properties.uuid.bytes);
  properties.pciBusID = number;
  properties.major = card.compute_capability / 10;
  properties.minor = card.compute_capability % 10;
  FillSizes(card, properties);
  properties.unifiedAddressing = attribute(cudaDevAttrUnifiedAddressing);
  properties.canMapHostMemory = attribute(cudaDevAttrCanMapHostMemory);
  properties.concurrentKernels = attribute(cudaDevAttrConcurrentKernels);
  properties.cooperativeLaunch = attribute(cudaDevAttrCooperativeLaunch);
  properties.hostRegisterSupported = attribute(cudaDevAttrHostRegisterSupported);
  properties.canUseHostPointerForRegisteredMem = attribute(cudaDevAttrCanUseHostPointerForRegisteredMem);
  properties.streamPrioritiesSupported = attribute(cudaDevAttrStreamPrioritiesSupported);
  properties.computePreemptionSupported = attribute(cudaDevAttrComputePreemptionSupported);
  properties.clusterLaunch = attribute(cudaDevAttrClusterLaunch);
  properties.managedMemory = attribute(cudaDevAttrManagedMemory);
  properties.asyncEngineCount = 1;
  return properties;
}

// NVLink joins all cards of an HGX board. Whether PCIe carries it is the machine's affair, which is not known
// here, and GeForce's drivers refuse it: so no.
bool CanAccess(int number, int peer) { return number != peer && HasNvlink(TheDevice()->card); }

// From the current device, for all of the process; false if that was so before.
bool SetPeerAccess(int peer, bool enabled) {
  static Mutex mutex;
  static auto* const pairs = new std::set<std::pair<int, int>>;  // memory is used while the process exits
  const std::pair pair(device::CurrentDevice(), peer);
  const MutexLock lock(mutex);
  return enabled ? pairs->insert(pair).second : pairs->erase(pair) > 0;
}

cudaError_t GiveDriverFunction(const char* name, void** function, cudaDriverEntryPointQueryResult* result) {
  *function = NewestDriverFunction(name);
  if (result == nullptr) return Report(*function == nullptr ? cudaErrorSymbolNotFound : cudaSuccess);
  *result = *function == nullptr ? cudaDriverEntryPointSymbolNotFound : cudaDriverEntryPointSuccess;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = device::DeviceCount();
  return Report(*count == 0 ? cudaErrorNoDevice : cudaSuccess);
}

cudaError_t cudaGetDevice(int* number) {
  *number = device::CurrentDevice();
  return CheckDevice(*number);
}

cudaError_t cudaSetDevice(int number) {
  const cudaError_t error = CheckDevice(number);
  if (error != cudaSuccess) return error;
  device::SetCurrentDevice(number);
  if (TIDEMARK_CUDA_VERSION >= 12000) device::ContextBegins(number);  // since that version it makes one
  return error;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int number) {
  const cudaError_t error = CheckDevice(number);
  if (error == cudaSuccess) {
    *properties = PropertiesOf(TheDevice()->card, device::MachineNumberOf(number));
  }
  return error;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number) {
  const cudaError_t error = CheckDevice(number);
  if (error != cudaSuccess) return error;
  const std::optional<int> known = AttributeOf(TheDevice()->card, attribute, device::MachineNumberOf(number));
  if (!known) device::Refuse("cudaDeviceGetAttribute", {static_cast<uint64_t>(attribute)});
  *value = *known;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  // As all cards of compute capability 7.0 and later answer. Either may be asked for alone.
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return CheckDevice(0);
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int bytes, int number) {
  const cudaError_t error = CheckDevice(number);
  if (error == cudaSuccess) {
    std::snprintf(text, static_cast<size_t>(bytes), "0000:%02x:00.0", device::MachineNumberOf(number));
  }
  return error;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int number, int peer) {
  *can = 0;
  cudaError_t error = CheckDevice(number);
  if (error == cudaSuccess) error = CheckDevice(peer);
  if (error == cudaSuccess) *can = CanAccess(number, peer) ? 1 : 0;
  return error;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int) {
  const cudaError_t error = CheckDevice(peer);
  if (error != cudaSuccess) return error;
  if (!CanAccess(device::CurrentDevice(), peer)) return Report(cudaErrorPeerAccessUnsupported);
  return SetPeerAccess(peer, true) ? cudaSuccess : Report(cudaErrorPeerAccessAlreadyEnabled);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  const cudaError_t error = CheckDevice(peer);
  if (error != cudaSuccess) return error;
  return SetPeerAccess(peer, false) ? cudaSuccess : Report(cudaErrorPeerAccessNotEnabled);
}

// It would wait for what is being captured, too, which cannot come to its end.
cudaError_t cudaDeviceSynchronize() {
  device::ContextBegins();
  return device::SomethingIsCaptured() ? Report(cudaErrorStreamCaptureUnsupported) : CheckDevice(0);
}

cudaError_t cudaDriverGetVersion(int* version) {
  // As the runtime does where there is no driver.
  *version = device::InstalledDevice() == nullptr ? 0 : TIDEMARK_CUDA_VERSION;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = TIDEMARK_CUDA_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned int,
                                             unsigned long long, cudaDriverEntryPointQueryResult* result) {
  return GiveDriverFunction(name, function, result);
}

#if CUDART_VERSION < 13000
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* result) {
  return GiveDriverFunction(name, function, result);
}
#endif

}  // extern "C"
