#include "profiler/capture/nvml/cuda_device.h"

#include <dlfcn.h>

#include <array>

namespace tidemark::capture {
namespace {

constexpr int kSuccess = 0;  // CUDA_SUCCESS
using GetDevice = int (*)(int* device, int number);

template <typename Function>
Function InDriver(const char* name) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(driver, name));
}

}  // namespace

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
  static const auto get_device = InDriver<GetDevice>("cuDeviceGet");
  static const auto get_uuid = InDriver<int (*)(char* bytes, int device)>("cuDeviceGetUuid_v2");
  if (get_device == nullptr || get_uuid == nullptr) return "";
  int device = 0;
  std::array<char, 16> bytes{};
  if (get_device(&device, number) != kSuccess || get_uuid(bytes.data(), device) != kSuccess) return "";
  return CardUuid(bytes.data());
}

std::string NameOfCudaDevice(int number) {
  static const auto get_device = InDriver<GetDevice>("cuDeviceGet");
  static const auto get_name = InDriver<int (*)(char* name, int bytes, int device)>("cuDeviceGetName");
  if (get_device == nullptr || get_name == nullptr) return "";
  int device = 0;
  std::array<char, 256> name{};
  constexpr auto kRoom = static_cast<int>(name.size() - 1);
  if (get_device(&device, number) != kSuccess || get_name(name.data(), kRoom, device) != kSuccess) return "";
  return name.data();
}

}  // namespace tidemark::capture
