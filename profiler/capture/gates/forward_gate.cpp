// torch/csrc/autograd/saved_variable.h; see torch_gates.cpp for how a C++ function is passed on.
#include "profiler/capture/gates/forward_gate.h"

#include <dlfcn.h>

#include "profiler/base/check.h"
#include "profiler/capture/gates/behind.h"

#define TIDEMARK_SAVED_VARIABLE "_ZN5torch8autograd13SavedVariableC1ERKN2at6TensorEbb"

namespace {

using SavedVariable = void (*)(void* self, const void* tensor, bool is_output, bool is_inplace_on_view);

// LibTorch may be another library than it is in its wheels: what the caller's own would find.
SavedVariable BehindCaller(const void* caller) {
  if (const auto usual =
          tidemark::capture::Behind<SavedVariable>("libtorch_cpu.so", TIDEMARK_SAVED_VARIABLE)) {
    return usual;
  }
  Dl_info place{};
  TIDEMARK_CHECK(dladdr(caller, &place) != 0);
  void* const library = dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  TIDEMARK_CHECK(library != nullptr);
  void* const function = dlsym(library, TIDEMARK_SAVED_VARIABLE);
  TIDEMARK_CHECK(function != nullptr);  // nobody could have called it
  return reinterpret_cast<SavedVariable>(function);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): their name
extern "C" void TidemarkForwardRecorded(void* self, const void* tensor, bool is_output,
                                        bool is_inplace_on_view) __asm__(TIDEMARK_SAVED_VARIABLE)
    __attribute__((visibility("default")));

void TidemarkForwardRecorded(void* self, const void* tensor, bool is_output, bool is_inplace_on_view) {
  static const SavedVariable behind = BehindCaller(__builtin_return_address(0));
  tidemark::capture::OnForwardRecorded();
  behind(self, tensor, is_output, is_inplace_on_view);
}
// NOLINTEND(readability-identifier-naming)
