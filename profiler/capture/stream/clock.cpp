#include "profiler/capture/stream/clock.h"

#include <time.h>

namespace tidemark::capture::detail {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr int64_t kNsToMeasure = 10'000'000;  // before the rate is trusted
constexpr int64_t kNsToTrust = 1'000'000;     // how long a thread counts by itself
constexpr double kNsToAsk = 5'000;            // both of the kernel's clocks, at the most

struct Moment {
  uint64_t ticks = 0;
  int64_t monotonic_ns = 0;
};

int64_t KernelNs(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

}  // namespace

int64_t AskKernelClock(uint64_t ticks) {
  const int64_t now_ns = KernelNs(CLOCK_REALTIME);
  if (ticks == 0) return now_ns;
  // The rate is measured by a clock that nobody sets.
  const int64_t monotonic_ns = KernelNs(CLOCK_MONOTONIC);
  static const Moment first{ticks, monotonic_ns};
  const int64_t measured_ns = monotonic_ns - first.monotonic_ns;
  if (measured_ns < kNsToMeasure || ticks <= first.ticks) return now_ns;
  const double ns_per_tick = static_cast<double>(measured_ns) / static_cast<double>(ticks - first.ticks);
  // Where the thread was interrupted in between, its ticks are of another moment than its time.
  if (static_cast<double>(Ticks() - ticks) * ns_per_tick > kNsToAsk) return now_ns;
  ticked_clock.base_ticks = ticks;
  ticked_clock.base_ns = now_ns;
  ticked_clock.ns_per_tick_32 = static_cast<uint64_t>(ns_per_tick * 4294967296.0);
  ticked_clock.valid_ticks = static_cast<uint64_t>(static_cast<double>(kNsToTrust) / ns_per_tick);
  return now_ns;
}

}  // namespace tidemark::capture::detail
