// Which of CUDA's functions change what a process holds of device memory, and what each does to it, as
// CUPTI's callbacks tell of their calls (driver_source.h). Any thread, inside of CUDA's functions: nothing
// here calls CUDA.
#pragma once

#include <cstdint>
#include <span>

#include "profiler/capture/cupti/driver_memory.h"
#include "profiler/capture/cupti/functions.h"
#include "profiler/capture/cupti/library_memory.h"

namespace tidemark::capture::cupti {

struct Held {
  DriverMemory& device;
  DriverMemory& managed;
  LibraryMemory* libraries;  // null where CUPTI does not tell who asks
  // What begins in these bytes is about to be given back.
  void (*leaves)(uint64_t address, uint64_t bytes);
};

// What gives memory is looked at when it has; what takes it back when it begins, for afterwards another
// thread may have been given the same address or handle, and, since it may fail (by an address that is
// none's, or with memory in use), when it has ended.
struct WatchedCall {
  using Seen = void (*)(const Held& held, const CallbackData& data);
  int domain;
  uint32_t function;  // its number in cupti_driver_cbid.h and cupti_runtime_cbid.h
  Seen begins;
  Seen done;
  Seen failed = nullptr;

  Seen At(const CallbackData& data) const {
    if (data.site == kEnter) return begins;
    const bool is_done = data.returned != nullptr && *static_cast<const int*>(data.returned) == 0;
    return is_done ? done : failed;
  }
};

std::span<const WatchedCall> WatchedCalls();

// Before a context goes, and with it what was allocated in it, for which no call that frees is made
// (cudaDeviceReset, cuCtxDestroy, the last cuDevicePrimaryCtxRelease). Mapped pieces and pools are of no
// context. `context`: a CUcontext.
void OnContextGoes(const Held& held, const void* context);

}  // namespace tidemark::capture::cupti
