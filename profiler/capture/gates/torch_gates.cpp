// The gates at LibTorch. Its functions are C++, but a gate needs none of their types: on x86-64 (System V
// ABI) a reference, a class that is passed by value and a class that is returned are pointers, the last one
// before all other arguments; constructors return nothing. The mangled names hold the whole signature, so a
// LibTorch in which one differs passes by its gate, and what that gate tells stays unknown.
#include <dlfcn.h>

#include "profiler/base/check.h"
#include "profiler/capture/gates/allocator_gate.h"
#include "profiler/capture/gates/gates.h"
#include "profiler/capture/gates/phantom_blocks.h"
#include "profiler/capture/gates/recorder_loading.h"

#define TIDEMARK_GATE(mangled) __asm__(mangled) __attribute__((visibility("default")))
#define TIDEMARK_SAVED_VARIABLE "_ZN5torch8autograd13SavedVariableC1ERKN2at6TensorEbb"
#define TIDEMARK_ACCUMULATE_GRAD "_ZN5torch8autograd14AccumulateGradC1EN2at6TensorE"
#define TIDEMARK_ACCUMULATE "_ZN5torch8autograd14AccumulateGrad5applyEOSt6vectorIN2at6TensorESaIS4_EE"
#define TIDEMARK_EXECUTE \
  "_ZN5torch8autograd6Engine7executeERKSt6vectorINS0_4EdgeESaIS3_EERKS2_IN2at6TensorESaIS9_EEbbbS7_"
#define TIDEMARK_CACHED_CAST "_ZN2at8autocast11cached_castEN3c1010ScalarTypeERKNS_6TensorENS1_10DeviceTypeE"
#define TIDEMARK_INITIALIZE_BUCKETS "_ZN4c10d7Reducer18initialize_bucketsESt6vectorIS1_ImSaImEESaIS3_EE"

namespace {

using tidemark::capture::Tell;
using tidemark::capture::TheGates;

// LibTorch's own function: its libraries are not in the scope that RTLD_NEXT looks through.
template <typename Function>
Function Real(const char* library, const char* name) {
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  TIDEMARK_CHECK(handle != nullptr);
  void* const function = dlsym(handle, name);
  TIDEMARK_CHECK(function != nullptr);
  return reinterpret_cast<Function>(function);
}

class Backward {
 public:
  Backward() { Tell(TheGates().backward_begins); }
  ~Backward() { Tell(TheGates().backward_ended); }  // also when it ran out of memory
  Backward(const Backward&) = delete;
  Backward& operator=(const Backward&) = delete;
};

class Cast {
 public:
  Cast(const void* tensor, int8_t scalar_type) { Tell(TheGates().cast_begins, tensor, scalar_type); }
  ~Cast() { Tell(TheGates().cast_ended); }
  Cast(const Cast&) = delete;
  Cast& operator=(const Cast&) = delete;
};

class Buckets {
 public:
  Buckets() { Tell(TheGates().buckets_begin); }
  ~Buckets() { Tell(TheGates().buckets_ended); }
  Buckets(const Buckets&) = delete;
  Buckets& operator=(const Buckets&) = delete;
};

constexpr int kHostToDevice = 1;  // driver_types.h: cudaMemcpyKind

}  // namespace

void tidemark::capture::OnMemoryReported(void* pointer, int64_t change, size_t /*reserved*/,
                                         uint16_t device) {
  if (DeviceTypeOf(device) != kCudaDevice) return;
  if (change > 0) BlockBegins(pointer, static_cast<size_t>(change));
  Tell(TheGates().memory_reported, change);
}

