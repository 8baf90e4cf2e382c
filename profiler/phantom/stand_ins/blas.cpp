// cuBLAS: handles that remember their modes. The workspaces that show in a run are LibTorch's own, handed over here.
#include <cstdint>

#include "profiler/phantom/device/device.h"
#include "profiler/phantom/stand_ins/blas_types.h"

using namespace tidemark::phantom;
using namespace tidemark::phantom::blas;

extern "C" {

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
