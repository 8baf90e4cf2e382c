// cuBLAS: handles that remember their modes. The workspaces that show in a run are LibTorch's own, handed
// over here.
#include <cstdint>

#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/refusal.h"
#include "profiler/phantom/stand_ins/blas_types.h"

using namespace tidemark::phantom;
using namespace tidemark::phantom::blas;

namespace {

// A product of two vectors is one number: on the device, or, as the handle may say, on the host, where it
// would be missed.
Status Dot(const char* function, const Handle* handle) {
  if (handle->pointer_mode != kPointerModeDevice) device::Refuse(function, {});
  device::KernelRan();
  return kSuccess;
}

}  // namespace

extern "C" {

Status cublasSdot_v2(Handle* handle, ...) { return Dot("cublasSdot_v2 with its result on the host", handle); }
Status cublasDdot_v2(Handle* handle, ...) { return Dot("cublasDdot_v2 with its result on the host", handle); }
Status cublasCdotu_v2(Handle* handle, ...) {
  return Dot("cublasCdotu_v2 with its result on the host", handle);
}
Status cublasCdotc_v2(Handle* handle, ...) {
  return Dot("cublasCdotc_v2 with its result on the host", handle);
}
Status cublasZdotu_v2(Handle* handle, ...) {
  return Dot("cublasZdotu_v2 with its result on the host", handle);
}
Status cublasZdotc_v2(Handle* handle, ...) {
  return Dot("cublasZdotc_v2 with its result on the host", handle);
}
Status cublasDotEx(Handle* handle, ...) { return Dot("cublasDotEx with its result on the host", handle); }

Status cublasCreate_v2(Handle** handle) {
  if (device::TheDevice() == nullptr) return kNotInitialized;
  *handle = new Handle;
  return kSuccess;
}

Status cublasDestroy_v2(Handle* handle) {
  delete handle;
  return kSuccess;
}

Status cublasSetMathMode(Handle* handle, int mode) {
  handle->math_mode = mode;
  return kSuccess;
}

Status cublasGetMathMode(Handle* handle, int* mode) {
  *mode = handle->math_mode;
  return kSuccess;
}

Status cublasSetPointerMode_v2(Handle* handle, int mode) {
  handle->pointer_mode = mode;
  return kSuccess;
}

Status cublasGetPointerMode_v2(Handle* handle, int* mode) {
  *mode = handle->pointer_mode;
  return kSuccess;
}

}  // extern "C"
