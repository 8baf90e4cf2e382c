// What the generated half of a stand-in is made of. A function is named once; its arguments are whatever the
// caller passes.
#pragma once

#include <cstdint>

#include "profiler/phantom/device/library_streams.h"
#include "profiler/phantom/device/refusal.h"

// Of the kinds of functions.txt. What computes takes a handle or a plan first.
#define TIDEMARK_COMPUTES(name)                       \
  extern "C" int name(uint64_t handle, ...) {         \
    tidemark::phantom::device::KernelRanWith(handle); \
    return 0;                                         \
  }
#define TIDEMARK_SETS(name) \
  extern "C" int name(...) { return 0; }

// The first four integer or pointer arguments, by the calling convention of x86-64 and AArch64.
#define TIDEMARK_REFUSES(name)                                                            \
  extern "C" int name(uint64_t first, uint64_t second, uint64_t third, uint64_t fourth) { \
    tidemark::phantom::device::Refuse(#name, {first, second, third, fourth});             \
  }
