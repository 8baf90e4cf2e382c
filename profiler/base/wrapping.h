// Sums of sizes that may be anything (a stream may claim any), which wrap: what is taken away again leaves
// what was there before. Pure functions.
#pragma once

#include <cstdint>

namespace tidemark {

inline void AddTo(int64_t& sum, int64_t bytes) {
  sum = static_cast<int64_t>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(bytes));
}
inline void SubtractFrom(int64_t& sum, int64_t bytes) {
  sum = static_cast<int64_t>(static_cast<uint64_t>(sum) - static_cast<uint64_t>(bytes));
}

}  // namespace tidemark
