#include "profiler/phantom/calibration/recorder/gpu.h"

#include <dlfcn.h>

#include <array>

namespace tidemark::phantom::calibration {
namespace {

// nvml.h: nvmlMemory_t.
struct NvmlMemory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

template <typename Function>
Function Find(void* library, const char* name) {
  return library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, name));
}

// The card's used memory, by NVML (nvml.h: 0 is success).
class UsedMemory {
 public:
  static Result<UsedMemory> Open() {
    void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    const auto start = Find<int (*)()>(library, "nvmlInit_v2");
    const auto by_index = Find<int (*)(unsigned, void**)>(library, "nvmlDeviceGetHandleByIndex_v2");
    UsedMemory used;
    used.get_ = Find<int (*)(void*, NvmlMemory*)>(library, "nvmlDeviceGetMemoryInfo");
    if (start == nullptr || by_index == nullptr || used.get_ == nullptr || start() != 0 ||
        by_index(0, &used.device_) != 0) {
      return Error{
          "NVIDIA's management library (libnvidia-ml.so.1) does not answer. Check that nvidia-smi works."};
    }
    return used;
  }
  int64_t Bytes() const {
    NvmlMemory memory{};
    return get_(device_, &memory) == 0 ? static_cast<int64_t>(memory.used) : -1;
  }

 private:
  int (*get_)(void*, NvmlMemory*) = nullptr;
  void* device_ = nullptr;
};

}  // namespace

Result<GpuFacts> OpenGpu() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  const auto start = Find<int (*)(unsigned)>(library, "cuInit");
  const auto version = Find<int (*)(int*)>(library, "cuDriverGetVersion");
  const auto get_device = Find<int (*)(int*, int)>(library, "cuDeviceGet");
  const auto get_name = Find<int (*)(char*, int, int)>(library, "cuDeviceGetName");
  const auto retain = Find<int (*)(void**, int)>(library, "cuDevicePrimaryCtxRetain");
  const auto set_current = Find<int (*)(void*)>(library, "cuCtxSetCurrent");
  if (start == nullptr || version == nullptr || get_device == nullptr || get_name == nullptr ||
      retain == nullptr || set_current == nullptr) {
    return Error{"There is no NVIDIA driver that could be loaded (libcuda.so.1)."};
  }
  const Result<UsedMemory> used = UsedMemory::Open();
  if (!used) return used.error();
  GpuFacts facts;
  std::array<char, 256> name{};
  int device = 0;
  if (start(0) != 0 || version(&facts.cuda_version) != 0 || get_device(&device, 0) != 0 ||
      get_name(name.data(), static_cast<int>(name.size()) - 1, device) != 0) {
    return Error{"The NVIDIA driver finds no GPU. Check that nvidia-smi shows one."};
  }
  facts.name = name.data();
  const int64_t before_bytes = used->Bytes();
  void* context = nullptr;
  if (retain(&context, device) != 0 || set_current(context) != 0) {
    return Error{"No context can be made on the GPU. Check that nothing else keeps it to itself."};
  }
  const int64_t after_bytes = used->Bytes();
  if (before_bytes < 0 || after_bytes <= before_bytes) {
    return Error{
        "The GPU's used memory did not grow by the context, so it cannot be measured. Let nothing else run "
        "on it."};
  }
  facts.context_bytes = after_bytes - before_bytes;
  return facts;
}

}  // namespace tidemark::phantom::calibration
