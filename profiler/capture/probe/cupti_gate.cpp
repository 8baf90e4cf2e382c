// The gate at CUPTI's subscription (cupti_callbacks.h), which only one tool in a process can have: a program
// that asks for it gets it, as it would without us. torch.profiler asks by the symbol, so that ours is found
// first.
#include <dlfcn.h>

#include <string>
#include <string_view>

#include "profiler/capture/cupti/driver_source.h"
#include "profiler/capture/cupti/functions.h"
#include "profiler/capture/probe/probe.h"

namespace {

using tidemark::capture::cupti::Code;

std::string LibraryOf(const void* code) {
  Dl_info place{};
  if (dladdr(code, &place) == 0 || place.dli_fname == nullptr) return "code";
  const std::string_view path = place.dli_fname;
  return std::string(path.substr(path.rfind('/') + 1));
}

// The function itself, once CUPTI is free for `caller`; null where this process has no CUPTI.
template <typename Function>
Function Behind(const char* name, const void* caller) {
  if (tidemark::capture::ProbeRecords()) tidemark::capture::GiveUpDriver(LibraryOf(caller));
  void* const library = tidemark::capture::cupti::LoadedLibrary();
  return library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): their names
extern "C" {

__attribute__((visibility("default"))) Code cuptiSubscribe(void** subscriber, void* callback, void* argument);
__attribute__((visibility("default"))) Code cuptiSubscribe_v2(void** subscriber, void* callback,
                                                              void* argument, void* parameters);

Code cuptiSubscribe(void** subscriber, void* callback, void* argument) {
  const auto behind = Behind<Code (*)(void**, void*, void*)>("cuptiSubscribe", __builtin_return_address(0));
  return behind == nullptr ? tidemark::capture::cupti::kNotInitialized
                           : behind(subscriber, callback, argument);
}

Code cuptiSubscribe_v2(void** subscriber, void* callback, void* argument, void* parameters) {
  const auto behind =
      Behind<Code (*)(void**, void*, void*, void*)>("cuptiSubscribe_v2", __builtin_return_address(0));
  return behind == nullptr ? tidemark::capture::cupti::kNotInitialized
                           : behind(subscriber, callback, argument, parameters);
}
}
// NOLINTEND(readability-identifier-naming)
