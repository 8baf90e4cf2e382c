// cuSPARSELt: products with matrices of which two of four values in a row are zero. Handles and descriptors
// are structures of the caller's own; of those only a sparse matrix's size is asked again. What buffers and
// workspaces take only the library knows.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "profiler/phantom/device/captures.h"
#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/doubts.h"

using namespace tidemark::phantom;

namespace {

// From cusparse.h and cusparseLt.h, whose packages are not needed to build.
using Status = int;
constexpr Status kSuccess = 0;
constexpr Status kNotInitialized = 1;
constexpr Status kNotSupported = 10;
constexpr int kFirstCapability = 80;  // "Prerequisites" in its manual
enum AlgorithmAttribute : int { kConfigMaxId = 1, kSplitK = 3 };
enum Type : int { kFloat = 0, kHalf = 2, kBFloat16 = 14 };  // cudaDataType; of the others numbers have a byte

// What a descriptor begins with.
struct SparseMatrix {
  int64_t values = 0;
  int type = 0;
};

// Half of the values, and behind them two bits for each that say which; of single precision, where one of two
// is kept, one (as PyTorch makes room for them: cuSPARSELtOps.cpp, compression_factor).
size_t CompressedBytes(const SparseMatrix& matrix) {
  const auto values = static_cast<size_t>(matrix.values);
  if (matrix.type == kFloat) return values * sizeof(float) * 9 / 16;
  const bool is_half = matrix.type == kHalf || matrix.type == kBFloat16;
  return is_half ? values * sizeof(int16_t) * 9 / 16 : values * 10 / 16;
}

Status NotKnown(size_t* bytes) {
  device::Doubt("The buffers and workspaces of cuSPARSELt are not known and not counted.");
  *bytes = 0;
  return kSuccess;
}

Status ComputeOn(const void* stream) {
  device::KernelRan(stream);
  return kSuccess;
}

}  // namespace

extern "C" {

Status cusparseLtInit(void*) {
  if (device::TheDevice() == nullptr) return kNotInitialized;
  return device::TheDevice()->card.compute_capability < kFirstCapability ? kNotSupported : kSuccess;
}

Status cusparseLtStructuredDescriptorInit(const void*, SparseMatrix* matrix, int64_t rows, int64_t columns,
                                          int64_t, uint32_t, int type, int, int) {
  *matrix = {rows * columns, type};
  return kSuccess;
}

Status cusparseLtSpMMACompressedSize2(const void*, const SparseMatrix* matrix, size_t* bytes,
                                      size_t* buffer_bytes) {
  *bytes = CompressedBytes(*matrix);
  return NotKnown(buffer_bytes);
}

Status cusparseLtSpMMACompress2(const void*, const void*, int, int, const void*, void*, void*,
                                const void* stream) {
  return ComputeOn(stream);
}

// There is one algorithm, number 0, which splits nothing.
Status cusparseLtMatmulAlgGetAttribute(const void*, const void*, int attribute, void* value, size_t bytes) {
  const int number = attribute == kConfigMaxId || attribute == kSplitK ? 1 : 0;
  std::memset(value, 0, bytes);
  if (bytes >= sizeof number) std::memcpy(value, &number, sizeof number);
  return kSuccess;
}

Status cusparseLtMatmulGetWorkspace(const void*, const void*, size_t* bytes) { return NotKnown(bytes); }

Status cusparseLtMatmul(const void*, const void*, const void*, const void*, const void*, const void*,
                        const void*, void*, void*, const void* const* streams, int count) {
  return ComputeOn(count > 0 ? *streams : nullptr);
}

Status cusparseLtMatmulSearch(const void*, void*, const void*, const void*, const void*, const void*,
                              const void*, void*, void*, const void* const* streams, int count) {
  return ComputeOn(count > 0 ? *streams : nullptr);
}

}  // extern "C"
