// The streams that NVIDIA's libraries work on: a handle, or a plan, is told its stream, and what is computed
// with it is submitted there. A handle that was told none works on the default stream. Any thread; to tell
// one takes some 30 ns, to compute one load where nothing is captured.
#pragma once

#include <cstdint>

namespace tidemark::phantom::device {

// Of a handle that is a pointer, as all but plans of cuFFT are.
inline uint64_t NumberOf(const void* handle) { return reinterpret_cast<uint64_t>(handle); }

void WorksOn(uint64_t handle, const void* stream);
void WorksNoMore(uint64_t handle);
const void* StreamOf(uint64_t handle);

// For every function that computes with a handle.
void KernelRanWith(uint64_t handle);

}  // namespace tidemark::phantom::device
