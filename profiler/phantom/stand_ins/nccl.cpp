// NCCL with one rank that is there: the others do and hold the same as this one. What a collective moves is
// real for small buffers: gathers and broadcasts bring this rank's bytes, sums are so many times its value,
// at once or, captured into a CUDA graph, whenever that is launched. NCCL's own buffers, which a card would
// hold beside PyTorch's memory, are not known.
#include <cuda.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#include "profiler/base/check.h"
#include "profiler/phantom/device/captures.h"
#include "profiler/phantom/device/contents.h"
#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/device/groups.h"
#include "profiler/phantom/stand_ins/driver_functions.h"
#include "tidemark_library_versions.h"

using namespace tidemark::phantom;

// NCCL declares it and leaves what it is to itself.
struct ncclComm {
  int ranks = 1;  // 0 = not known: a part of another, of which only this rank's colour was told
  int rank = 0;
  int most_ranks = 1;  // as many as the one that it is a part of
};

namespace {

// From nccl.h, whose package is not needed to build.
using Comm = ncclComm*;
using Result = int;
constexpr Result kSuccess = 0;
constexpr Result kUnhandledCudaError = 1;
constexpr Result kInternalError = 3;
constexpr Result kInvalidArgument = 4;
constexpr int kNoColor = -1;
constexpr size_t kUniqueIdBytes = 128;
enum Type : int { kInt8, kUint8, kInt32, kUint32, kInt64, kUint64, kFloat16, kFloat32, kFloat64, kBfloat16 };
enum Operation : int { kSum, kProduct, kMax, kMin, kAverage };

size_t BytesOf(int type) {
  switch (type) {
    case kInt32:
    case kUint32:
    case kFloat32:
      return 4;
    case kInt64:
    case kUint64:
    case kFloat64:
      return 8;
    case kFloat16:
    case kBfloat16:
      return 2;
    default:
      return 1;  // bytes, and the two kinds of 8-bit floats after bfloat16
  }
}

// NCCL asks the driver for memory.
template <typename Function>
Function* OfDriver(const char* name) {
  void* const function = DriverFunction(name);
  TIDEMARK_CHECK(function != nullptr);
  return reinterpret_cast<Function*>(function);
}

device::Certainty Move(void* to, const void* from, size_t bytes) {
  device::Certainty certainty = device::Certainty::kKnown;
  if (to != from) device::TheDevice()->memory.Copy(to, from, bytes, &certainty);
  return certainty;
}

// What the others would have made of it is not known. Where it is not known either how much that is, it may
// be more than there is of it.
void ComputedElsewhere(void* to, size_t bytes) {
  device::KernelRan();
  device::TheDevice()->memory.Weaken(to, bytes, device::Certainty::kUnknown);
}

// A buffer of a part for each rank, each as `from`.
void Repeat(void* to, const void* from, size_t bytes, const ncclComm& comm) {
  const size_t all = bytes * static_cast<size_t>(comm.ranks == 0 ? comm.most_ranks : comm.ranks);
  if (comm.ranks == 0 || all > device::kKnownBytes) return ComputedElsewhere(to, all);
  for (int part = 0; part < comm.ranks; ++part) Move(static_cast<char*>(to) + part * bytes, from, bytes);
}

template <typename Collective>
Result Submit(const void* stream, const Collective& collective) {
  device::Submit(stream, collective);
  return kSuccess;
}

// Whole numbers wrap around, as the card's do.
template <typename Number>
Number Times(Number number, Number factor) {
  if constexpr (std::is_integral_v<Number>) {
    return static_cast<Number>(static_cast<uint64_t>(number) * static_cast<uint64_t>(factor));
  } else {
    return static_cast<Number>(number * factor);
  }
}

template <typename Number>
void Combine(std::vector<char>& bytes, int operation, int ranks) {
  for (size_t at = 0; at + sizeof(Number) <= bytes.size(); at += sizeof(Number)) {
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    Number combined = number;
    if (operation == kSum) combined = Times(number, static_cast<Number>(ranks));
    if (operation == kProduct) {
      for (int rank = 1; rank < ranks; ++rank) combined = Times(combined, number);
    }
    std::memcpy(bytes.data() + at, &combined, sizeof combined);
  }
}

// False for numbers that nothing here computes with.
bool CombineAs(int type, std::vector<char>& host, int operation, int ranks) {
  switch (type) {
    case kInt8:
      Combine<int8_t>(host, operation, ranks);
      break;
    case kUint8:
      Combine<uint8_t>(host, operation, ranks);
      break;
    case kInt32:
      Combine<int32_t>(host, operation, ranks);
      break;
    case kUint32:
      Combine<uint32_t>(host, operation, ranks);
      break;
    case kInt64:
      Combine<int64_t>(host, operation, ranks);
      break;
    case kUint64:
      Combine<uint64_t>(host, operation, ranks);
      break;
    case kFloat32:
      Combine<float>(host, operation, ranks);
      break;
    case kFloat64:
      Combine<double>(host, operation, ranks);
      break;
    default:
      return false;
  }
  return true;
}

// What all ranks together make of `from`, each holding the same. Of 16-bit and 8-bit floats, and of what is
// too large to be known, the result is not known, as a kernel's.
void ReduceTo(void* to, const void* from, size_t count, int type, int operation, const ncclComm& comm) {
  const size_t bytes = count * BytesOf(type);
  const bool same = operation == kMax || operation == kMin || operation == kAverage || comm.ranks == 1;
  if (same) {
    Move(to, from, bytes);
    return;
  }
  const bool combines = operation == kSum || operation == kProduct;  // others are the program's own
  if (bytes > device::kKnownBytes || comm.ranks == 0 || !combines) return ComputedElsewhere(to, bytes);
  std::vector<char> host(bytes);
  const device::Certainty certainty = Move(host.data(), from, bytes);
  if (!CombineAs(type, host, operation, comm.ranks)) return ComputedElsewhere(to, bytes);
  Move(to, host.data(), bytes);
  device::TheDevice()->memory.Weaken(to, bytes, certainty);
}

Result Create(Comm* comm, int ranks, int rank) {
  if (ranks < 1 || rank < 0 || rank >= ranks) return kInvalidArgument;
  device::Doubt("NCCL's own buffers on the card are not known and not counted.");
  const bool was_started_with_others = std::getenv("TORCHELASTIC_RUN_ID") != nullptr;  // by torchrun
  if (ranks > 1 && was_started_with_others) {
    device::Doubt(
        "The ranks that torchrun started exchange nothing here: each gets what it sent itself, as if the "
        "others had sent the same. tidemark phantom --world N -- python ... runs one of N, and knows what "
        "the "
        "others are.");
  }
  *comm = new ncclComm{ranks, rank, ranks};
  return kSuccess;
}

// One that has this rank as its `rank`, and as many as were told of its colour.
Result CreatePart(Comm* part, const ncclComm& whole, int color, int rank) {
  const int ranks = std::min(device::RanksOfSplit(color), whole.most_ranks);
  if (ranks == 0) {
    device::Doubt(
        "How many ranks a group has that was split from another was not told: what its collectives make of "
        "values is not known.");
  }
  if (rank < 0 || (ranks != 0 && rank >= ranks)) return kInvalidArgument;
  *part = new ncclComm{ranks, rank, ranks == 0 ? whole.most_ranks : ranks};
  return kSuccess;
}

}  // namespace

