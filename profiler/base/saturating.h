// Sums, differences and products of sizes that may be anything (a recording may claim any), kept within what
// 64 bits hold. Pure functions.
#pragma once

#include <cstdint>
#include <limits>

namespace tidemark {

inline int64_t SaturatingSum(int64_t one, int64_t other) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(one, other, &sum)) return sum;
  return one > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

inline int64_t SaturatingDifference(int64_t from, int64_t taken) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(from, taken, &difference)) return difference;
  return from > taken ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

// Without its sign.
inline int64_t SaturatingMagnitude(int64_t number) {
  return number < 0 ? SaturatingDifference(0, number) : number;
}

inline int64_t SaturatingProduct(int64_t one, int64_t other) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(one, other, &product)) return product;
  return (one > 0) == (other > 0) ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

}  // namespace tidemark
