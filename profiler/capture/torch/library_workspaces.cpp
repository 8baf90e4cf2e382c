#include "profiler/capture/torch/library_workspaces.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "profiler/base/check.h"
#include "profiler/capture/torch/context.h"
#include "profiler/capture/torch/event_stream.h"

namespace tidemark::capture {
namespace {

std::atomic<bool> attached{false};

// cuBLAS's and cuBLASLt's, one each per handle and stream; LibTorch hands them over again for every matrix
// product.
constexpr size_t kRememberedWorkspaces = 64;
std::array<std::atomic<void*>, kRememberedWorkspaces> cublas_workspaces{};

// True the first time that this address is seen.
bool Remember(void* workspace) {
  for (auto& slot : cublas_workspaces) {
    void* known = slot.load(std::memory_order_relaxed);
    if (known == workspace) return false;
    if (known == nullptr && slot.compare_exchange_strong(known, workspace)) return true;
    if (known == workspace) return false;
  }
  return true;
}

void TagWorkspace(void* workspace, size_t bytes, const char* name) {
  events::Event event;
  event.kind = events::EventKind::kCategorize;
  event.category = events::Category::kWorkspace;
  event.address = reinterpret_cast<uint64_t>(workspace);
  event.bytes = static_cast<int64_t>(bytes);
  event.name = Intern(name);
  const Attribution attribution = CurrentAttribution();
  event.layer = attribution.layer;
  event.op = attribution.op;
  event.recompute = current_context.recompute ? 1 : 0;
  Emit(event);
}

void OnCublasWorkspace(void* workspace, size_t bytes, const char* name) {
  if (!attached.load(std::memory_order_relaxed) || workspace == nullptr || !Remember(workspace)) return;
  TagWorkspace(workspace, bytes, name);
}

void OnCudnnWorkspace(void* workspace) {
  if (!attached.load(std::memory_order_relaxed) || workspace == nullptr) return;
  TagWorkspace(workspace, 0, "cuDNN workspace");
}

// The library's own function, behind ours.
template <typename Function>
Function Next(const char* name) {
  void* const next = dlsym(RTLD_NEXT, name);
  TIDEMARK_CHECK(next != nullptr);
  return reinterpret_cast<Function>(next);
}

}  // namespace

void AttachToLibraryWorkspaces() { attached.store(true); }

void ForgetLibraryWorkspaces() {
  for (auto& slot : cublas_workspaces) slot.store(nullptr);
}

}  // namespace tidemark::capture

// From cublas_v2.h, cublasLt.h and cudnn_backend.h, whose packages are not needed to build: the status and
// the enumerations are ints, handles and descriptors pointers.
extern "C" {

__attribute__((visibility("default"))) int cublasSetWorkspace_v2(void* handle, void* workspace,
                                                                 size_t bytes) {
  static const auto next = tidemark::capture::Next<int (*)(void*, void*, size_t)>("cublasSetWorkspace_v2");
  tidemark::capture::OnCublasWorkspace(workspace, bytes, "cuBLAS workspace");
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
  static const auto next = tidemark::capture::Next<Function>("cublasLtMatmul");
  tidemark::capture::OnCublasWorkspace(workspace, bytes, "cuBLASLt workspace");
  return next(handle, operation, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d, d_layout, algorithm,
              workspace, bytes, stream);
}

__attribute__((visibility("default"))) int cudnnBackendSetAttribute(void* descriptor, int attribute, int type,
                                                                    int64_t count, const void* values) {
  constexpr int kVariantPackWorkspace = 1003;  // CUDNN_ATTR_VARIANT_PACK_WORKSPACE
  static const auto next =
      tidemark::capture::Next<int (*)(void*, int, int, int64_t, const void*)>("cudnnBackendSetAttribute");
  if (attribute == kVariantPackWorkspace && count == 1) {
    tidemark::capture::OnCudnnWorkspace(*static_cast<void* const*>(values));
  }
  return next(descriptor, attribute, type, count, values);
}
}
