// tidemark-replayer REQUESTS COLUMNS ORDER...: puts requests (request.h) to PyTorch's CUDA allocator, on a
// fresh phantom for each order of addresses (address_order.h), and prints a line of JSON with its peaks for
// each; with COLUMNS above 0 also the curves, cut into so many equal numbers of requests, the highest of
// each. The phantoms are forked from one process, since loading takes ten times as long as most runs'
// requests.
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#if __has_include(<c10/cuda/PeerToPeerAccess.h>)
#include <c10/cuda/PeerToPeerAccess.h>
#endif
#include <c10/util/Exception.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiler/phantom/environment.h"
#include "profiler/phantom/replay/request.h"

namespace {

using tidemark::phantom::Request;
namespace allocator = c10::cuda::CUDACachingAllocator;

// On the current device, as most programs do once they have memory there: under WSL and with driver 580
// addresses begin elsewhere then.
void RunKernel() {
  using tidemark::phantom::KernelRanFunction;
  const char* const name = tidemark::phantom::kKernelRanFunction;
  if (const auto run = reinterpret_cast<KernelRanFunction>(dlsym(RTLD_DEFAULT, name))) run();
}

using PoolId = std::pair<unsigned long long, unsigned long long>;  // MempoolId_t, wherever a torch has it
using Device = c10::DeviceIndex;

Device DeviceOf(const Request& request) { return static_cast<Device>(request.device); }

// As torch.cuda.MemPool(no_split=True) has it, on a torch that can (2.10).
template <typename Allocator>
void KeepWhole(Allocator& of, Device device, const PoolId& pool) {
  if constexpr (requires { of.setNoSplit(device, pool); }) of.setNoSplit(device, pool);
}

struct Sum {
  long long allocated = 0;
  long long reserved = 0;
  long long retries = 0;
};

Sum NowOn(Device device) {
  const auto statistics = allocator::getDeviceStats(device);
  return {statistics.allocated_bytes[0].current, statistics.reserved_bytes[0].current,
          statistics.num_alloc_retries};
}

// Of all devices now.
Sum SumNow() {
  Sum sum;
  for (Device device = 0; device < c10::cuda::device_count(); ++device) {
    const Sum now = NowOn(device);
    sum.allocated += now.allocated;
    sum.reserved += now.reserved;
    sum.retries += now.retries;
  }
  return sum;
}

// The highest of all devices together. One alone keeps account itself.
class Peaks {
 public:
  Peaks() {
    for (size_t device = 0; device < on_.size(); ++device) Update(static_cast<Device>(device));
    TakeNow();
  }

  void Take(const Request& request) {
    if (is_one_) return;
    if (request.kind == Request::Kind::kEmptyCache) {
      for (size_t device = 0; device < on_.size(); ++device) Update(static_cast<Device>(device));
    } else {
      Update(DeviceOf(request));
    }
    TakeNow();
  }
  long long allocated() const {
    return is_one_ ? static_cast<long long>(allocator::getDeviceStats(0).allocated_bytes[0].peak)
                   : allocated_;
  }
  long long reserved() const {
    return is_one_ ? static_cast<long long>(allocator::getDeviceStats(0).reserved_bytes[0].peak) : reserved_;
  }
  long long fullest_reserved() const { return is_one_ ? reserved() : fullest_reserved_; }

 private:
  void Update(Device device) {
    Sum& on = on_[static_cast<size_t>(device)];
    const Sum now = NowOn(device);
    now_.allocated += now.allocated - on.allocated;
    now_.reserved += now.reserved - on.reserved;
    on = now;
    fullest_reserved_ = std::max(fullest_reserved_, now.reserved);
  }
  void TakeNow() {
    allocated_ = std::max(allocated_, now_.allocated);
    reserved_ = std::max(reserved_, now_.reserved);
  }

  bool is_one_ = c10::cuda::device_count() == 1;
  std::vector<Sum> on_ = std::vector<Sum>(static_cast<size_t>(c10::cuda::device_count()));  // each device
  Sum now_;                                                                                 // all of them
  long long allocated_ = 0;
  long long reserved_ = 0;
  long long fullest_reserved_ = 0;
};

class Replaying {
 public:
  void Apply(const Request& request) {
    switch (request.kind) {
      case Request::Kind::kAllocate:
        blocks_[request.block] = Allocate(request);
        if (with_kernels_.insert(DeviceOf(request)).second) RunKernel();
        return;
      case Request::Kind::kTry:
        if (void* const pointer = Allocate(request)) allocator::raw_delete(pointer);
        return;
      case Request::Kind::kFree:
        return Free(request.block);
      case Request::Kind::kEmptyCache:
        return allocator::emptyCache();
      case Request::Kind::kReleasePool:
        return ReleasePool(request);
      case Request::Kind::kCountHence:
        for (Device device = 0; device < c10::cuda::device_count(); ++device) {
          allocator::resetPeakStats(device);
          allocator::resetAccumulatedStats(device);
        }
        failures_ = 0;
        ++runs_;
        return;
    }
  }

  int failures() const { return failures_; }

 private:
  // Another run's are others. The allocator wants to be told as often that nobody uses one any more as that
  // somebody does.
  PoolId IdOf(uint64_t pool) const { return {runs_, pool}; }

  void ReleasePool(const Request& request) {
    const PoolId pool = IdOf(request.pool);
    for (int& uses = uses_[{DeviceOf(request), pool}]; uses > 0; --uses)
      allocator::releasePool(DeviceOf(request), pool);
  }

