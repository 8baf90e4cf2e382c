#include "profiler/advice/sharding.h"

#include <algorithm>

#include "profiler/textbook/data_parallel.h"

namespace tidemark::advice {

std::vector<Sharding> Shardings(const textbook::Estimate& present, const textbook::Estimate& alone,
                                int64_t peak_bytes, int64_t usable_bytes) {
  std::vector<Sharding> shardings;
  const int64_t whole = textbook::SharesUnderZero(present, 0, 1).total_bytes();
  for (int stage = 1; stage <= 3; ++stage) {
    for (const int ranks : {2, 4, 8}) {
      const int64_t saved = whole - textbook::SharesUnderZero(alone, stage, ranks).total_bytes();
      const int64_t bytes = peak_bytes - std::min(peak_bytes, saved);
      shardings.push_back({stage, ranks, bytes, bytes <= usable_bytes});
    }
  }
  return shardings;
}

}  // namespace tidemark::advice
