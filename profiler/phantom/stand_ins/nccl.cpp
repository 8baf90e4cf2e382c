// NCCL's interface. Gathers and broadcasts of small buffers bring real bytes, sums are made of real numbers
// (rank_exchange.h). NCCL's own buffers, which a card would hold beside PyTorch's memory, are not known.
#include <cuda.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/base/check.h"
#include "profiler/phantom/device/contents.h"
#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/device/groups.h"
#include "profiler/phantom/environment.h"
#include "profiler/phantom/ranks/mailbox.h"
#include "profiler/phantom/ranks/reduction.h"
#include "profiler/phantom/stand_ins/driver_functions.h"
#include "profiler/phantom/stand_ins/rank_exchange.h"
#include "tidemark_library_versions.h"

using namespace tidemark::phantom;

// NCCL declares it and leaves what it is to itself.
struct ncclComm : Communicator {};

namespace {

// From nccl.h, whose package is not needed to build.
using Comm = ncclComm*;
using Result = int;
constexpr Result kSuccess = 0;
constexpr Result kUnhandledCudaError = 1;
constexpr Result kInternalError = 3;
constexpr Result kInvalidArgument = 4;
constexpr Result kRemoteError = 6;
constexpr int kNoColor = -1;
constexpr size_t kUniqueIdBytes = 128;

// NCCL asks the driver for memory.
template <typename Function>
Function* OfDriver(const char* name) {
  void* const function = DriverFunction(name);
  TIDEMARK_CHECK(function != nullptr);
  return reinterpret_cast<Function*>(function);
}

// What the others would have made of it is not known. Where it is not known either how much that is, it may
// be more than there is of it.
void ComputedElsewhere(void* to, size_t bytes) {
  device::KernelRan();
  device::TheDevice()->memory.Weaken(to, bytes, device::Certainty::kUnknown);
}

Result ResultOf(bool came) { return came ? kSuccess : kRemoteError; }

// On its stream, or in its group, without the others.
Result DoAlone(const ncclComm& comm, const void* stream, const std::function<void(const Parts&)>& take) {
  return ResultOf(Begin({stream, comm, nullptr, 0, 0, {}, {}, take}));
}

Result NotKnown(const ncclComm& comm, const void* stream, void* to, size_t bytes) {
  return DoAlone(comm, stream, [=](const Parts&) { ComputedElsewhere(to, bytes); });
}

std::vector<int> Everybody(const ncclComm& comm) {
  std::vector<int> ranks(static_cast<size_t>(comm.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

// A buffer of a part for each rank, from each.
Result GatherAll(const ncclComm& comm, const void* stream, const void* from, void* to, size_t bytes,
                 size_t stride) {
  const size_t all = bytes * static_cast<size_t>(comm.ranks == 0 ? comm.most_ranks : comm.ranks);
  if (comm.ranks == 0 || all > device::kKnownBytes) return NotKnown(comm, stream, to, all);
  const auto take = [=](const Parts& parts) {
    for (size_t rank = 0; rank < parts.size(); ++rank)
      Put(static_cast<char*>(to) + rank * bytes, *parts[rank]);
  };
  return ResultOf(Begin({stream, comm, from, bytes, stride, Everybody(comm), Everybody(comm), take}));
}

struct Numbers {
  size_t count = 0;
  int type = 0;
  int operation = 0;

  size_t bytes() const { return count * ranks::BytesOf(type); }
};

// Each number is as certain as the least certain of those that it is made of.
void PutReduced(void* to, const Parts& parts, const Numbers& numbers) {
  if (!std::ranges::all_of(parts, [](const auto& part) { return IsKnown(*part); }))
    return ComputedElsewhere(to, numbers.bytes());
  std::vector<std::string_view> bytes;
  bytes.reserve(parts.size());
  for (const auto& part : parts) bytes.emplace_back(part->bytes);
  const std::string reduced = ranks::Reduce(bytes, numbers.type, numbers.operation);
  device::Memory& memory = device::TheDevice()->memory;
  memory.Copy(to, reduced.data(), reduced.size());
  for (const auto& part : parts) {
    for (const device::CertaintyRun& run : part->certainty)
      memory.Weaken(static_cast<char*>(to) + run.offset, run.bytes, run.certainty);
  }
}

// What all ranks together make of their numbers: of parts of `from`, one for each receiver, where `stride`
// says so. Of 8-bit floats, and of what is too large to be known, the result is not known, as a kernel's,
// unless pretended ranks hold the same and it is that. `to`: null on who takes nothing.
Result ReduceTo(const ncclComm& comm, const void* stream, const void* from, void* to, const Numbers& numbers,
                size_t stride, const std::vector<int>& receivers) {
  const size_t bytes = numbers.bytes();
  const int operation = numbers.operation;
  const bool is_any_of_them =
      operation == ranks::kMax || operation == ranks::kMin || operation == ranks::kAverage;
  if (comm.ranks == 1 || (comm.mailbox == nullptr && is_any_of_them)) {
    if (to == nullptr) return kSuccess;
    const void* const own = static_cast<const char*>(from) + stride * static_cast<size_t>(comm.rank);
    return DoAlone(comm, stream, [=](const Parts&) {
      if (to != own) device::TheDevice()->memory.Copy(to, own, bytes);
    });
  }
  if (bytes > device::kKnownBytes || comm.ranks == 0 || !ranks::CanReduce(numbers.type, operation)) {
    return to == nullptr ? kSuccess : NotKnown(comm, stream, to, bytes);
  }
  Exchange exchange{stream, comm, from, bytes, stride, receivers, {}, nullptr};
  if (to != nullptr) {
    exchange.senders = Everybody(comm);
    exchange.take = [=](const Parts& parts) { PutReduced(to, parts, numbers); };
  }
  return ResultOf(Begin(std::move(exchange)));
}

// Whether a launcher started ranks on other machines, too. How many are on this one each tells in its way:
// torchrun, Open MPI, MPICH; Slurm how many machines there are.
bool IsOfSeveralMachines() {
  struct Told {
    const char* of_machine;
    const char* in_all;
  };
  constexpr Told kTold[] = {{"LOCAL_WORLD_SIZE", "WORLD_SIZE"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE"},
                            {"MPI_LOCALNRANKS", "PMI_SIZE"}};
  const auto number = [](const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? 0L : std::strtol(value, nullptr, 10);
  };
  const auto tells_of_more = [&](const Told& told) {
    return number(told.of_machine) > 0 && number(told.in_all) > number(told.of_machine);
  };
  return std::ranges::any_of(kTold, tells_of_more) ||
         (number("SLURM_STEP_NUM_NODES") > 1 && std::getenv("SLURM_PROCID") != nullptr);
}

// Null where the others are pretended.
std::shared_ptr<ranks::Mailbox> MailboxAt(std::string_view id, int ranks, int rank) {
  const std::optional<ranks::MeetingPlace> place = ranks::MeetingPlaceOf(id);
  if (!place || IsOfSeveralMachines()) return nullptr;
  return std::make_shared<ranks::Mailbox>(place->folder, place->group, rank, ranks);
}

Result Create(Comm* comm, int ranks, int rank, std::string_view id) {
  if (ranks < 1 || rank < 0 || rank >= ranks) return kInvalidArgument;
  device::Doubt("NCCL's own buffers on the card are not known and not counted.");
  *comm = new ncclComm{{ranks, rank, ranks, MailboxAt(id, ranks, rank)}};
  const bool is_pretended_world = std::getenv(kWorldVariable) != nullptr;
  if (ranks > 1 && (*comm)->mailbox == nullptr && std::getenv(kRanksVariable) != nullptr &&
      !is_pretended_world) {
    device::Doubt(
        "Ranks exchange nothing where some are on other machines, or each has a tidemark phantom of its own: "
        "each gets what it sent itself, as if the others had sent the same. tidemark phantom -- torchrun ... "
        "lets ranks of one machine meet; --world N runs one of N, and knows what the others are.");
  }
  return kSuccess;
}

// One that has this rank as its `rank`, and as many as were told of its colour.
Result CreatePretendedPart(Comm* part, const ncclComm& whole, int color, int rank) {
  const int ranks = std::min(device::RanksOfSplit(color), whole.most_ranks);
  if (ranks == 0) {
    device::Doubt(
        "How many ranks a group has that was split from another was not told: what its collectives make of "
        "values is not known.");
  }
  if (rank < 0 || (ranks != 0 && rank >= ranks)) return kInvalidArgument;
  *part = new ncclComm{{ranks, rank, ranks == 0 ? whole.most_ranks : ranks, nullptr}};
  return kSuccess;
}

}  // namespace

extern "C" {

Result ncclGetVersion(int* version) {
  *version = TIDEMARK_NCCL_VERSION;
  return kSuccess;
}

struct ncclUniqueId {
  char bytes[kUniqueIdBytes];
};

Result ncclGetUniqueId(ncclUniqueId* id) {
  *id = {};
  ranks::NewGroupId().copy(id->bytes, kUniqueIdBytes - 1);
  return kSuccess;
}

Result ncclCommInitRank(Comm* comm, int ranks, ncclUniqueId id, int rank) {
  return Create(comm, ranks, rank, {id.bytes, kUniqueIdBytes});
}

Result ncclCommInitRankConfig(Comm* comm, int ranks, ncclUniqueId id, int rank, void*) {
  return ncclCommInitRank(comm, ranks, id, rank);
}

Result ncclCommInitRankScalable(Comm* comm, int ranks, int rank, int, ncclUniqueId* ids, void*) {
  return ncclCommInitRank(comm, ranks, *ids, rank);
}

Result ncclCommInitAll(Comm* comms, int count, const int*) {
  const std::string id = ranks::NewGroupId();
  for (int i = 0; i < count; ++i) {
    if (const Result error = Create(&comms[i], count, i, id); error != kSuccess) return error;
  }
  return kSuccess;
}

Result ncclCommSplit(Comm comm, int color, int key, Comm* part, void*) {
  *part = nullptr;
  if (comm->mailbox == nullptr)
    return color == kNoColor ? kSuccess : CreatePretendedPart(part, *comm, color, key);
  auto mailbox = Split(comm->mailbox, color, key);
  if (mailbox == nullptr) return kRemoteError;
  if (color != kNoColor) *part = new ncclComm{{mailbox->ranks(), mailbox->rank(), mailbox->ranks(), mailbox}};
  return kSuccess;
}

// Ranks move up for those that are left out.
Result ncclCommShrink(Comm comm, int* excluded, int count, Comm* part, void*, int) {
  const auto before = std::count_if(excluded, excluded + count, [&](int rank) { return rank < comm->rank; });
  const int ranks = comm->ranks - count;
  const int rank = comm->rank - static_cast<int>(before);
  if (comm->mailbox == nullptr) return Create(part, ranks, rank, "");
  const std::string name = comm->mailbox->NameWithout({excluded, excluded + count});
  *part = new ncclComm{
      {ranks, rank, ranks, std::make_shared<ranks::Mailbox>(comm->mailbox->folder(), name, rank, ranks)}};
  return kSuccess;
}

Result ncclCommFinalize(Comm) { return kSuccess; }

Result ncclCommDestroy(Comm comm) {
  delete comm;
  return kSuccess;
}

// Another thread may wait for the others.
Result ncclCommAbort(Comm comm) {
  if (comm->mailbox != nullptr) comm->mailbox->GiveUp();
  return ncclCommDestroy(comm);
}

Result ncclCommGetAsyncError(Comm comm, Result* error) {
  *error = comm->mailbox != nullptr && comm->mailbox->gave_up() ? kRemoteError : kSuccess;
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
    case kRemoteError:
      return "remote process exited or there was a network error";
    default:
      return "invalid argument";
  }
}

const char* ncclGetLastError(Comm) { return FailureOfThread().c_str(); }

Result ncclAllGather(const void* from, void* to, size_t count, int type, Comm comm, void* stream) {
  return GatherAll(*comm, stream, from, to, count * ranks::BytesOf(type), 0);
}

Result ncclAllReduce(const void* from, void* to, size_t count, int type, int operation, Comm comm,
                     void* stream) {
  return ReduceTo(*comm, stream, from, to, {count, type, operation}, 0, Everybody(*comm));
}

Result ncclReduce(const void* from, void* to, size_t count, int type, int operation, int root, Comm comm,
                  void* stream) {
  return ReduceTo(*comm, stream, from, comm->rank == root ? to : nullptr, {count, type, operation}, 0,
                  {root});
}

// This rank's part of the reduced whole.
Result ncclReduceScatter(const void* from, void* to, size_t count, int type, int operation, Comm comm,
                         void* stream) {
  const Numbers numbers{count, type, operation};
  return ReduceTo(*comm, stream, from, to, numbers, numbers.bytes(), Everybody(*comm));
}

Result ncclBroadcast(const void* from, void* to, size_t count, int type, int root, Comm comm, void* stream) {
  const size_t bytes = count * ranks::BytesOf(type);
  const bool is_root = comm->rank == root;
  const auto copy = [=](const Parts&) {
    if (to != from) device::TheDevice()->memory.Copy(to, from, bytes);
  };
  if (bytes > device::kKnownBytes) {
    const bool is_here = is_root || comm->mailbox == nullptr;
    return is_here ? DoAlone(*comm, stream, copy) : NotKnown(*comm, stream, to, bytes);
  }
  const auto put = [=](const Parts& parts) { Put(to, *parts.front()); };
  const std::vector<int> receivers = is_root ? Everybody(*comm) : std::vector<int>{};
  return ResultOf(Begin({stream, *comm, from, bytes, 0, receivers, {root}, put, to != from}));
}

Result ncclBcast(void* buffer, size_t count, int type, int root, Comm comm, void* stream) {
  return ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}

// Pretended ranks send this rank the part that this rank sends to a rank with its own number.
Result ncclAlltoAll(const void* from, void* to, size_t count, int type, Comm comm, void* stream) {
  const size_t bytes = count * ranks::BytesOf(type);
  return GatherAll(*comm, stream, from, to, bytes, bytes);
}

Result ncclSend(const void* from, size_t count, int type, int peer, Comm comm, void* stream) {
  const size_t bytes = count * ranks::BytesOf(type);
  if (comm->mailbox == nullptr || bytes > device::kKnownBytes) return kSuccess;
  return ResultOf(Begin({stream, *comm, from, bytes, 0, {peer}, {}, nullptr}));
}

// What a pretended rank sends is not known.
Result ncclRecv(void* to, size_t count, int type, int peer, Comm comm, void* stream) {
  const size_t bytes = count * ranks::BytesOf(type);
  if (comm->mailbox == nullptr || bytes > device::kKnownBytes) return NotKnown(*comm, stream, to, bytes);
  const auto put = [=](const Parts& parts) { Put(to, *parts.front()); };
  return ResultOf(Begin({stream, *comm, nullptr, bytes, 0, {}, {peer}, put}));
}

Result ncclGroupStart() {
  BeginGroup();
  return kSuccess;
}

Result ncclGroupEnd() { return ResultOf(EndGroup()); }

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
