#include "profiler/phantom/device/calling_library.h"

#include <dlfcn.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "profiler/base/thread_annotations.h"

namespace tidemark::phantom::device {
namespace {

// The CUDA libraries themselves, what is between them and CUPTI, and the gates before them.
constexpr std::array<std::string_view, 6> kWithin = {
    "libcuda.so",       "libcudart.so", "libcupti.so", "libtidemark-phantom", "libtidemark-capture-gates",
    "libtidemark-probe"};

bool IsWithin(std::string_view file) {
  const std::string_view name = file.substr(file.rfind('/') + 1);
  return std::ranges::any_of(kWithin, [name](std::string_view begin) { return name.starts_with(begin); });
}

_Unwind_Reason_Code LookAt(_Unwind_Context* frame, void* found) {
  Dl_info library{};
  const auto* const place = reinterpret_cast<const void*>(_Unwind_GetIP(frame) - 1);  // of the call
  if (dladdr(place, &library) == 0 || library.dli_fname == nullptr) return _URC_END_OF_STACK;
  if (IsWithin(library.dli_fname)) return _URC_NO_REASON;
  *static_cast<const char**>(found) = library.dli_fname;
  return _URC_END_OF_STACK;
}

}  // namespace

const char* CallingLibrary() {
  const char* file = nullptr;
  _Unwind_Backtrace(LookAt, &file);
  if (file == nullptr) return nullptr;
  static Mutex mutex;
  static auto* const files = new std::set<std::string>;  // a library may be unloaded
  const MutexLock lock(mutex);
  return files->emplace(file).first->c_str();
}

}  // namespace tidemark::phantom::device
