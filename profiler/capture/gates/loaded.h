// Whether this process has loaded a library. Any thread; takes the loader's lock.
#pragma once

#include <dlfcn.h>

namespace tidemark::capture {

inline bool IsLoaded(const char* library) {
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return false;
  dlclose(handle);
  return true;
}

}  // namespace tidemark::capture