// NOLINTBEGIN(readability-identifier-naming): their names
extern "C" {

void TidemarkSavedVariable(void* self, const void* tensor, bool is_output, bool is_inplace_on_view)
    TIDEMARK_GATE(TIDEMARK_SAVED_VARIABLE);
void TidemarkAccumulateGrad(void* self, void* tensor) TIDEMARK_GATE(TIDEMARK_ACCUMULATE_GRAD);
void* TidemarkAccumulate(void* result, void* self, void* gradients) TIDEMARK_GATE(TIDEMARK_ACCUMULATE);
void* TidemarkExecute(void* result, void* self, const void* roots, const void* inputs, bool keep_graph,
                      bool create_graph, bool accumulate_grad, const void* outputs)
    TIDEMARK_GATE(TIDEMARK_EXECUTE);
void* TidemarkCachedCast(void* result, int8_t scalar_type, const void* tensor, int8_t device_type)
    TIDEMARK_GATE(TIDEMARK_CACHED_CAST);
void TidemarkInitializeBuckets(void* self, void* indices) TIDEMARK_GATE(TIDEMARK_INITIALIZE_BUCKETS);
__attribute__((visibility("default"))) int cudaGetDevice(int* device);
__attribute__((visibility("default"))) int cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind,
                                                           void* stream);

void TidemarkSavedVariable(void* self, const void* tensor, bool is_output, bool is_inplace_on_view) {
  static const auto real =
      Real<void (*)(void*, const void*, bool, bool)>("libtorch_cpu.so", TIDEMARK_SAVED_VARIABLE);
  real(self, tensor, is_output, is_inplace_on_view);
  Tell(TheGates().tensor_saved, tensor);
}

void TidemarkAccumulateGrad(void* self, void* tensor) {
  static const auto real = Real<void (*)(void*, void*)>("libtorch_cpu.so", TIDEMARK_ACCUMULATE_GRAD);
  Tell(TheGates().accumulator_made, static_cast<const void*>(tensor));  // the constructor moves it away
  real(self, tensor);
}

void* TidemarkAccumulate(void* result, void* self, void* gradients) {
  static const auto real = Real<void* (*)(void*, void*, void*)>("libtorch_cpu.so", TIDEMARK_ACCUMULATE);
  void* const returned = real(result, self, gradients);
  Tell(TheGates().gradient_accumulated, static_cast<const void*>(self));
  return returned;
}

void* TidemarkExecute(void* result, void* self, const void* roots, const void* inputs, bool keep_graph,
                      bool create_graph, bool accumulate_grad, const void* outputs) {
  static const auto real =
      Real<void* (*)(void*, void*, const void*, const void*, bool, bool, bool, const void*)>(
          "libtorch_cpu.so", TIDEMARK_EXECUTE);
  const Backward backward;
  return real(result, self, roots, inputs, keep_graph, create_graph, accumulate_grad, outputs);
}

void* TidemarkCachedCast(void* result, int8_t scalar_type, const void* tensor, int8_t device_type) {
  static const auto real =
      Real<void* (*)(void*, int8_t, const void*, int8_t)>("libtorch_cpu.so", TIDEMARK_CACHED_CAST);
  const Cast cast(tensor, scalar_type);
  return real(result, scalar_type, tensor, device_type);
}

void TidemarkInitializeBuckets(void* self, void* indices) {
  static const auto real = Real<void (*)(void*, void*)>("libtorch_cpu.so", TIDEMARK_INITIALIZE_BUCKETS);
  const Buckets buckets;
  real(self, indices);
}

// What LibTorch copies from the CPU, it copies by this.
int cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void* stream) {
  static const auto next =
      reinterpret_cast<int (*)(void*, const void*, size_t, int, void*)>(dlsym(RTLD_NEXT, "cudaMemcpyAsync"));
  if (kind == kHostToDevice) Tell(TheGates().copied_from_host, static_cast<const void*>(to));
  return next(to, from, bytes, kind, stream);
}

// LibTorch's CUDA allocator asks for the device before each allocation, the first included.
int cudaGetDevice(int* device) {
  static const auto next = reinterpret_cast<int (*)(int*)>(dlsym(RTLD_NEXT, "cudaGetDevice"));
  tidemark::capture::LoadRecorder();
  return next(device);
}
}
// NOLINTEND(readability-identifier-naming)