  // Null where the card is full.
  void* Allocate(const Request& request) {
    if (request.pool == 0) return AllocateHere(request);
    const PoolId pool = IdOf(request.pool);
    allocator::beginAllocateToPool(DeviceOf(request), pool, [](cudaStream_t) { return true; });
    const bool is_first = ++uses_[{DeviceOf(request), pool}] == 1;
    if (is_first && request.pool_is_whole != 0) KeepWhole(*allocator::get(), DeviceOf(request), pool);
    void* const pointer = AllocateHere(request);
    allocator::endAllocateToPool(DeviceOf(request), pool);
    return pointer;
  }

  void* AllocateHere(const Request& request) {
    if (device_ != DeviceOf(request)) c10::cuda::set_device(device_ = DeviceOf(request));
    try {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the allocator only tells streams apart by it
      auto* const stream = reinterpret_cast<cudaStream_t>(request.stream);
      return allocator::raw_alloc_with_stream(static_cast<size_t>(request.bytes), stream);
    } catch (const c10::OutOfMemoryError&) {
      ++failures_;
      return nullptr;
    }
  }

  void Free(uint64_t block) {
    const auto found = blocks_.find(block);
    if (found == blocks_.end()) return;
    if (found->second != nullptr) allocator::raw_delete(found->second);
    blocks_.erase(found);
  }

  std::unordered_map<uint64_t, void*> blocks_;
  std::map<std::pair<Device, PoolId>, int> uses_;
  std::set<Device> with_kernels_;
  Device device_ = 0;
  uint64_t runs_ = 0;  // before this one
  int failures_ = 0;
};

// What was highest among equal numbers of requests.
class Curve {
 public:
  Curve(size_t columns, size_t requests) : requests_(requests), columns_(std::min(columns, requests)) {}

  void Take(int failures) {
    if (columns_.empty()) return;
    const Sum now = SumNow();
    Column& column = columns_[taken_++ * columns_.size() / requests_];
    column.allocated = std::max(column.allocated, now.allocated);
    column.reserved = std::max(column.reserved, now.reserved);
    column.failures += std::exchange(failures_, failures) < failures ? 1 : 0;
  }
  std::string Json() const {
    std::string text = "[";
    for (const Column& column : columns_) {
      if (text.size() > 1) text += ", ";
      text += "[" + std::to_string(column.allocated) + ", " + std::to_string(column.reserved) + ", " +
              std::to_string(column.failures) + "]";
    }
    return text + "]";
  }

 private:
  struct Column {
    long long allocated = 0;
    long long reserved = 0;
    int failures = 0;
  };
  size_t requests_;
  std::vector<Column> columns_;
  size_t taken_ = 0;
  int failures_ = 0;
};

// As torch.cuda's own beginning (ATen/cuda/detail/CUDAHooks.cpp), which makes what expandable segments ask
// for on a torch that has it.
void InitAllocator() {
#if __has_include(<c10/cuda/PeerToPeerAccess.h>)
  c10::cuda::detail::init_p2p_access_cache(c10::cuda::device_count());
#endif
  allocator::init(c10::cuda::device_count());
}

void Replay(const char* file, size_t columns) {
  InitAllocator();
  std::ifstream requests(file, std::ios::binary);
  Replaying replaying;
  size_t left = std::filesystem::file_size(file) / sizeof(Request);
  Curve curve(columns, left);
  Peaks peaks;
  std::vector<Request> batch(4096);
  while (requests) {
    requests.read(reinterpret_cast<char*>(batch.data()),
                  static_cast<std::streamsize>(batch.size() * sizeof(Request)));
    const auto count = static_cast<size_t>(requests.gcount()) / sizeof(Request);
    for (size_t i = 0; i < count; ++i) {
      replaying.Apply(batch[i]);
      --left;
      if (batch[i].kind == Request::Kind::kCountHence) {
        curve = Curve(columns, left);
        peaks = Peaks();
      } else {
        curve.Take(replaying.failures());
        peaks.Take(batch[i]);
      }
    }
  }
  std::printf(
      "%s"
      R"({"allocated_peak_bytes": %lld, "reserved_peak_bytes": %lld, "fullest_reserved_bytes": %lld, "retries": %lld, "failures": %d, "curve": %s})"
      "\n",
      tidemark::phantom::kAnswerPrefix.data(), peaks.allocated(), peaks.reserved(), peaks.fullest_reserved(),
      SumNow().retries, replaying.failures(), curve.Json().c_str());
}

// Its exit code.
int ReplayOn(const char* order, const char* file, size_t columns) {
  setenv(tidemark::phantom::kAddressesVariable, order, 1);
  try {
    Replay(file, columns);
  } catch (const c10::Error& error) {
    std::fprintf(stderr, "%s\n", error.what_without_backtrace());
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}

bool ReplayForked(const char* order, const char* file, size_t columns) {
  const pid_t child = fork();
  if (child == 0) {
    const int code = ReplayOn(order, file, columns);
    std::fflush(nullptr);
    std::_Exit(code);  // what is left of PyTorch's state is not worth its destructors
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && status == 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    std::fputs(
        "tidemark-replayer is started by tidemark, which tells it what to replay: run tidemark instead.\n",
        stderr);
    return 2;
  }
  const size_t columns = std::strtoul(arguments[2], nullptr, 10);
  for (int i = 3; i < count; ++i) {
    if (!ReplayForked(arguments[i], arguments[1], columns)) return 1;
  }
  return 0;
}
