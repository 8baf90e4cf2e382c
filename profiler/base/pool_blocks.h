// What a block of the driver's stream-ordered memory pools (cudaMallocAsync) takes. Pure function.
#pragma once

#include <cstdint>

namespace tidemark {

// Blocks begin at multiples of this: by their addresses on an H200 with driver 580
// (tests/gpu/fixtures/h200/cupti.buffers); cudaMalloc promises 256.
inline constexpr int64_t kPoolBlockUnitBytes = 512;

// As for as many bytes as were asked for.
constexpr int64_t PoolBlockBytes(int64_t bytes) {
  return (bytes + kPoolBlockUnitBytes - 1) / kPoolBlockUnitBytes * kPoolBlockUnitBytes;
}

}  // namespace tidemark
