// What makes a function a gate: the name that it has for others; and the function behind it.
#pragma once

#include <dlfcn.h>

#include <atomic>

// Behind a declaration. What leaves the library is in its exports.map, too.
#define TIDEMARK_GATE(mangled) __asm__(mangled) __attribute__((visibility("default")))

namespace tidemark::capture {

// As a library that is loaded finds it, in itself and what it needs; it stays loaded no longer for having
// been looked at. Null where it finds none, and where no such library is loaded.
inline void* FunctionIn(const char* library, const char* name) {
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* const function = dlsym(handle, name);
  dlclose(handle);
  return function;
}

// The path of the library that holds this code; null where none does.
inline const char* LibraryOf(const void* code) {
  Dl_info place{};
  return dladdr(code, &place) == 0 ? nullptr : place.dli_fname;
}

// The next gate of that name, of another library that was loaded before the program; else LibTorch's own,
// whose libraries are not in the scope that RTLD_NEXT looks through; `library` is null for a gate of ours
// alone. Null where neither is.
template <typename Function>
Function Behind(const char* library, const char* name) {
  if (void* const next = dlsym(RTLD_NEXT, name)) return reinterpret_cast<Function>(next);
  return library == nullptr ? nullptr : reinterpret_cast<Function>(FunctionIn(library, name));
}

// The same, looked up once: for what is called while a library is being loaded, too. That thread holds the
// loader's lock, for which another one waits in here; so nobody may wait for that one, as at a function's
// static. Where several come at once each looks.
template <typename Function>
class FunctionBehind {
 public:
  Function Get(const char* library, const char* name) {
    if (!looked_.load(std::memory_order_acquire)) {
      function_.store(Behind<Function>(library, name), std::memory_order_relaxed);
      looked_.store(true, std::memory_order_release);
    }
    return function_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<Function> function_{nullptr};
  std::atomic<bool> looked_{false};
};

}  // namespace tidemark::capture
