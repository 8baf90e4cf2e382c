// How much is computed of tensors of more than kMostNumbers (known_memory.h): as long as now and then a size
// is asked that they decide, as in the network of a graph. Of a program in which none is (masks of attention,
// labels, tokens) it ends for good soon, and all goes on as fast as if there were none. It is counted in
// numbers, not in time, so that a program has the same figures each time it runs. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace tidemark::phantom {

class LargeEffort {
 public:
  // Whether so many more numbers may be computed; if so, they are counted.
  bool Spend(int64_t numbers) { return left_.fetch_sub(numbers, std::memory_order_relaxed) > 0; }
  // Such a size was asked for.
  void Renew() { left_.store(kAgain, std::memory_order_relaxed); }

 private:
  // Some ten nanoseconds a number, on one thread.
  static constexpr int64_t kAtFirst = int64_t{1} << 27;
  static constexpr int64_t kAgain = int64_t{1} << 28;

  std::atomic<int64_t> left_{kAtFirst};
};

// The process's own.
inline constinit LargeEffort the_large_effort;

}  // namespace tidemark::phantom
