// The gates at autograd, autocast, CUDA graphs and DistributedDataParallel. LibTorch's functions are C++, but
// a gate needs none of their types: on x86-64 (System V ABI) a reference, a class that is passed by value and
// a class that is returned are pointers, the last one before all other arguments; constructors return
// nothing. The mangled names hold the whole signature, so a LibTorch in which one differs passes by its gate,
// and what that gate tells stays unknown.
#include "profiler/base/check.h"
#include "profiler/capture/gates/behind.h"
#include "profiler/capture/gates/gates.h"

// LibTorch's exceptions pass through gates, and some gates tell that a call has ended however it did. No
// destructor does that: it would end in _Unwind_Resume, and the probe's is not the one that unwinds the
// program (the probe brings its own libgcc, which then aborts). The gate has a personality routine of its own
// instead (Itanium C++ ABI: Exception Handling, 2.5.2), called by the unwinder as it leaves the gate, which
// tells and lets it go on. 0x1b: relative to the program counter, four bytes with a sign.
#define TIDEMARK_ON_UNWINDING(personality) __asm__ volatile(".cfi_personality 0x1b, " #personality)
#define TIDEMARK_PERSONALITY(personality, gate)                                                   \
  __attribute__((used, visibility("hidden"))) int personality(                                    \
      int /*version*/, int actions, uint64_t /*class*/, void* /*exception*/, void* /*context*/) { \
    constexpr int kCleanupPhase = 2;                                                              \
    constexpr int kContinueUnwind = 8;                                                            \
    if ((actions & kCleanupPhase) != 0) Tell(TheGates().gate);                                    \
    return kContinueUnwind;                                                                       \
  }

#define TIDEMARK_SAVED_VARIABLE "_ZN5torch8autograd13SavedVariableC1ERKN2at6TensorEbb"
#define TIDEMARK_ACCUMULATE_GRAD "_ZN5torch8autograd14AccumulateGradC1EN2at6TensorE"
#define TIDEMARK_ACCUMULATE "_ZN5torch8autograd14AccumulateGrad5applyEOSt6vectorIN2at6TensorESaIS4_EE"
#define TIDEMARK_EXECUTE \
  "_ZN5torch8autograd6Engine7executeERKSt6vectorINS0_4EdgeESaIS3_EERKS2_IN2at6TensorESaIS9_EEbbbS7_"
#define TIDEMARK_CACHED_CAST "_ZN2at8autocast11cached_castEN3c1010ScalarTypeERKNS_6TensorENS1_10DeviceTypeE"
#define TIDEMARK_REPLAY "_ZN2at4cuda9CUDAGraph6replayEv"
#define TIDEMARK_INITIALIZE_BUCKETS "_ZN4c10d7Reducer18initialize_bucketsESt6vectorIS1_ImSaImEESaIS3_EE"

namespace {

using tidemark::capture::Tell;
using tidemark::capture::TheGates;

// LibTorch may be another library than it is in its wheels: then what the caller's own would find.
template <typename Function>
Function BehindCaller(const char* name, const void* caller) noexcept {
  if (const auto usual = tidemark::capture::Behind<Function>("libtorch_cpu.so", name)) return usual;
  const char* const library = tidemark::capture::LibraryOf(caller);
  TIDEMARK_CHECK(library != nullptr);
  void* const function = tidemark::capture::FunctionIn(library, name);
  TIDEMARK_CHECK(function != nullptr);  // nobody could have called it
  return reinterpret_cast<Function>(function);
}

}  // namespace

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
void TidemarkReplay(void* self) TIDEMARK_GATE(TIDEMARK_REPLAY);
void TidemarkInitializeBuckets(void* self, void* indices) TIDEMARK_GATE(TIDEMARK_INITIALIZE_BUCKETS);

TIDEMARK_PERSONALITY(TidemarkBackwardUnwound, backward_ended)
TIDEMARK_PERSONALITY(TidemarkCastUnwound, cast_ended)
TIDEMARK_PERSONALITY(TidemarkBucketsUnwound, buckets_ended)

void TidemarkSavedVariable(void* self, const void* tensor, bool is_output, bool is_inplace_on_view) {
  static const auto real = BehindCaller<void (*)(void*, const void*, bool, bool)>(
      TIDEMARK_SAVED_VARIABLE, __builtin_return_address(0));
  real(self, tensor, is_output, is_inplace_on_view);
  Tell(TheGates().tensor_saved, tensor);
}

void TidemarkAccumulateGrad(void* self, void* tensor) {
  static const auto real =
      BehindCaller<void (*)(void*, void*)>(TIDEMARK_ACCUMULATE_GRAD, __builtin_return_address(0));
  // Before the constructor moves the tensor away.
  Tell(TheGates().accumulator_made, static_cast<const void*>(self), static_cast<const void*>(tensor));
  real(self, tensor);
}

void* TidemarkAccumulate(void* result, void* self, void* gradients) {
  static const auto real =
      BehindCaller<void* (*)(void*, void*, void*)>(TIDEMARK_ACCUMULATE, __builtin_return_address(0));
  Tell(TheGates().gradient_arrives, static_cast<const void*>(gradients));  // it is moved away
  void* const returned = real(result, self, gradients);
  Tell(TheGates().gradient_accumulated, static_cast<const void*>(self));
  return returned;
}

void* TidemarkExecute(void* result, void* self, const void* roots, const void* inputs, bool keep_graph,
                      bool create_graph, bool accumulate_grad, const void* outputs) {
  static const auto real =
      BehindCaller<void* (*)(void*, void*, const void*, const void*, bool, bool, bool, const void*)>(
          TIDEMARK_EXECUTE, __builtin_return_address(0));
  TIDEMARK_ON_UNWINDING(TidemarkBackwardUnwound);
  Tell(TheGates().backward_begins);
  void* const returned =
      real(result, self, roots, inputs, keep_graph, create_graph, accumulate_grad, outputs);
  Tell(TheGates().backward_ended);
  return returned;
}

void* TidemarkCachedCast(void* result, int8_t scalar_type, const void* tensor, int8_t device_type) {
  static const auto real = BehindCaller<void* (*)(void*, int8_t, const void*, int8_t)>(
      TIDEMARK_CACHED_CAST, __builtin_return_address(0));
  TIDEMARK_ON_UNWINDING(TidemarkCastUnwound);
  Tell(TheGates().cast_begins, tensor, scalar_type);
  void* const returned = real(result, scalar_type, tensor, device_type);
  Tell(TheGates().cast_ended);
  return returned;
}

void TidemarkReplay(void* self) {
  static const auto real = BehindCaller<void (*)(void*)>(TIDEMARK_REPLAY, __builtin_return_address(0));
  real(self);
  Tell(TheGates().graph_replayed, static_cast<const void*>(self));
}

void TidemarkInitializeBuckets(void* self, void* indices) {
  static const auto real =
      BehindCaller<void (*)(void*, void*)>(TIDEMARK_INITIALIZE_BUCKETS, __builtin_return_address(0));
  TIDEMARK_ON_UNWINDING(TidemarkBucketsUnwound);
  Tell(TheGates().buckets_begin);
  real(self, indices);
  Tell(TheGates().buckets_ended);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
