// cuSOLVER: handles, and the sizes of its workspaces, which only it knows. Whether a factorisation succeeded
// is written on the device, where it reads as zero: success.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/device/library_streams.h"

using namespace tidemark::phantom;

namespace {

// From cusolverDn.h, whose package is not needed to build.
using Status = int;
constexpr Status kSuccess = 0;
constexpr Status kNotInitialized = 1;

// Handles, parameters and the settings of an iteration: nothing of them is asked again.
struct Object {};

Status Create(Object** object) {
  if (device::TheDevice() == nullptr) return kNotInitialized;
  *object = new Object;
  return kSuccess;
}

Status Destroy(const Object* object) {
  delete object;
  return kSuccess;
}

template <typename Size>
Status NotKnown(Size* size) {
  device::Doubt("The workspaces of cuSOLVER are not known and not counted.");
  *size = 0;
  return kSuccess;
}

Status NotKnown(size_t* device_bytes, size_t* host_bytes) {
  *host_bytes = 0;
  return NotKnown(device_bytes);
}

}  // namespace

using Data = const void*;

// cusolverDn[SDCZ]ROUTINE_bufferSize; the parameters before the size differ by routine, not by type.
#define TIDEMARK_SIZE(routine, ...) \
  Status cusolverDn##routine##_bufferSize(__VA_ARGS__, int* size) { return NotKnown(size); }
#define TIDEMARK_SIZES(routine, ...)     \
  TIDEMARK_SIZE(S##routine, __VA_ARGS__) \
  TIDEMARK_SIZE(D##routine, __VA_ARGS__) \
  TIDEMARK_SIZE(C##routine, __VA_ARGS__) \
  TIDEMARK_SIZE(Z##routine, __VA_ARGS__)
// The names of some routines say whether numbers are real or complex.
#define TIDEMARK_SIZES_OF(real, complex, ...) \
  TIDEMARK_SIZE(S##real, __VA_ARGS__)         \
  TIDEMARK_SIZE(D##real, __VA_ARGS__)         \
  TIDEMARK_SIZE(C##complex, __VA_ARGS__)      \
  TIDEMARK_SIZE(Z##complex, __VA_ARGS__)

extern "C" {

Status cusolverDnCreate(Object** handle) { return Create(handle); }
Status cusolverDnDestroy(Object* handle) {
  device::WorksNoMore(device::NumberOf(handle));
  return Destroy(handle);
}
Status cusolverDnSetStream(Object* handle, void* stream) {
  device::WorksOn(device::NumberOf(handle), stream);
  return kSuccess;
}
Status cusolverDnCreateParams(Object** parameters) { return Create(parameters); }
Status cusolverDnDestroyParams(Object* parameters) { return Destroy(parameters); }
Status cusolverDnCreateSyevjInfo(Object** info) { return Create(info); }
Status cusolverDnDestroySyevjInfo(Object* info) { return Destroy(info); }
// Written by hand, since only some LibTorches import it: no sweeps run.
Status cusolverDnXsyevjSetSortEig(Object*, int) { return kSuccess; }
Status cusolverDnCreateGesvdjInfo(Object** info) { return Create(info); }
Status cusolverDnDestroyGesvdjInfo(Object* info) { return Destroy(info); }

TIDEMARK_SIZES(potrf, Object*, int, int, Data, int)
TIDEMARK_SIZES(getrf, Object*, int, int, Data, int)
TIDEMARK_SIZES(geqrf, Object*, int, int, Data, int)
TIDEMARK_SIZES(sytrf, Object*, int, Data, int)
TIDEMARK_SIZES(gesvd, Object*, int, int)
TIDEMARK_SIZES_OF(orgqr, ungqr, Object*, int, int, int, Data, int, Data)
TIDEMARK_SIZES_OF(ormqr, unmqr, Object*, int, int, int, int, int, Data, int, Data, Data, int)
TIDEMARK_SIZES_OF(syevd, heevd, Object*, int, int, int, Data, int, Data)

// What follows the size in the others.
#undef TIDEMARK_SIZE
#define TIDEMARK_SIZE(routine, ...) \
  Status cusolverDn##routine##_bufferSize(__VA_ARGS__, int* size, Object*) { return NotKnown(size); }
TIDEMARK_SIZES_OF(syevj, heevj, Object*, int, int, int, Data, int, Data)
TIDEMARK_SIZES(gesvdj, Object*, int, int, int, int, Data, int, Data, Data, int, Data, int)

#undef TIDEMARK_SIZE
#define TIDEMARK_SIZE(routine, ...) \
  Status cusolverDn##routine##_bufferSize(__VA_ARGS__, int* size, Object*, int) { return NotKnown(size); }
TIDEMARK_SIZES_OF(syevjBatched, heevjBatched, Object*, int, int, int, Data, int, Data)
TIDEMARK_SIZES(gesvdjBatched, Object*, int, int, int, Data, int, Data, Data, int, Data, int)

#undef TIDEMARK_SIZE
#define TIDEMARK_SIZE(routine, ...) \
  Status cusolverDn##routine##_bufferSize(__VA_ARGS__, int* size, int) { return NotKnown(size); }
TIDEMARK_SIZES(gesvdaStridedBatched, Object*, int, int, int, int, Data, int, long long, Data, long long, Data,
               int, long long, Data, int, long long)

// How far the products are from the matrices goes to the host: with no kernel, not at all.
#define TIDEMARK_GESVDA(type)                                                                                \
  Status cusolverDn##type##gesvdaStridedBatched(Object* handle, int, int, int, int, Data, int, long long,    \
                                                void*, long long, void*, int, long long, void*, int,         \
                                                long long, void*, int, int*, double* residuals, int batch) { \
    device::KernelRanWith(device::NumberOf(handle));                                                         \
    if (residuals != nullptr) std::fill_n(residuals, batch, 0.0);                                            \
    return kSuccess;                                                                                         \
  }
TIDEMARK_GESVDA(S)
TIDEMARK_GESVDA(D)
TIDEMARK_GESVDA(C)
TIDEMARK_GESVDA(Z)

// The interface of 64 bits, for all types; workspaces on the device and on the host, in bytes.

Status cusolverDnXpotrf_bufferSize(Object*, Object*, int, int64_t, int, Data, int64_t, int, size_t* on_device,
                                   size_t* on_host) {
  return NotKnown(on_device, on_host);
}

Status cusolverDnXgeqrf_bufferSize(Object*, Object*, int64_t, int64_t, int, Data, int64_t, int, Data, int,
                                   size_t* on_device, size_t* on_host) {
  return NotKnown(on_device, on_host);
}

Status cusolverDnXsyevd_bufferSize(Object*, Object*, int, int, int64_t, int, Data, int64_t, int, Data, int,
                                   size_t* on_device, size_t* on_host) {
  return NotKnown(on_device, on_host);
}

Status cusolverDnXsyevBatched_bufferSize(Object*, Object*, int, int, int64_t, int, Data, int64_t, int, Data,
                                         int, size_t* on_device, size_t* on_host, int64_t) {
  return NotKnown(on_device, on_host);
}

Status cusolverDnXgeev_bufferSize(Object*, Object*, int, int, int64_t, int, Data, int64_t, int, Data, int,
                                  Data, int64_t, int, Data, int64_t, int, size_t* on_device,
                                  size_t* on_host) {
  return NotKnown(on_device, on_host);
}

Status cusolverDnXsytrs_bufferSize(Object*, int, int64_t, int64_t, int, Data, int64_t, const int64_t*, int,
                                   void*, int64_t, size_t* on_device, size_t* on_host) {
  return NotKnown(on_device, on_host);
}

}  // extern "C"
