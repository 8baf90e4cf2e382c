// Processor time of the calling thread, which other programs on the machine disturb least.
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
