// CLOCK_REALTIME in nanoseconds, at the price of reading the processor's time stamp counter: each thread asks
// the kernel's clock once a millisecond and counts ticks in between, by a rate measured since the first call.
// Clocks of different threads agree within 5 microseconds. Where there is no such counter every call asks the
// kernel's clock.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace tidemark::capture {

namespace detail {

// With the thread's number, which each event has beside its time.
struct TickedClock {
  uint64_t base_ticks = 0;
  uint64_t valid_ticks = 0;  // how long the base holds; 0 = not yet
  int64_t base_ns = 0;
  uint64_t ns_per_tick_32 = 0;  // times 2^32
  uint32_t thread = 0;          // 0 = not asked for yet
};
inline constinit thread_local TickedClock ticked_clock{};
int64_t AskKernelClock(uint64_t ticks);

}  // namespace detail

namespace detail {

// 0 where there is no such counter.
inline uint64_t Ticks() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return 0;
#endif
}

}  // namespace detail

inline int64_t NowNs() {
  const uint64_t ticks = detail::Ticks();
  const detail::TickedClock& clock = detail::ticked_clock;
  const uint64_t passed = ticks - clock.base_ticks;
  if (passed < clock.valid_ticks) {
    return clock.base_ns + static_cast<int64_t>((passed * clock.ns_per_tick_32) >> 32);
  }
  return detail::AskKernelClock(ticks);
}

}  // namespace tidemark::capture
