// Sizes in whole units, as drivers hand memory out. Pure function.
#pragma once

#include <algorithm>
#include <cstddef>

namespace tidemark::phantom::device {

// The least multiple of `unit` that holds them; nothing takes a unit, too.
inline size_t RoundUp(size_t bytes, size_t unit) {
  return (std::max<size_t>(bytes, 1) + unit - 1) / unit * unit;
}

}  // namespace tidemark::phantom::device
