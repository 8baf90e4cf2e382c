// cuSPARSE: handles and descriptors, and the sizes of its buffers, which only it knows. How many values a
// sparse result has depends on where those of its factors are, which a kernel counts: here it has none.
#include <cstddef>
#include <cstdint>

#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/device/library_streams.h"

using namespace tidemark::phantom;

namespace {

// From cusparse.h, whose package is not needed to build.
using Status = int;
constexpr Status kSuccess = 0;
constexpr Status kNotInitialized = 1;

// Handles, and descriptors of which nothing is asked again.
struct Object {};

struct SparseMatrix {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t values = 0;
};

using Data = const void*;

template <typename Type>
Status Create(Type** object) {
  if (device::TheDevice() == nullptr) return kNotInitialized;
  *object = new Type{};
  return kSuccess;
}

template <typename Type>
Status Destroy(const Type* object) {
  delete object;
  return kSuccess;
}

template <typename Size>
Status NotKnown(Size* bytes) {
  device::Doubt("The buffers of cuSPARSE are not known and not counted.");
  *bytes = 0;
  return kSuccess;
}

void NoValues(const Object* handle) {
  device::Doubt("How many values a sparse result has is computed on the card; here it has none.");
  device::KernelRanWith(device::NumberOf(handle));
}

}  // namespace

