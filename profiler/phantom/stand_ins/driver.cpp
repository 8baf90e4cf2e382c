// The CUDA driver, as far as LibTorch asks it directly.
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/refusal.h"
#include "profiler/phantom/device/visible_devices.h"
#include "profiler/phantom/stand_ins/device_attributes.h"
#include "profiler/phantom/stand_ins/driver_functions.h"
#include "profiler/phantom/stand_ins/error_texts.h"
#include "tidemark_library_versions.h"

using namespace tidemark::phantom;
using device::Device;
using device::TheDevice;

// The driver declares it and leaves what it is to itself.
struct CUctx_st {
  int number = 0;  // of its device
};

namespace {

// No thread has a context of its own: the primary one of its device is current, as after any call of the
// runtime. Never destroyed: libraries ask while the process exits.
CUcontext ContextOf(int number) {
  static auto& contexts = *[] {
    auto* const all = new std::vector<CUctx_st>;
    for (int next = 0; next < device::DeviceCount(); ++next) all->push_back({next});
    return all;
  }();
  return &contexts.at(static_cast<size_t>(number));
}

CUresult CheckDevice(CUdevice number) {
  if (TheDevice() == nullptr) return CUDA_ERROR_NO_DEVICE;
  return number >= 0 && number < device::DeviceCount() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

const ErrorText* Find(CUresult error) {
  const ErrorText* entry = ErrorTextOf(error);
  return entry == nullptr || entry->driver_name == nullptr ? nullptr : entry;
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned int) { return CheckDevice(0); }

CUresult cuDriverGetVersion(int* version) {
  *version = TIDEMARK_CUDA_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  *count = device::DeviceCount();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int number) {
  *device = number;
  return CheckDevice(number);
}

CUresult cuDeviceGetName(char* name, int bytes, CUdevice number) {
  const CUresult error = CheckDevice(number);
  if (error == CUDA_SUCCESS) {
    std::snprintf(name, static_cast<size_t>(bytes), "%s", TheDevice()->card.title.c_str());
  }
  return error;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice number) {
  const CUresult error = CheckDevice(number);
  if (error != CUDA_SUCCESS) return error;
  const std::optional<int> known = AttributeOf(TheDevice()->card, attribute, device::MachineNumberOf(number));
  if (!known) device::Refuse("cuDeviceGetAttribute", {static_cast<uint64_t>(attribute)});
  *value = *known;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice number) {
  const CUresult error = CheckDevice(number);
  if (error != CUDA_SUCCESS) return error;
  const auto bytes = device::UuidOf(TheDevice()->card, device::MachineNumberOf(number));
  std::memcpy(uuid->bytes, bytes.data(), sizeof uuid->bytes);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice number, unsigned int* flags, int* active) {
  *flags = 0;
  *active = 0;
  const CUresult error = CheckDevice(number);
  if (error == CUDA_SUCCESS) *active = device::HasContext(number) ? 1 : 0;
  return error;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice number) {
  const CUresult error = CheckDevice(number);
  if (error != CUDA_SUCCESS) return error;
  device::ContextBegins(number);
  *context = ContextOf(number);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = TheDevice() == nullptr ? nullptr : ContextOf(device::CurrentDevice());
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  if (TheDevice() == nullptr) return CheckDevice(0);
  if (context != nullptr) device::SetCurrentDevice(context->number);
  return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 12000
// As a library asks that has a CUDA runtime of its own (nvJPEG).
CUresult cuGetProcAddress_v2(const char* name, void** function, int, cuuint64_t,
                             CUdriverProcAddressQueryResult* result) {
  *function = NewestDriverFunction(name);
  const bool is_found = *function != nullptr;
  if (result != nullptr)
    *result = is_found ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return is_found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
#endif

#if CUDA_VERSION >= 12090
// There is nothing to log.
CUresult cuLogsRegisterCallback(CUlogsCallback, void* user_data, CUlogsCallbackHandle* registered) {
  *registered = static_cast<CUlogsCallbackHandle>(user_data);
  return CUDA_SUCCESS;
}

CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle) { return CUDA_SUCCESS; }
#endif

CUresult cuGetErrorName(CUresult error, const char** name) {
  const ErrorText* entry = Find(error);
  *name = entry == nullptr ? nullptr : entry->driver_name;
  return entry == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  const ErrorText* entry = Find(error);
  *text = entry == nullptr ? nullptr : entry->text;
  return entry == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

}  // extern "C"
