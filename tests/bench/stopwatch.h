// Processor time of the calling thread, which other programs on the machine disturb least; and, for work of
// several threads, the time that passed beside the processor time of all of them.
#pragma once

#include <time.h>

#include <algorithm>

namespace tidemark::bench {

class Stopwatch {
 public:
  double Microseconds() const { return Now() - start_; }

 private:
  static double Now() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
  }
  double start_ = Now();
};

class ProcessStopwatch {
 public:
  struct Times {
    double wall = 0;
    double processors = 0;
  };
  Times Microseconds() const {
    return {Now(CLOCK_MONOTONIC) - start_.wall, Now(CLOCK_PROCESS_CPUTIME_ID) - start_.processors};
  }

 private:
  static double Now(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
  }
  Times start_{Now(CLOCK_MONOTONIC), Now(CLOCK_PROCESS_CPUTIME_ID)};
};

// The best of several rounds.
template <typename Function>
double BestMicroseconds(int rounds, Function function) {
  double best = 1e18;
  for (int round = 0; round < rounds; ++round) {
    const Stopwatch watch;
    function();
    best = std::min(best, watch.Microseconds());
  }
  return best;
}

}  // namespace tidemark::bench
