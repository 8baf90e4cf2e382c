// The gate at LibTorch's allocators: c10::reportMemoryUsageToProfiler, which CUDA's caching allocator calls,
// under its lock, right after each allocation and free, and the CPU's where profiling is on.
// allocator_gate.cpp defines that function and passes every call on; whoever links it defines what is told
// here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tidemark::capture {

// c10::DeviceType, in the low byte of a c10::Device; its number is in the high one.
inline constexpr uint16_t kCpuDevice = 0;
inline constexpr uint16_t kCudaDevice = 1;
inline constexpr uint16_t DeviceTypeOf(uint16_t device) { return device & 0xff; }
inline constexpr int DeviceNumberOf(uint16_t device) { return device >> 8; }
inline constexpr uint16_t CudaDevice(int number) { return static_cast<uint16_t>(number << 8 | kCudaDevice); }

// By how many bytes the block at `pointer` changed what is allocated; what is reserved on that device now.
void OnMemoryReported(void* pointer, int64_t change_bytes, size_t reserved_bytes, uint16_t device);

}  // namespace tidemark::capture
