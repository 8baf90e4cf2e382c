#include "profiler/advice/sharding.h"

#include <algorithm>

namespace tidemark::advice {

std::vector<Sharding> Shardings(const textbook::Estimate& estimate, int64_t peak_bytes,
                                int64_t usable_bytes) {
  std::vector<Sharding> shardings;
  int64_t sharded_bytes = 0;
  for (int stage = 1; stage <= 3; ++stage) {
    sharded_bytes += stage == 1   ? estimate.optimizer_bytes
                     : stage == 2 ? estimate.gradients_bytes
                                  : estimate.parameters_bytes;
    for (const int ranks : {2, 4, 8}) {
      const int64_t bytes = peak_bytes - std::min(peak_bytes, sharded_bytes - sharded_bytes / ranks);
      shardings.push_back({stage, ranks, bytes, bytes <= usable_bytes});
    }
  }
  return shardings;
}

}  // namespace tidemark::advice
