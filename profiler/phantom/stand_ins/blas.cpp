// cuBLAS: handles that remember their modes. The workspaces that show in a run are LibTorch's own, handed
// over here.
#include <cstdint>

#include "profiler/phantom/device/captures.h"
#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/library_streams.h"
#include "profiler/phantom/device/refusal.h"
#include "profiler/phantom/stand_ins/blas_types.h"

using namespace tidemark::phantom;
using namespace tidemark::phantom::blas;

namespace {

// What a handle takes for itself on Hopper, beside some KiB, as an H200 with cuBLAS 13.1 told it (CUPTI).
constexpr size_t kTakenByHandle = size_t{64} << 20;

// What reduces vectors to one number leaves it on the device, or, as the handle may say, on the host, where
// it would be missed.
Status Reduce(const char* function, const Handle* handle) {
  if (handle->pointer_mode != kPointerModeDevice) device::Refuse(function, {});
  device::KernelRanWith(device::NumberOf(handle));
  return kSuccess;
}

Status Solve(const Handle* handle, int* info) {
  *info = 0;
  device::KernelRanWith(device::NumberOf(handle));
  return kSuccess;
}

template <typename Pointer>
struct Strided {
  Pointer pointer;
  int step;  // elements from one column to the next
};

struct Matrix {
  int rows;
  int columns;
  int element_bytes;
};

Status CopyStrided(Strided<void*> to, Strided<const void*> from, const Matrix& matrix, const void* stream) {
  const auto bytes = static_cast<size_t>(matrix.element_bytes);
  const bool is_captured = device::CaptureOf(stream) != 0;
  for (int column = 0; column < matrix.columns; ++column) {
    auto* target = static_cast<std::byte*>(to.pointer) + column * bytes * static_cast<size_t>(to.step);
    const auto* source =
        static_cast<const std::byte*>(from.pointer) + column * bytes * static_cast<size_t>(from.step);
    const size_t column_bytes = bytes * static_cast<size_t>(matrix.rows);
    if (is_captured) {
      device::NoteCaptured(stream, device::CapturedCopy(target, source, column_bytes));
    } else if (!device::TheDevice()->memory.Copy(target, source, column_bytes)) {
      return kInvalidValue;
    }
  }
  return kSuccess;
}

}  // namespace

#define TIDEMARK_REDUCTION(name) \
  Status name(Handle* handle, ...) { return Reduce(#name " with its result on the host", handle); }

extern "C" {

TIDEMARK_REDUCTION(cublasSdot_v2)
TIDEMARK_REDUCTION(cublasDdot_v2)
TIDEMARK_REDUCTION(cublasCdotu_v2)
TIDEMARK_REDUCTION(cublasCdotc_v2)
TIDEMARK_REDUCTION(cublasZdotu_v2)
TIDEMARK_REDUCTION(cublasZdotc_v2)
TIDEMARK_REDUCTION(cublasSasum_v2)
TIDEMARK_REDUCTION(cublasDasum_v2)
TIDEMARK_REDUCTION(cublasScasum_v2)
TIDEMARK_REDUCTION(cublasDzasum_v2)
TIDEMARK_REDUCTION(cublasSnrm2_v2)
TIDEMARK_REDUCTION(cublasDnrm2_v2)
TIDEMARK_REDUCTION(cublasScnrm2_v2)
TIDEMARK_REDUCTION(cublasDznrm2_v2)
TIDEMARK_REDUCTION(cublasIsamax_v2)
TIDEMARK_REDUCTION(cublasIdamax_v2)
TIDEMARK_REDUCTION(cublasIcamax_v2)
TIDEMARK_REDUCTION(cublasIzamax_v2)
TIDEMARK_REDUCTION(cublasIsamin_v2)
TIDEMARK_REDUCTION(cublasIdamin_v2)
TIDEMARK_REDUCTION(cublasIcamin_v2)
TIDEMARK_REDUCTION(cublasIzamin_v2)
TIDEMARK_REDUCTION(cublasDotEx)

// Whether the arguments were right is said on the host: they are LibTorch's own.
#define TIDEMARK_BATCHED_SOLVER(type)                                                                     \
  Status cublas##type##geqrfBatched(Handle* handle, int, int, void*, int, void*, int* info, int) {        \
    return Solve(handle, info);                                                                           \
  }                                                                                                       \
  Status cublas##type##getrsBatched(Handle* handle, int, int, int, void*, int, const int*, void*, int,    \
                                    int* info, int) {                                                     \
    return Solve(handle, info);                                                                           \
  }                                                                                                       \
  Status cublas##type##gelsBatched(Handle* handle, int, int, int, int, void*, int, void*, int, int* info, \
                                   int*, int) {                                                           \
    return Solve(handle, info);                                                                           \
  }
TIDEMARK_BATCHED_SOLVER(S)
TIDEMARK_BATCHED_SOLVER(D)
TIDEMARK_BATCHED_SOLVER(C)
TIDEMARK_BATCHED_SOLVER(Z)

Status cublasSetVectorAsync(int count, int element_bytes, const void* from, int from_step, void* to,
                            int to_step, void* stream) {
  return CopyStrided({to, to_step}, {from, from_step}, {1, count, element_bytes}, stream);
}
Status cublasGetVectorAsync(int count, int element_bytes, const void* from, int from_step, void* to,
                            int to_step, void* stream) {
  return CopyStrided({to, to_step}, {from, from_step}, {1, count, element_bytes}, stream);
}
Status cublasSetMatrixAsync(int rows, int columns, int element_bytes, const void* from, int from_step,
                            void* to, int to_step, void* stream) {
  return CopyStrided({to, to_step}, {from, from_step}, {rows, columns, element_bytes}, stream);
}
Status cublasGetMatrixAsync(int rows, int columns, int element_bytes, const void* from, int from_step,
                            void* to, int to_step, void* stream) {
  return CopyStrided({to, to_step}, {from, from_step}, {rows, columns, element_bytes}, stream);
}

Status cublasCreate_v2(Handle** handle) {
  if (device::TheDevice() == nullptr) return kNotInitialized;
  device::TheDevice()->memory.HoldForLibrary(kTakenByHandle, device::CurrentDevice());
  *handle = new Handle;
  return kSuccess;
}

Status cublasDestroy_v2(Handle* handle) {
  device::WorksNoMore(device::NumberOf(handle));
  delete handle;
  return kSuccess;
}

Status cublasSetStream_v2(Handle* handle, void* stream) {
  device::WorksOn(device::NumberOf(handle), stream);
  return kSuccess;
}

Status cublasSetMathMode(Handle* handle, int mode) {
  handle->math_mode = mode;
  return kSuccess;
}

// How many multiprocessors its products may use.
Status cublasSetSmCountTarget(Handle*, int) { return kSuccess; }

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
