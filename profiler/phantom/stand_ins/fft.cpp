// cuFFT: plans, which LibTorch gives their work areas. How large those are only cuFFT knows.
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/device/library_streams.h"

using namespace tidemark::phantom;

namespace {

// From cufft.h, whose package is not needed to build.
using Plan = int;
using Result = int;
constexpr Result kSuccess = 0;
constexpr Result kSetupFailed = 7;

}  // namespace

extern "C" {

Result cufftCreate(Plan* plan) {
  if (device::TheDevice() == nullptr) return kSetupFailed;
  static std::atomic<int> plans{0};
  *plan = ++plans;
  return kSuccess;
}

Result cufftDestroy(Plan plan) {
  device::WorksNoMore(static_cast<uint64_t>(plan));
  return kSuccess;
}

Result cufftSetStream(Plan plan, void* stream) {
  device::WorksOn(static_cast<uint64_t>(plan), stream);
  return kSuccess;
}

// Plans never allocate.
Result cufftSetAutoAllocation(Plan, int) { return kSuccess; }

Result cufftXtMakePlanMany(Plan, int, long long*, long long*, long long, long long, int, long long*,
                           long long, long long, int, long long, size_t* work_bytes, int) {
  device::Doubt("The work areas of cuFFT are not known and not counted.");
  *work_bytes = 0;
  return kSuccess;
}

}  // extern "C"