extern "C" {

Result ncclGetVersion(int* version) {
  *version = TIDEMARK_NCCL_VERSION;
  return kSuccess;
}

Result ncclGetUniqueId(void* id) {
  std::memset(id, 0, kUniqueIdBytes);
  return kSuccess;
}

struct ncclUniqueId {
  char bytes[kUniqueIdBytes];
};

Result ncclCommInitRank(Comm* comm, int ranks, ncclUniqueId, int rank) { return Create(comm, ranks, rank); }

Result ncclCommInitRankConfig(Comm* comm, int ranks, ncclUniqueId, int rank, void*) {
  return Create(comm, ranks, rank);
}

Result ncclCommInitRankScalable(Comm* comm, int ranks, int rank, int, ncclUniqueId*, void*) {
  return Create(comm, ranks, rank);
}

Result ncclCommInitAll(Comm* comms, int count, const int*) {
  for (int i = 0; i < count; ++i) {
    if (const Result error = Create(&comms[i], count, i); error != kSuccess) return error;
  }
  return kSuccess;
}

Result ncclCommSplit(Comm comm, int color, int key, Comm* part, void*) {
  if (color != kNoColor) return CreatePart(part, *comm, color, key);
  *part = nullptr;
  return kSuccess;
}

// Ranks move up for those that are left out.
Result ncclCommShrink(Comm comm, int* excluded, int count, Comm* part, void*, int) {
  const auto before = std::count_if(excluded, excluded + count, [&](int rank) { return rank < comm->rank; });
  return Create(part, comm->ranks - count, comm->rank - static_cast<int>(before));
}

Result ncclCommFinalize(Comm) { return kSuccess; }

Result ncclCommDestroy(Comm comm) {
  delete comm;
  return kSuccess;
}

Result ncclCommAbort(Comm comm) { return ncclCommDestroy(comm); }

Result ncclCommGetAsyncError(Comm, Result* error) {
  *error = kSuccess;
  return kSuccess;
}

Result ncclCommCount(Comm comm, int* count) {
  *count = comm->ranks;
  return comm->ranks == 0 ? kInternalError : kSuccess;
}

Result ncclCommUserRank(Comm comm, int* rank) {
  *rank = comm->rank;
  return kSuccess;
}

const char* ncclGetErrorString(Result result) {
  switch (result) {
    case kSuccess:
      return "no error";
    case kUnhandledCudaError:
      return "unhandled cuda error";
    case kInternalError:
      return "internal error: the phantom GPU does not know how many ranks this group has";
    default:
      return "invalid argument";
  }
}

const char* ncclGetLastError(Comm) { return ""; }

Result ncclAllGather(const void* from, void* to, size_t count, int type, Comm comm, void* stream) {
  const size_t bytes = count * BytesOf(type);
  return Submit(stream, [=, comm = *comm] { Repeat(to, from, bytes, comm); });
}

Result ncclAllReduce(const void* from, void* to, size_t count, int type, int operation, Comm comm,
                     void* stream) {
  return Submit(stream, [=, comm = *comm] { ReduceTo(to, from, count, type, operation, comm); });
}

Result ncclReduce(const void* from, void* to, size_t count, int type, int operation, int root, Comm comm,
                  void* stream) {
  if (comm->rank != root) return kSuccess;
  return ncclAllReduce(from, to, count, type, operation, comm, stream);
}

// This rank's part of the reduced whole.
Result ncclReduceScatter(const void* from, void* to, size_t count, int type, int operation, Comm comm,
                         void* stream) {
  const size_t offset = count * BytesOf(type) * static_cast<size_t>(comm->rank);
  return ncclAllReduce(static_cast<const char*>(from) + offset, to, count, type, operation, comm, stream);
}

Result ncclBroadcast(const void* from, void* to, size_t count, int type, int, Comm, void* stream) {
  return Submit(stream, [=] { Move(to, from, count * BytesOf(type)); });
}

Result ncclBcast(void*, size_t, int, int, Comm, void*) { return kSuccess; }  // everyone holds the same

// Every rank sends this rank the part that this rank sends to a rank with its own number.
Result ncclAlltoAll(const void* from, void* to, size_t count, int type, Comm comm, void* stream) {
  const char* const own =
      static_cast<const char*>(from) + count * BytesOf(type) * static_cast<size_t>(comm->rank);
  return ncclAllGather(own, to, count, type, comm, stream);
}

// What another rank sends is not known.
Result ncclSend(const void*, size_t, int, int, Comm, void*) { return kSuccess; }

Result ncclRecv(void* to, size_t count, int type, int, Comm, void* stream) {
  return Submit(stream, [=] { ComputedElsewhere(to, count * BytesOf(type)); });
}

Result ncclGroupStart() { return kSuccess; }

Result ncclGroupEnd() { return kSuccess; }

// Operations of the program's own begin after NCCL's.
Result ncclRedOpCreatePreMulSum(int* operation, void*, int, int, Comm) {
  constexpr int kFirstOwn = 16;
  *operation = kFirstOwn;
  return kSuccess;
}

Result ncclRedOpDestroy(int, Comm) { return kSuccess; }

Result ncclMemAlloc(void** pointer, size_t bytes) {
  static auto* const allocate = OfDriver<decltype(cuMemAlloc_v2)>("cuMemAlloc_v2");
  CUdeviceptr address = 0;
  if (allocate(&address, bytes) != CUDA_SUCCESS) return kUnhandledCudaError;
  *pointer = reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): the driver's addresses
  return kSuccess;
}

Result ncclMemFree(void* pointer) {
  static auto* const free = OfDriver<decltype(cuMemFree_v2)>("cuMemFree_v2");
  return free(reinterpret_cast<CUdeviceptr>(pointer)) == CUDA_SUCCESS ? kSuccess : kInvalidArgument;
}

// Registration lets other devices reach memory; there are none.
Result ncclCommRegister(Comm, void* buffer, size_t, void** handle) {
  *handle = buffer;
  return kSuccess;
}

Result ncclCommDeregister(Comm, void*) { return kSuccess; }

}  // extern "C"