#define TIDEMARK_FOR_TYPES(macro, routine, ...)                                                \
  macro(S##routine, __VA_ARGS__) macro(D##routine, __VA_ARGS__) macro(C##routine, __VA_ARGS__) \
      macro(Z##routine, __VA_ARGS__)
#define TIDEMARK_SIZE(routine, ...) \
  Status cusparse##routine(__VA_ARGS__, int* bytes) { return NotKnown(bytes); }
#define TIDEMARK_WIDE_SIZE(routine, ...) \
  Status cusparse##routine(__VA_ARGS__, size_t* bytes) { return NotKnown(bytes); }

extern "C" {

const char* cusparseGetErrorString(Status status) {
  return status == kSuccess ? "success" : "library not initialized";
}

Status cusparseCreate(Object** handle) { return Create(handle); }
Status cusparseDestroy(Object* handle) {
  device::WorksNoMore(device::NumberOf(handle));
  return Destroy(handle);
}
Status cusparseSetStream(Object* handle, void* stream) {
  device::WorksOn(device::NumberOf(handle), stream);
  return kSuccess;
}
Status cusparseCreateMatDescr(Object** matrix) { return Create(matrix); }
Status cusparseDestroyMatDescr(Object* matrix) { return Destroy(matrix); }
Status cusparseCreateBsrsv2Info(Object** info) { return Create(info); }
Status cusparseDestroyBsrsv2Info(Object* info) { return Destroy(info); }
Status cusparseCreateBsrsm2Info(Object** info) { return Create(info); }
Status cusparseDestroyBsrsm2Info(Object* info) { return Destroy(info); }
Status cusparseSpSV_createDescr(Object** info) { return Create(info); }
Status cusparseSpSV_destroyDescr(Object* info) { return Destroy(info); }
Status cusparseSpSM_createDescr(Object** info) { return Create(info); }
Status cusparseSpSM_destroyDescr(Object* info) { return Destroy(info); }
Status cusparseSpGEMM_createDescr(Object** info) { return Create(info); }
Status cusparseSpGEMM_destroyDescr(Object* info) { return Destroy(info); }

Status cusparseCreateDnVec(Object** vector, int64_t, void*, int) { return Create(vector); }
Status cusparseDestroyDnVec(Object* vector) { return Destroy(vector); }
Status cusparseCreateDnMat(Object** matrix, int64_t, int64_t, int64_t, void*, int, int) {
  return Create(matrix);
}
Status cusparseDestroyDnMat(Object* matrix) { return Destroy(matrix); }

Status cusparseCreateCsr(SparseMatrix** matrix, int64_t rows, int64_t columns, int64_t values, void*, void*,
                         void*, int, int, int, int) {
  const Status status = Create(matrix);
  if (status == kSuccess) **matrix = {rows, columns, values};
  return status;
}

Status cusparseCreateCoo(SparseMatrix** matrix, int64_t rows, int64_t columns, int64_t values, void*, void*,
                         void*, int, int, int) {
  const Status status = Create(matrix);
  if (status == kSuccess) **matrix = {rows, columns, values};
  return status;
}

Status cusparseDestroySpMat(SparseMatrix* matrix) { return Destroy(matrix); }

Status cusparseSpMatGetSize(const SparseMatrix* matrix, int64_t* rows, int64_t* columns, int64_t* values) {
  *rows = matrix->rows;
  *columns = matrix->columns;
  *values = matrix->values;
  return kSuccess;
}

// Products and triangular systems.

TIDEMARK_WIDE_SIZE(SpMV_bufferSize, Object*, int, Data, SparseMatrix*, Object*, Data, Object*, int, int)
TIDEMARK_WIDE_SIZE(SpMM_bufferSize, Object*, int, int, Data, SparseMatrix*, Object*, Data, Object*, int, int)
TIDEMARK_WIDE_SIZE(SDDMM_bufferSize, Object*, int, int, Data, Object*, Object*, Data, SparseMatrix*, int, int)
TIDEMARK_WIDE_SIZE(SpSV_bufferSize, Object*, int, Data, SparseMatrix*, Object*, Object*, int, int, Object*)
TIDEMARK_WIDE_SIZE(SpSM_bufferSize, Object*, int, int, Data, SparseMatrix*, Object*, Object*, int, int,
                   Object*)

// A sparse product is made in steps, each of which asks for a buffer first.

Status cusparseSpGEMM_workEstimation(Object*, int, int, Data, SparseMatrix*, SparseMatrix*, Data,
                                     SparseMatrix*, int, int, Object*, size_t* bytes, void*) {
  return NotKnown(bytes);
}

Status cusparseSpGEMM_compute(Object* handle, int, int, Data, SparseMatrix*, SparseMatrix*, Data,
                              SparseMatrix* product, int, int, Object*, size_t* bytes, void*) {
  NoValues(handle);
  product->values = 0;
  return NotKnown(bytes);
}

// The older interface: sums, blocks, sorting.

#define TIDEMARK_SUM_PARAMETERS                                                                              \
  Object*, int, int, Data, Object*, int, Data, const int*, const int*, Data, Object*, int, Data, const int*, \
      const int*, Object*, Data, const int*, const int*
TIDEMARK_FOR_TYPES(TIDEMARK_WIDE_SIZE, csrgeam2_bufferSizeExt, TIDEMARK_SUM_PARAMETERS)

// The count goes to the host: LibTorch leaves a handle's pointer mode at that.
Status cusparseXcsrgeam2Nnz(Object* handle, int, int, Object*, int, const int*, const int*, Object*, int,
                            const int*, const int*, Object*, int*, int* values, void*) {
  NoValues(handle);
  *values = 0;
  return kSuccess;
}

TIDEMARK_FOR_TYPES(TIDEMARK_SIZE, bsrsv2_bufferSize, Object*, int, int, int, int, Object*, Data, const int*,
                   const int*, int, Object*)
TIDEMARK_FOR_TYPES(TIDEMARK_SIZE, bsrsm2_bufferSize, Object*, int, int, int, int, int, int, Object*, Data,
                   const int*, const int*, int, Object*)

// There is no zero on any diagonal.
Status cusparseXbsrsv2_zeroPivot(Object*, Object*, int* position) {
  *position = -1;
  return kSuccess;
}
Status cusparseXbsrsm2_zeroPivot(Object*, Object*, int* position) {
  *position = -1;
  return kSuccess;
}

Status cusparseCreateIdentityPermutation(Object* handle, int, int*) {
  device::KernelRanWith(device::NumberOf(handle));
  return kSuccess;
}

TIDEMARK_WIDE_SIZE(Xcoosort_bufferSizeExt, Object*, int, int, int, const int*, const int*)
TIDEMARK_WIDE_SIZE(Xcsrsort_bufferSizeExt, Object*, int, int, int, const int*, const int*)

}  // extern "C"
