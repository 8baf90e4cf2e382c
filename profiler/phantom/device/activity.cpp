#include "profiler/phantom/device/activity.h"

#include <algorithm>
#include <vector>

#include "profiler/base/clock.h"
#include "profiler/base/thread_annotations.h"

namespace tidemark::phantom::device {
namespace internal {

std::atomic<ActivityListener*> listener{nullptr};

namespace {
std::atomic<uint32_t> calls{0};
thread_local uint32_t current_correlation = 0;
}  // namespace

Call BeginCall(const Function& function, const void* parameters, const char* symbol) {
  Call call;
  call.function = function;
  call.parameters = parameters;
  call.symbol = symbol;
  call.correlation = calls.fetch_add(1, std::memory_order_relaxed) + 1;
  call.begin_ns = RealtimeNs();
  current_correlation = call.correlation;
  return call;
}

void EndCall(ActivityListener& to, Call& call) {
  to.OnEnd(call);
  current_correlation = 0;
}

uint32_t CurrentCorrelation() { return current_correlation; }

}  // namespace internal

namespace {

struct Kernels {
  Mutex mutex;
  std::vector<std::pair<const void*, const char*>> names TIDEMARK_GUARDED_BY(mutex);
  bool sorted TIDEMARK_GUARDED_BY(mutex) = false;
};

// Never destroyed: libraries unregister and launch while the process exits.
Kernels& TheKernels() {
  static Kernels* const kernels = new Kernels;
  return *kernels;
}

}  // namespace

void Listen(ActivityListener* listener) { internal::listener.store(listener, std::memory_order_release); }

void RegisterKernel(const void* stub, const char* name) {
  Kernels& kernels = TheKernels();
  const MutexLock lock(kernels.mutex);
  kernels.names.emplace_back(stub, name);
  kernels.sorted = false;
}

const char* KernelName(const void* stub) {
  Kernels& kernels = TheKernels();
  const MutexLock lock(kernels.mutex);
  if (!kernels.sorted) std::sort(kernels.names.begin(), kernels.names.end());
  kernels.sorted = true;
  const auto found = std::lower_bound(kernels.names.begin(), kernels.names.end(), stub,
                                      [](const auto& kernel, const void* key) { return kernel.first < key; });
  return found != kernels.names.end() && found->first == stub ? found->second : nullptr;
}

}  // namespace tidemark::phantom::device
