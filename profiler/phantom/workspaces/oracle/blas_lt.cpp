// libcublasLt for the process that asks cuDNN without a GPU: since Hopper some of cuDNN's engines multiply by
// cuBLASLt, and are silently missing from its answers where that makes no handle, which the real one does on
// a GPU only. Such an engine is then the first that cuDNN would take for most convolutions of 1×1: without it
// a ResNet-50 on an H100 seemed to take megabytes for hundreds of them that take none.
//
// Every multiplication has algorithms here, and none takes workspace. Of 1,973 first plans with such an
// engine, the real one's asked for some in 338 on an H100 (cuDNN 9.19, cuBLASLt 13.1): in 240 for 400 bytes
// at most, in one for 0.7 MB. Names and numbers as in cublasLt.h.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace {

constexpr int kSuccess = 0;
constexpr int kInvalidValue = 7;
constexpr int kNotSupported = 15;

// cublasLtMatmulHeuristicResult_t: the same in CUDA 12 and 13.
struct HeuristicResult {
  std::array<uint64_t, 8> algorithm;
  size_t workspace_bytes;
  int state;
  float waves;
  std::array<int, 4> reserved;
};
static_assert(sizeof(HeuristicResult) == 96);

// A descriptor, of which nothing is asked. cuDNN gives the memory of some itself (their _Init functions).
struct Object {};

int Create(Object** object) {
  *object = new Object;
  return kSuccess;
}

int Destroy(const Object* object) {
  delete object;
  return kSuccess;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): cuBLASLt's names
#define TIDEMARK_LT extern "C" __attribute__((visibility("default")))

// What a kind of descriptor is told, nobody reads: cuDNN drops an engine when a name is missing, so that it
// is there.
#define TIDEMARK_LT_DESCRIPTOR(Kind)                                                        \
  TIDEMARK_LT int cublasLt##Kind##Destroy(const Object* object) { return Destroy(object); } \
  TIDEMARK_LT int cublasLt##Kind##SetAttribute(...) { return kSuccess; }                    \
  TIDEMARK_LT int cublasLt##Kind##GetAttribute(...) { return kNotSupported; }

TIDEMARK_LT int cublasLtCreate(void** handle) {
  static int one = 0;  // nothing hangs on it
  *handle = &one;
  return kSuccess;
}
TIDEMARK_LT int cublasLtDestroy(void*) { return kSuccess; }
TIDEMARK_LT size_t cublasLtGetVersion() { return TIDEMARK_CUBLAS_VERSION; }
TIDEMARK_LT size_t cublasLtGetCudartVersion() { return size_t{TIDEMARK_CUBLAS_VERSION} / 10000 * 1000; }
TIDEMARK_LT int cublasLtGetProperty(int part, int* value) {
  // libraryPropertyType_t: major, minor, patch.
  const std::array parts = {TIDEMARK_CUBLAS_VERSION / 10000, TIDEMARK_CUBLAS_VERSION / 100 % 100,
                            TIDEMARK_CUBLAS_VERSION % 100};
  if (part < 0 || static_cast<size_t>(part) >= parts.size()) return kInvalidValue;
  *value = parts[static_cast<size_t>(part)];
  return kSuccess;
}

TIDEMARK_LT int cublasLtMatmulDescCreate(Object** object, int, int) { return Create(object); }
TIDEMARK_LT int cublasLtMatmulDescInit_internal(Object*, size_t, int, int) { return kSuccess; }
TIDEMARK_LT_DESCRIPTOR(MatmulDesc)

TIDEMARK_LT int cublasLtMatmulPreferenceCreate(Object** object) { return Create(object); }
TIDEMARK_LT int cublasLtMatmulPreferenceInit_internal(Object*, size_t) { return kSuccess; }
TIDEMARK_LT_DESCRIPTOR(MatmulPreference)

TIDEMARK_LT int cublasLtMatrixLayoutCreate(Object** object, int, uint64_t, uint64_t, int64_t) {
  return Create(object);
}
TIDEMARK_LT int cublasLtMatrixLayoutInit_internal(Object*, size_t, int, uint64_t, uint64_t, int64_t) {
  return kSuccess;
}
TIDEMARK_LT_DESCRIPTOR(MatrixLayout)

TIDEMARK_LT int cublasLtMatrixTransformDescCreate(Object** object, int) { return Create(object); }
TIDEMARK_LT int cublasLtMatrixTransformDescInit_internal(Object*, size_t, int) { return kSuccess; }
TIDEMARK_LT_DESCRIPTOR(MatrixTransformDesc)

TIDEMARK_LT int cublasLtMatmulAlgoGetHeuristic(const void*, const Object*, const Object*, const Object*,
                                               const Object*, const Object*, const Object*, int wanted,
                                               HeuristicResult* results, int* found) {
  if (wanted < 1 || results == nullptr || found == nullptr) return kInvalidValue;
  for (HeuristicResult& result : std::span(results, static_cast<size_t>(wanted))) result = {};
  *found = wanted;
  return kSuccess;
}

// What runs on a card only.
TIDEMARK_LT int cublasLtMatmul(...) { return kNotSupported; }
TIDEMARK_LT int cublasLtMatrixTransform(...) { return kNotSupported; }
// NOLINTEND(readability-identifier-naming)
