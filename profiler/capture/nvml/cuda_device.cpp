#include "profiler/capture/nvml/cuda_device.h"

#include <dlfcn.h>

#include <array>

namespace tidemark::capture {

std::string CardUuid(const char* bytes) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text += {kHex[byte >> 4], kHex[byte & 15]};
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

std::string UuidOfCudaDevice(int number) {
  constexpr int kSuccess = 0;  // CUDA_SUCCESS
  using GetDevice = int (*)(int* device, int number);
  using GetUuid = int (*)(char* bytes, int device);
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return "";
  static const auto get_device = reinterpret_cast<GetDevice>(dlsym(driver, "cuDeviceGet"));
  static const auto get_uuid = reinterpret_cast<GetUuid>(dlsym(driver, "cuDeviceGetUuid_v2"));
  if (get_device == nullptr || get_uuid == nullptr) return "";
  int device = 0;
  std::array<char, 16> bytes{};
  if (get_device(&device, number) != kSuccess || get_uuid(bytes.data(), device) != kSuccess) return "";
  return CardUuid(bytes.data());
}

}  // namespace tidemark::capture
