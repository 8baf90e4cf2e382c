// The function behind a gate.
#pragma once

#include <dlfcn.h>

namespace tidemark::capture {

// The next gate of that name, of another library that was loaded before the program; else LibTorch's own,
// whose libraries are not in the scope that RTLD_NEXT looks through. Null where neither is.
template <typename Function>
Function Behind(const char* library, const char* name) {
  if (void* const next = dlsym(RTLD_NEXT, name)) return reinterpret_cast<Function>(next);
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  return handle == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(handle, name));
}

}  // namespace tidemark::capture
