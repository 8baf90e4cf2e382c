// What the generated half of a stand-in is made of. A function is named once; its arguments are whatever the
// caller passes.
#pragma once

#include <cstdint>

#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/device/library_streams.h"
#include "profiler/phantom/device/refusal.h"
#include "profiler/phantom/stand_ins/nvml_results.h"

// Of the kinds of functions.txt. What computes takes a handle or a plan first.
#define TIDEMARK_COMPUTES(name)                       \
  extern "C" int name(uint64_t handle, ...) {         \
    tidemark::phantom::device::KernelRanWith(handle); \
    return 0;                                         \
  }
#define TIDEMARK_SETS(name) \
  extern "C" int name(...) { return 0; }
#define TIDEMARK_UNSUPPORTED(name) \
  extern "C" int name(...) { return tidemark::phantom::nvml::kNotSupported; }
#define TIDEMARK_TELLS_UNSUPPORTED(type, name, result)                                              \
  extern "C" type name(...) {                                                                       \
    tidemark::phantom::device::Doubt("The program called " #name                                    \
                                     ", which is not modelled: it was told that the card does not " \
                                     "support it.");                                                \
    return result;                                                                                  \
  }
#define TIDEMARK_NVML_REFUSES(name) \
  TIDEMARK_TELLS_UNSUPPORTED(int, name, tidemark::phantom::nvml::kNotSupported)
// CUDA_ERROR_NOT_SUPPORTED
#define TIDEMARK_DRIVER_UNSUPPORTED(name) TIDEMARK_TELLS_UNSUPPORTED(int, name, 801)
// CUfileError_t: CU_FILE_PLATFORM_NOT_SUPPORTED, and no error of the driver.
#define TIDEMARK_FILE_UNSUPPORTED(name) TIDEMARK_TELLS_UNSUPPORTED(int64_t, name, 5007)

// The first four integer or pointer arguments, by the calling convention of x86-64 and AArch64.
#define TIDEMARK_REFUSES(name)                                                            \
  extern "C" int name(uint64_t first, uint64_t second, uint64_t third, uint64_t fourth) { \
    tidemark::phantom::device::Refuse(#name, {first, second, third, fourth});             \
  }
