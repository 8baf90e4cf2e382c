// The gates at NVIDIA's libraries. LibTorch hands each workspace to its library by a call
// (cublasSetWorkspace_v2; cublasLtMatmul; cudnnBackendSetAttribute with CUDNN_ATTR_VARIANT_PACK_WORKSPACE),
// and so it does the states of a recurrent layer's dropout (cudnnSetDropoutDescriptor), which it keeps for
// the process's life (get_dropout_state in ATen/native/cudnn/RNN.cpp).
#include <dlfcn.h>

#include "profiler/base/check.h"
#include "profiler/capture/gates/gates.h"

namespace tidemark::capture {
namespace {

// The library's own function, behind ours.
template <typename Function>
Function Next(const char* name) {
  void* const next = dlsym(RTLD_NEXT, name);
  TIDEMARK_CHECK(next != nullptr);
  return reinterpret_cast<Function>(next);
}

}  // namespace
}  // namespace tidemark::capture

using tidemark::capture::Next;
using tidemark::capture::Tell;
using tidemark::capture::TheGates;

// From cublas_v2.h, cublasLt.h and cudnn_backend.h, whose packages are not needed to build: the status and
// the enumerations are ints, handles and descriptors pointers.
// NOLINTBEGIN(readability-identifier-naming): their names
extern "C" {

__attribute__((visibility("default"))) int cublasSetWorkspace_v2(void* handle, void* workspace,
                                                                 size_t bytes) {
  static const auto next = Next<int (*)(void*, void*, size_t)>("cublasSetWorkspace_v2");
  if (workspace != nullptr) Tell(TheGates().kept_workspace, workspace, bytes, "cuBLAS workspace");
  return next(handle, workspace, bytes);
}

__attribute__((visibility("default"))) int cublasLtMatmul(void* handle, void* operation, const void* alpha,
                                                          const void* a, void* a_layout, const void* b,
                                                          void* b_layout, const void* beta, const void* c,
                                                          void* c_layout, void* d, void* d_layout,
                                                          const void* algorithm, void* workspace,
                                                          size_t bytes, void* stream) {
  using Function = int (*)(void*, void*, const void*, const void*, void*, const void*, void*, const void*,
                           const void*, void*, void*, void*, const void*, void*, size_t, void*);
  static const auto next = Next<Function>("cublasLtMatmul");
  if (workspace != nullptr) Tell(TheGates().kept_workspace, workspace, bytes, "cuBLASLt workspace");
  return next(handle, operation, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d, d_layout, algorithm,
              workspace, bytes, stream);
}

__attribute__((visibility("default"))) int cudnnSetDropoutDescriptor(void* descriptor, void* handle,
                                                                     float dropout, void* states,
                                                                     size_t bytes, unsigned long long seed) {
  static const auto next =
      Next<int (*)(void*, void*, float, void*, size_t, unsigned long long)>("cudnnSetDropoutDescriptor");
  if (states != nullptr) Tell(TheGates().kept_workspace, states, bytes, "cuDNN dropout states");
  return next(descriptor, handle, dropout, states, bytes, seed);
}

__attribute__((visibility("default"))) int cudnnBackendSetAttribute(void* descriptor, int attribute, int type,
                                                                    int64_t count, const void* values) {
  constexpr int kVariantPackWorkspace = 1003;  // CUDNN_ATTR_VARIANT_PACK_WORKSPACE
  static const auto next = Next<int (*)(void*, int, int, int64_t, const void*)>("cudnnBackendSetAttribute");
  if (attribute == kVariantPackWorkspace && count == 1) {
    void* const workspace = *static_cast<void* const*>(values);
    if (workspace != nullptr) Tell(TheGates().cudnn_workspace, workspace);
  }
  return next(descriptor, attribute, type, count, values);
}
}
// NOLINTEND(readability-identifier-naming)
