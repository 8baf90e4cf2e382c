// The gates at NVIDIA's libraries. LibTorch hands each workspace to its library by a call
// (cublasSetWorkspace_v2; cublasLtMatmul; cudnnBackendSetAttribute with CUDNN_ATTR_VARIANT_PACK_WORKSPACE; of
// a recurrent layer cudnnRNNForward, cudnnRNNBackwardData_v8 and cudnnRNNBackwardWeights_v8), and so it does
// the states of such a layer's dropout (cudnnSetDropoutDescriptor), which it keeps for the process's life
// (get_dropout_state in ATen/native/cudnn/RNN.cpp).
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

__attribute__((visibility("default"))) int cudnnRNNForward(
    void* handle, void* rnn, int mode, const int* lengths, void* x_data, const void* x, void* y_data, void* y,
    void* h_tensor, const void* hx, void* hy, void* c_tensor, const void* cx, void* cy, size_t weight_bytes,
    const void* weights, size_t workspace_bytes, void* workspace, size_t reserve_bytes, void* reserve) {
  static const auto next = Next<decltype(&cudnnRNNForward)>("cudnnRNNForward");
  if (workspace != nullptr) Tell(TheGates().cudnn_workspace, workspace);
  return next(handle, rnn, mode, lengths, x_data, x, y_data, y, h_tensor, hx, hy, c_tensor, cx, cy,
              weight_bytes, weights, workspace_bytes, workspace, reserve_bytes, reserve);
}

__attribute__((visibility("default"))) int cudnnRNNBackwardData_v8(
    void* handle, void* rnn, const int* lengths, void* y_data, const void* y, const void* dy, void* x_data,
    void* dx, void* h_tensor, const void* hx, const void* dhy, void* dhx, void* c_tensor, const void* cx,
    const void* dcy, void* dcx, size_t weight_bytes, const void* weights, size_t workspace_bytes,
    void* workspace, size_t reserve_bytes, void* reserve) {
  static const auto next = Next<decltype(&cudnnRNNBackwardData_v8)>("cudnnRNNBackwardData_v8");
  if (workspace != nullptr) Tell(TheGates().cudnn_workspace, workspace);
  return next(handle, rnn, lengths, y_data, y, dy, x_data, dx, h_tensor, hx, dhy, dhx, c_tensor, cx, dcy, dcx,
              weight_bytes, weights, workspace_bytes, workspace, reserve_bytes, reserve);
}

__attribute__((visibility("default"))) int cudnnRNNBackwardWeights_v8(
    void* handle, void* rnn, int adds, const int* lengths, void* x_data, const void* x, void* h_tensor,
    const void* hx, void* y_data, const void* y, size_t weight_bytes, void* weight_gradients,
    size_t workspace_bytes, void* workspace, size_t reserve_bytes, void* reserve) {
  static const auto next = Next<decltype(&cudnnRNNBackwardWeights_v8)>("cudnnRNNBackwardWeights_v8");
  if (workspace != nullptr) Tell(TheGates().cudnn_workspace, workspace);
  return next(handle, rnn, adds, lengths, x_data, x, h_tensor, hx, y_data, y, weight_bytes, weight_gradients,
              workspace_bytes, workspace, reserve_bytes, reserve);
}
}
// NOLINTEND(readability-identifier-naming)
