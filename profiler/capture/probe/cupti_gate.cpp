// The gate at CUPTI's subscription (cupti_callbacks.h), which only one tool in a process can have: a program
// that asks for it gets it, as it would without us. torch.profiler asks by the symbol, so that ours is found
// first.
#include <dlfcn.h>

#include <string>

#include "profiler/capture/cupti/driver_source.h"
#include "profiler/capture/cupti/functions.h"

namespace {

using tidemark::capture::cupti::Code;

// The path of the file that holds this code; "" where none does.
std::string FileOf(const void* code) {
  Dl_info place{};
  return dladdr(code, &place) == 0 || place.dli_fname == nullptr ? "" : place.dli_fname;
}

// Of the CUPTI that `file` is linked with, or else of that which the process has; null where there is none.
void* InCupti(const std::string& file, const char* name) {
  // Code of no file may be anybody's; "" would be the program, whose scope has our own gate first.
  void* const caller = file.empty() ? nullptr : dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (void* const function = caller == nullptr ? nullptr : dlsym(caller, name)) return function;
  void* const library = tidemark::capture::cupti::LoadedLibrary();
  return library == nullptr ? nullptr : dlsym(library, name);
}

// The function itself, once CUPTI is free for `caller`; null where this process has none.
template <typename Function>
Function Behind(const char* name, const void* caller) {
  const std::string file = FileOf(caller);
  void* const function = InCupti(file, name);
  if (function != nullptr) tidemark::capture::GiveUpDriver(file.substr(file.rfind('/') + 1));
  return reinterpret_cast<Function>(function);
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
