// cuDNN outside of its graph interface: handles, and the descriptors and sizes of batch normalisation.
#include <cstdio>

#include "profiler/phantom/device/device.h"
#include "profiler/phantom/stand_ins/dnn_types.h"
#include "tidemark_library_versions.h"

using namespace tidemark::phantom;
using namespace tidemark::phantom::dnn;

namespace {

// cudnnContext.
struct Handle {
  void* stream = nullptr;
};

// Tensor, filter and activation descriptors: nothing is ever asked of them.
struct PlainDescriptor {};

// Batch normalisation's workspace and reserve. Their real sizes only cuDNN can tell, and only on a GPU: they
// are not included, as those of convolutions.
constexpr size_t kBatchNormalizationBytes = 0;

Status Create(PlainDescriptor** descriptor) {
  *descriptor = new PlainDescriptor;
  return kSuccess;
}

Status Destroy(PlainDescriptor* descriptor) {
  delete descriptor;
  return kSuccess;
}

}  // namespace

extern "C" {

size_t cudnnGetVersion() { return TIDEMARK_CUDNN_VERSION; }

// Of the CUDA 13.0 that this cuDNN was built with.
size_t cudnnGetCudartVersion() { return 13000; }

const char* cudnnGetErrorString(Status status) {
  switch (status) {
    case kSuccess:
      return "CUDNN_STATUS_SUCCESS";
    case kNotInitialized:
      return "CUDNN_STATUS_NOT_INITIALIZED";
    case kBadParameter:
      return "CUDNN_STATUS_BAD_PARAM";
  }
  return "unrecognized cuDNN status";
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
  handle->stream = stream;
  return kSuccess;
}

Status cudnnGetStream(Handle* handle, void** stream) {
  *stream = handle->stream;
  return kSuccess;
}

Status cudnnCreateTensorDescriptor(PlainDescriptor** descriptor) { return Create(descriptor); }
Status cudnnDestroyTensorDescriptor(PlainDescriptor* descriptor) { return Destroy(descriptor); }
Status cudnnCreateFilterDescriptor(PlainDescriptor** descriptor) { return Create(descriptor); }
Status cudnnDestroyFilterDescriptor(PlainDescriptor* descriptor) { return Destroy(descriptor); }
Status cudnnCreateActivationDescriptor(PlainDescriptor** descriptor) { return Create(descriptor); }
Status cudnnDestroyActivationDescriptor(PlainDescriptor* descriptor) { return Destroy(descriptor); }

Status cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(void*, int, int, void*, void*, void*, void*,
                                                                void*, size_t* bytes) {
  *bytes = kBatchNormalizationBytes;
  return kSuccess;
}

Status cudnnGetBatchNormalizationBackwardExWorkspaceSize(void*, int, int, void*, void*, void*, void*, void*,
                                                         void*, void*, size_t* bytes) {
  *bytes = kBatchNormalizationBytes;
  return kSuccess;
}

Status cudnnGetBatchNormalizationTrainingExReserveSpaceSize(void*, int, int, void*, void*, size_t* bytes) {
  *bytes = kBatchNormalizationBytes;
  return kSuccess;
}

}  // extern "C"
