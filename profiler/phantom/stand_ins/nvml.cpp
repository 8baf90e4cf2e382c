// NVML: the card as its management library sees it, whatever CUDA_VISIBLE_DEVICES says. LibTorch and pynvml
// look its functions up by name.
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/visible_devices.h"
#include "profiler/phantom/stand_ins/nvml_results.h"
#include "tidemark_library_versions.h"

using namespace tidemark::phantom;
using namespace tidemark::phantom::nvml;
using device::Device;
using device::InstalledDevice;

namespace {

constexpr unsigned kNoInstance = ~0U;  // not a part of a card

// The driver that came with a version of CUDA (release notes of the CUDA Toolkit, "CUDA Toolkit and
// Corresponding Driver Versions"). Of a version between two the one before it.
struct Driver {
  int cuda_version;
  const char* text;
};
constexpr std::array kDrivers = {Driver{13010, "590.44.01"}, Driver{13000, "580.95.05"},
                                 Driver{12090, "575.51.03"}, Driver{12080, "570.26"},
                                 Driver{12060, "560.28.03"}, Driver{12040, "550.54.14"},
                                 Driver{12010, "530.30.02"}, Driver{11080, "520.61.05"}};

constexpr const char* DriverVersion() {
  for (const Driver& driver : kDrivers) {
    if (driver.cuda_version <= TIDEMARK_CUDA_VERSION) return driver.text;
  }
  return kDrivers.back().text;
}

struct Memory {
  unsigned long long total, free, used;
};
struct MemoryV2 {
  unsigned version, padding;
  unsigned long long total, reserved, free, used;
};
constexpr unsigned kMemoryV2 = sizeof(MemoryV2) | (2U << 24);  // nvmlMemory_v2
struct Process {
  unsigned pid, padding;
  unsigned long long used_bytes;
  unsigned gpu_instance = kNoInstance;
  unsigned compute_instance = kNoInstance;
};
struct Utilization {
  unsigned gpu, memory;
};

Return Write(const std::string& value, char* text, unsigned bytes) {
  if (text == nullptr) return kInvalidArgument;
  if (value.size() + 1 > bytes) return kInsufficientSize;
  std::memcpy(text, value.c_str(), value.size() + 1);
  return kSuccess;
}

Return Ready() { return InstalledDevice() == nullptr ? kDriverNotLoaded : kSuccess; }

// A card of the machine; all of them are alike.
struct Gpu {
  int number;
};

// By this process, once it has a context there, and by another one that a fault pretends.
unsigned long long UsedBytes(const Gpu& gpu) {
  const std::optional<int> seen = device::NumberSeenOf(gpu.number);
  if (!seen) return 0;
  const Device& device = *InstalledDevice();
  const auto context_bytes = static_cast<unsigned long long>(device.card.context_bytes);
  return device.memory.taken_bytes(*seen) - (device::HasContext(*seen) ? 0 : context_bytes);
}

Return HandleOf(unsigned index, const Gpu** gpu) {
  static const std::vector<Gpu>& gpus = *[] {
    auto* all = new std::vector<Gpu>;
    for (int number = 0; number < device::MachineDeviceCount(); ++number) all->push_back({number});
    return all;
  }();
  if (InstalledDevice() == nullptr) return kDriverNotLoaded;
  if (gpu == nullptr || index >= gpus.size()) return kInvalidArgument;
  *gpu = &gpus.at(index);
  return kSuccess;
}

// NVML's way with an answer that has no place to go to.
template <typename Answer>
Return Give(const Answer& answer, Answer* place) {
  if (place == nullptr) return kInvalidArgument;
  *place = answer;
  return kSuccess;
}

Return GiveNumber(const Gpu* gpu, unsigned* number) {
  if (gpu == nullptr) return kInvalidArgument;
  return Give(static_cast<unsigned>(gpu->number), number);
}

// The one process that uses the card is this one, once it does.
template <typename Told>
Return GiveProcesses(const Gpu* gpu, unsigned* count, Told* processes) {
  if (gpu == nullptr || count == nullptr) return kInvalidArgument;
  const unsigned room = *count;
  const std::optional<int> seen = device::NumberSeenOf(gpu->number);
  *count = seen && device::HasContext(*seen) ? 1 : 0;
  if (*count == 0) return kSuccess;
  if (room < 1 || processes == nullptr) return kInsufficientSize;
  *processes = Told();
  processes->pid = static_cast<unsigned>(getpid());
  processes->used_bytes = UsedBytes(*gpu);
  return kSuccess;
}

// As the card's figures have it: so many links of 25 GB/s one way, from Blackwell on of 50, all of them to
// switches that reach every other card (DGX and HGX). 0 without NVLink.
unsigned NvLinkCount() {
  const Card& card = InstalledDevice()->card;
  if (!HasNvlink(card)) return 0;
  const double of_one = card.compute_capability >= 100 ? 50e9 : 25e9;
  return static_cast<unsigned>(card.link_bytes_per_second / of_one);
}

// What is asked of one link.
template <typename Answer>
Return GiveOfLink(unsigned link, const Answer& answer, Answer* place) {
  if (NvLinkCount() == 0) return kNotSupported;
  return link < NvLinkCount() ? Give(answer, place) : kInvalidArgument;
}

std::string UuidOf(const Gpu& gpu) { return device::UuidTextOf(InstalledDevice()->card, gpu.number); }

}  // namespace

