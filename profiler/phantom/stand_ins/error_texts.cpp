#include "profiler/phantom/stand_ins/error_texts.h"

#include <cuda.h>
#include <driver_types.h>

namespace tidemark::phantom {
namespace {

// A driver's name beside a runtime's error; that both have one number is checked.
#define TIDEMARK_ERROR(driver, runtime, text) \
  { Alike<int{driver}, int{runtime}>(), #driver, #runtime, text }

template <int kDriver, int kRuntime>
consteval int Alike() {
  static_assert(kDriver == kRuntime);
  return kRuntime;
}

constexpr ErrorText kErrors[] = {
    TIDEMARK_ERROR(CUDA_SUCCESS, cudaSuccess, "no error"),
    TIDEMARK_ERROR(CUDA_ERROR_INVALID_VALUE, cudaErrorInvalidValue, "invalid argument"),
    TIDEMARK_ERROR(CUDA_ERROR_OUT_OF_MEMORY, cudaErrorMemoryAllocation, "out of memory"),
    {cudaErrorInvalidConfiguration, nullptr, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorMissingConfiguration, nullptr, "cudaErrorMissingConfiguration",
     "__global__ function call is not configured"},
    TIDEMARK_ERROR(CUDA_ERROR_NO_DEVICE, cudaErrorNoDevice, "no CUDA-capable device is detected"),
    TIDEMARK_ERROR(CUDA_ERROR_INVALID_DEVICE, cudaErrorInvalidDevice, "invalid device ordinal"),
    TIDEMARK_ERROR(CUDA_ERROR_INVALID_CONTEXT, cudaErrorDeviceUninitialized, "invalid device context"),
    TIDEMARK_ERROR(CUDA_ERROR_MAP_FAILED, cudaErrorMapBufferObjectFailed, "mapping of buffer object failed"),
    TIDEMARK_ERROR(CUDA_ERROR_FILE_NOT_FOUND, cudaErrorFileNotFound, "file not found"),
    TIDEMARK_ERROR(CUDA_ERROR_OPERATING_SYSTEM, cudaErrorOperatingSystem,
                   "OS call failed or operation not supported on this OS"),
    TIDEMARK_ERROR(CUDA_ERROR_INVALID_HANDLE, cudaErrorInvalidResourceHandle, "invalid resource handle"),
    TIDEMARK_ERROR(CUDA_ERROR_ILLEGAL_STATE, cudaErrorIllegalState,
                   "the operation cannot be performed in the present state"),
    TIDEMARK_ERROR(CUDA_ERROR_NOT_FOUND, cudaErrorSymbolNotFound, "named symbol not found"),
    TIDEMARK_ERROR(CUDA_ERROR_NOT_READY, cudaErrorNotReady, "device not ready"),
    TIDEMARK_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, cudaErrorIllegalAddress,
                   "an illegal memory access was encountered"),
    TIDEMARK_ERROR(CUDA_ERROR_ASSERT, cudaErrorAssert, "device-side assert triggered"),
    TIDEMARK_ERROR(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, cudaErrorPeerAccessUnsupported,
                   "peer access is not supported between these two devices"),
    TIDEMARK_ERROR(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, cudaErrorPeerAccessAlreadyEnabled,
                   "peer access is already enabled"),
    TIDEMARK_ERROR(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cudaErrorPeerAccessNotEnabled,
                   "peer access has not been enabled"),
    TIDEMARK_ERROR(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cudaErrorHostMemoryAlreadyRegistered,
                   "part or all of the requested memory range is already mapped"),
    TIDEMARK_ERROR(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cudaErrorHostMemoryNotRegistered,
                   "pointer does not correspond to a registered memory region"),
    TIDEMARK_ERROR(CUDA_ERROR_LAUNCH_FAILED, cudaErrorLaunchFailure, "unspecified launch failure"),
    TIDEMARK_ERROR(CUDA_ERROR_NOT_SUPPORTED, cudaErrorNotSupported, "operation not supported"),
    TIDEMARK_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cudaErrorStreamCaptureUnsupported,
                   "operation not permitted when stream is capturing"),
    TIDEMARK_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cudaErrorStreamCaptureUnjoined,
                   "capturing stream has unjoined work"),
    TIDEMARK_ERROR(CUDA_ERROR_CAPTURED_EVENT, cudaErrorCapturedEvent,
                   "operation not permitted on an event last recorded in a capturing stream"),
    TIDEMARK_ERROR(CUDA_ERROR_UNKNOWN, cudaErrorUnknown, "unknown error"),
};
#undef TIDEMARK_ERROR

}  // namespace

const ErrorText* ErrorTextOf(int error) {
  for (const ErrorText& entry : kErrors) {
    if (entry.error == error) return &entry;
  }
  return nullptr;
}

}  // namespace tidemark::phantom
