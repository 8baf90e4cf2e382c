// The few types of cuBLAS and cuBLASLt that the stand-ins need; their headers are not among what the build
// fetches. Values as in the cuBLAS documentation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tidemark::phantom::blas {

enum Status : int { kSuccess = 0, kNotInitialized = 1, kInvalidValue = 7 };

enum PointerMode : int { kPointerModeHost = 0, kPointerModeDevice = 1 };

// cublasContext.
struct Handle {
  int math_mode = 0;  // CUBLAS_DEFAULT_MATH
  int pointer_mode = kPointerModeHost;
};

// cublasLtContext, and the descriptors of a multiplication: nothing of them decides memory.
struct LtObject {};

// cublasLtMatmulHeuristicResult_t.
struct LtHeuristicResult {
  uint64_t algorithm[8];
  size_t workspace_bytes;
  Status status;
  float waves;
  int reserved[4];
};
static_assert(sizeof(LtHeuristicResult) == 96);

}  // namespace tidemark::phantom::blas
