// cuDNN outside of its graph interface: handles, and the descriptors and sizes of batch normalisation.
#include <cstdint>

#include "profiler/phantom/calibration/operations.h"
#include "profiler/phantom/calibration/rules.h"
#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/library_streams.h"
#include "profiler/phantom/stand_ins/calibrated.h"
#include "profiler/phantom/stand_ins/dnn_types.h"
#include "tidemark_library_versions.h"

using namespace tidemark::phantom;
using namespace tidemark::phantom::dnn;
using calibration::BatchNormSize;

namespace {

// cudnnContext.
struct Handle {};

// Tensor descriptors have a shape; filter and activation descriptors are plain.
using TensorDescriptor = calibration::TensorShape;

// Only cuDNN can tell, and only on a GPU: what was measured on one or follows from that, or 0 with a word
// about it.
Status GiveBatchNorm(BatchNormSize size, int mode, int ops, const TensorDescriptor& input, size_t* bytes) {
  *bytes = CalibratedBytes(
      "cudnn", VersionText(TIDEMARK_CUDNN_VERSION), calibration::TextOf(size, mode, ops, input),
      "the workspaces of cuDNN's batch normalisation", calibration::BatchNormBytes(size, mode, ops, input));
  return kSuccess;
}

}  // namespace

extern "C" {

size_t cudnnGetVersion() { return TIDEMARK_CUDNN_VERSION; }

size_t cudnnGetCudartVersion() { return TIDEMARK_CUDA_VERSION; }

// Statuses are grouped by thousands; the real cuDNN may have given any (dnn_backend.cpp passes them on).
const char* cudnnGetErrorString(Status status) {
  switch (static_cast<int>(status) / 1000) {
    case 0:
      return "CUDNN_STATUS_SUCCESS";
    case 1:
      return "CUDNN_STATUS_NOT_INITIALIZED";
    case 2:
      return "CUDNN_STATUS_BAD_PARAM";
    case 3:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case 4:
      return "CUDNN_STATUS_INTERNAL_ERROR";
    case 5:
      return "CUDNN_STATUS_EXECUTION_FAILED";
    default:
      return "unrecognized cuDNN status";
  }
}

void cudnnGetLastErrorString(char* text, size_t bytes) {
  if (bytes > 0) *text = '\0';
}

Status cudnnCreate(Handle** handle) {
  if (device::TheDevice() == nullptr) return kNotInitialized;
  *handle = new Handle;
  return kSuccess;
}

Status cudnnSetStream(Handle* handle, void* stream) {
  device::WorksOn(device::NumberOf(handle), stream);
  return kSuccess;
}

Status cudnnGetStream(Handle* handle, void** stream) {
  *stream = const_cast<void*>(device::StreamOf(device::NumberOf(handle)));
  return kSuccess;
}

Status cudnnCreateTensorDescriptor(TensorDescriptor** descriptor) { return Create(descriptor); }
Status cudnnDestroyTensorDescriptor(TensorDescriptor* descriptor) { return Destroy(descriptor); }
Status cudnnSetTensorNdDescriptor(TensorDescriptor* descriptor, int element, int dimensions, const int* sizes,
                                  const int* strides) {
  if (dimensions < 0) return kBadParameter;
  *descriptor = {element, {sizes, sizes + dimensions}, {strides, strides + dimensions}};
  return kSuccess;
}
Status cudnnCreateFilterDescriptor(PlainDescriptor** descriptor) { return Create(descriptor); }
Status cudnnDestroyFilterDescriptor(PlainDescriptor* descriptor) { return Destroy(descriptor); }
Status cudnnCreateActivationDescriptor(PlainDescriptor** descriptor) { return Create(descriptor); }
Status cudnnDestroyActivationDescriptor(PlainDescriptor* descriptor) { return Destroy(descriptor); }

Status cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(void*, int mode, int ops, TensorDescriptor* x,
                                                                void*, void*, void*, void*, size_t* bytes) {
  return GiveBatchNorm(BatchNormSize::kForwardWorkspace, mode, ops, *x, bytes);
}

Status cudnnGetBatchNormalizationBackwardExWorkspaceSize(void*, int mode, int ops, TensorDescriptor* x, void*,
                                                         void*, void*, void*, void*, void*, size_t* bytes) {
  return GiveBatchNorm(BatchNormSize::kBackwardWorkspace, mode, ops, *x, bytes);
}

Status cudnnGetBatchNormalizationTrainingExReserveSpaceSize(void*, int mode, int ops, void*,
                                                            TensorDescriptor* x, size_t* bytes) {
  return GiveBatchNorm(BatchNormSize::kReserve, mode, ops, *x, bytes);
}

}  // extern "C"