extern "C" {

Return nvmlInit() { return Ready(); }
Return nvmlInit_v2() { return Ready(); }
Return nvmlInitWithFlags(unsigned) { return Ready(); }
Return nvmlShutdown() { return kSuccess; }

const char* nvmlErrorString(Return result) {
  switch (result) {
    case kSuccess:
      return "Success";
    case kInvalidArgument:
      return "Invalid Argument";
    case kNotSupported:
      return "Not Supported";
    case kNotFound:
      return "Not Found";
    case kInsufficientSize:
      return "Insufficient Size";
    case kDriverNotLoaded:
      return "Driver Not Loaded";
    case kVersionMismatch:
      return "Argument Version Mismatch";
    default:
      return "Unknown Error";
  }
}

Return nvmlSystemGetDriverVersion(char* text, unsigned bytes) { return Write(DriverVersion(), text, bytes); }
Return nvmlSystemGetNVMLVersion(char* text, unsigned bytes) {
  return Write(std::to_string(TIDEMARK_CUDA_VERSION / 1000) + "." + DriverVersion(), text, bytes);
}
Return nvmlSystemGetCudaDriverVersion(int* version) { return Give(int{TIDEMARK_CUDA_VERSION}, version); }
Return nvmlSystemGetCudaDriverVersion_v2(int* version) { return nvmlSystemGetCudaDriverVersion(version); }

Return nvmlDeviceGetCount(unsigned* count) {
  return Give(static_cast<unsigned>(device::MachineDeviceCount()), count);
}
Return nvmlDeviceGetCount_v2(unsigned* count) { return nvmlDeviceGetCount(count); }
Return nvmlDeviceGetHandleByIndex(unsigned index, const Gpu** gpu) { return HandleOf(index, gpu); }
Return nvmlDeviceGetHandleByIndex_v2(unsigned index, const Gpu** gpu) { return HandleOf(index, gpu); }
Return nvmlDeviceGetHandleByPciBusId_v2(const char* text, const Gpu** gpu) {
  unsigned domain = 0;
  unsigned bus = 0;
  if (text == nullptr || std::sscanf(text, "%x:%x:", &domain, &bus) != 2) return kInvalidArgument;
  return HandleOf(bus, gpu);  // the runtime's properties give the number as the bus
}
Return nvmlDeviceGetHandleByUUID(const char* uuid, const Gpu** gpu) {
  for (unsigned index = 0;; ++index) {
    if (const Return error = HandleOf(index, gpu); error != kSuccess) {
      return error == kInvalidArgument ? kNotFound : error;
    }
    if (uuid != nullptr && UuidOf(**gpu) == uuid) return kSuccess;
  }
}
Return nvmlDeviceGetIndex(const Gpu* gpu, unsigned* index) { return GiveNumber(gpu, index); }
Return nvmlDeviceGetMinorNumber(const Gpu* gpu, unsigned* number) { return GiveNumber(gpu, number); }
Return nvmlDeviceGetName(const Gpu*, char* text, unsigned bytes) {
  return Write(InstalledDevice()->card.title, text, bytes);
}
Return nvmlDeviceGetUUID(const Gpu* gpu, char* text, unsigned bytes) {
  return gpu == nullptr ? kInvalidArgument : Write(UuidOf(*gpu), text, bytes);
}
Return nvmlDeviceGetCudaComputeCapability(const Gpu*, int* major, int* minor) {
  if (major == nullptr || minor == nullptr) return kInvalidArgument;
  *major = InstalledDevice()->card.compute_capability / 10;
  *minor = InstalledDevice()->card.compute_capability % 10;
  return kSuccess;
}

Return nvmlDeviceGetMemoryInfo(const Gpu* gpu, Memory* memory) {
  if (gpu == nullptr) return kInvalidArgument;
  const Device* const device = InstalledDevice();
  const unsigned long long used = UsedBytes(*gpu);
  return Give(Memory{device->memory.total_bytes(), device->memory.total_bytes() - used, used}, memory);
}
Return nvmlDeviceGetMemoryInfo_v2(const Gpu* gpu, MemoryV2* memory) {
  if (gpu == nullptr || memory == nullptr) return kInvalidArgument;
  if (memory->version != kMemoryV2) return kVersionMismatch;
  const Device* const device = InstalledDevice();
  const unsigned long long used = UsedBytes(*gpu);
  *memory = {kMemoryV2, 0, device->memory.total_bytes(), 0, device->memory.total_bytes() - used, used};
  return kSuccess;
}
Return nvmlDeviceGetComputeRunningProcesses_v2(const Gpu* gpu, unsigned* count, Process* processes) {
  return GiveProcesses(gpu, count, processes);
}
Return nvmlDeviceGetComputeRunningProcesses_v3(const Gpu* gpu, unsigned* count, Process* processes) {
  return GiveProcesses(gpu, count, processes);
}
Return nvmlDeviceGetGraphicsRunningProcesses_v3(const Gpu*, unsigned* count, Process*) {
  return Give(0U, count);
}

// The oldest form, which LibTorch looks up: nvmlProcessInfo_v1_t ends after the memory.
struct OldProcess {
  unsigned pid, padding;
  unsigned long long used_bytes;
};
Return nvmlDeviceGetComputeRunningProcesses(const Gpu* gpu, unsigned* count, OldProcess* processes) {
  return GiveProcesses(gpu, count, processes);
}

// What one card can do with another's memory, of any kind: as cudaDeviceCanAccessPeer has it.
Return nvmlDeviceGetP2PStatus(const Gpu* gpu, const Gpu* other, int, int* status) {
  constexpr int kOk = 0;
  constexpr int kP2pNotSupported = 5;
  if (gpu == nullptr || other == nullptr) return kInvalidArgument;
  return Give(NvLinkCount() > 0 ? kOk : kP2pNotSupported, status);
}
Return nvmlDeviceGetNvLinkState(const Gpu*, unsigned link, int* is_active) {
  return GiveOfLink(link, 1, is_active);
}
Return nvmlDeviceGetNvLinkCapability(const Gpu*, unsigned link, int, unsigned* has_it) {
  return GiveOfLink(link, 1U, has_it);
}
Return nvmlDeviceGetNvLinkRemoteDeviceType(const Gpu*, unsigned link, int* type) {
  constexpr int kSwitch = 2;
  return GiveOfLink(link, kSwitch, type);
}

// NVLink joins the cards of one machine, and no several machines: a state of zero says so, as each of its
// forms has it. How large that is stands in its version.
Return nvmlDeviceGetGpuFabricInfoV(const Gpu* gpu, unsigned* info) {
  constexpr unsigned kSizeBits = 24;
  constexpr unsigned kNewestBytes = 40;  // nvmlGpuFabricInfo_v3_t
  if (gpu == nullptr || info == nullptr) return kInvalidArgument;
  const unsigned bytes = *info & ((1U << kSizeBits) - 1);
  if (bytes < sizeof *info || bytes > kNewestBytes) return kVersionMismatch;
  std::memset(info + 1, 0, bytes - sizeof *info);
  return kSuccess;
}

// Nothing computes.
Return nvmlDeviceGetUtilizationRates(const Gpu*, Utilization* utilization) {
  return Give(Utilization{0, 0}, utilization);
}

}  // extern "C"
