// cuDNN's operations that have nothing but descriptors and a size: the spatial transformer (grid_sample), the
// CTC loss.
#include <cstddef>

#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/stand_ins/dnn_types.h"
#include "tidemark_library_versions.h"

using namespace tidemark::phantom;
using namespace tidemark::phantom::dnn;

namespace {

Status CtcWorkspace(size_t* bytes) {
  device::Doubt("The workspace of cuDNN's CTC loss is not known and not counted.");
  *bytes = 0;
  return kSuccess;
}

}  // namespace

extern "C" {

Status cudnnGetProperty(int property, int* value) {
  constexpr int kMajor = 0;
  constexpr int kMinor = 1;
  constexpr int kPatch = 2;
  if (property == kMajor) {
    *value = TIDEMARK_CUDNN_VERSION / 10000;
  } else if (property == kMinor) {
    *value = TIDEMARK_CUDNN_VERSION / 100 % 100;
  } else if (property == kPatch) {
    *value = TIDEMARK_CUDNN_VERSION % 100;
  } else {
    return kBadParameter;
  }
  return kSuccess;
}

Status cudnnCreateSpatialTransformerDescriptor(PlainDescriptor** descriptor) { return Create(descriptor); }
Status cudnnDestroySpatialTransformerDescriptor(PlainDescriptor* descriptor) { return Destroy(descriptor); }

Status cudnnCreateCTCLossDescriptor(PlainDescriptor** descriptor) { return Create(descriptor); }
Status cudnnDestroyCTCLossDescriptor(PlainDescriptor* descriptor) { return Destroy(descriptor); }

Status cudnnGetCTCLossWorkspaceSize(void*, void*, void*, const int*, const int*, const int*, int,
                                    PlainDescriptor*, size_t* bytes) {
  return CtcWorkspace(bytes);
}

Status cudnnGetCTCLossWorkspaceSize_v8(void*, int, PlainDescriptor*, void*, void*, size_t* bytes) {
  return CtcWorkspace(bytes);
}

}  // extern "C"
