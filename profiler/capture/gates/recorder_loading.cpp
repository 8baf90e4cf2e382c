#include "profiler/capture/gates/recorder_loading.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "profiler/capture/gates/library_names.h"
#include "profiler/capture/gates/loaded.h"

namespace tidemark::capture::internal {
namespace {

std::atomic<bool> at_work{false};

std::string RecorderFile() {
  Dl_info own{};
  dladdr(reinterpret_cast<const void*>(&TryLoadRecorder), &own);
  const std::string file = own.dli_fname;
  return file.substr(0, file.rfind('/') + 1) + kRecorderLibrary;
}

RecorderEntry Load() {
  void* const library = dlopen(RecorderFile().c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void* const entry = library == nullptr ? nullptr : dlsym(library, kRecorderEntry);
  if (entry == nullptr) {
    std::fprintf(stderr, "tidemark: memory is not recorded, since the recorder cannot be loaded: %s\n",
                 dlerror());
  }
  return reinterpret_cast<RecorderEntry>(entry);
}

// Whether this need not be tried again.
bool Try() {
  const char* const socket = std::getenv(kSocketVariable);
  if (socket == nullptr || *socket == '\0') return true;
  if (!IsLoaded("libc10_cuda.so")) return false;
  static RecorderEntry const entry = Load();
  return entry == nullptr || entry(socket);
}

}  // namespace

std::atomic<bool> recorder_wanted{true};

void TryLoadRecorder() {
  if (at_work.exchange(true)) return;  // another thread, or this one from in there
  if (Try()) recorder_wanted = false;
  at_work = false;
}

}  // namespace tidemark::capture::internal
