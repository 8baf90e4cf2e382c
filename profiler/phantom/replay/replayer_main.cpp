// tidemark-replayer REQUESTS ORDER...: puts requests (request.h) to PyTorch's CUDA allocator, on a fresh
// phantom for each order of addresses (address_order.h), and prints a line of JSON with its peaks for each.
// The phantoms are forked from one process, since loading takes ten times as long as most runs' requests.
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/util/Exception.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <unordered_map>
#include <vector>

#include "profiler/phantom/environment.h"
#include "profiler/phantom/replay/request.h"

namespace {

using tidemark::phantom::Request;
namespace allocator = c10::cuda::CUDACachingAllocator;

class Replaying {
 public:
  void Apply(const Request& request) {
    switch (request.kind) {
      case Request::Kind::kAllocate:
        blocks_[request.block] = Allocate(request);
        return;
      case Request::Kind::kTry:
        if (void* const pointer = Allocate(request)) allocator::raw_delete(pointer);
        return;
      case Request::Kind::kFree:
        return Free(request.block);
      case Request::Kind::kEmptyCache:
        return allocator::emptyCache();
    }
  }

  int failures() const { return failures_; }

 private:
  // Null where the card is full.
  void* Allocate(const Request& request) {
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
  int failures_ = 0;
};

void Replay(const char* file) {
  allocator::init(1);
  std::ifstream requests(file, std::ios::binary);
  Replaying replaying;
  std::vector<Request> batch(4096);
  while (requests) {
    requests.read(reinterpret_cast<char*>(batch.data()),
                  static_cast<std::streamsize>(batch.size() * sizeof(Request)));
    const auto count = static_cast<size_t>(requests.gcount()) / sizeof(Request);
    for (size_t i = 0; i < count; ++i) replaying.Apply(batch[i]);
  }
  const auto statistics = allocator::getDeviceStats(0);
  std::printf(
      R"({"allocated_peak_bytes": %lld, "reserved_peak_bytes": %lld, "retries": %lld, "failures": %d})"
      "\n",
      static_cast<long long>(statistics.allocated_bytes[0].peak),
      static_cast<long long>(statistics.reserved_bytes[0].peak),
      static_cast<long long>(statistics.num_alloc_retries), replaying.failures());
}

// Its exit code.
int ReplayOn(const char* order, const char* file) {
  setenv(tidemark::phantom::kAddressesVariable, order, 1);
  try {
    Replay(file);
  } catch (const c10::Error& error) {
    std::fprintf(stderr, "%s\n", error.what_without_backtrace());
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}

bool ReplayForked(const char* order, const char* file) {
  const pid_t child = fork();
  if (child == 0) {
    const int code = ReplayOn(order, file);
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
  if (count < 3) {
    std::fputs(
        "tidemark-replayer is started by tidemark, which tells it what to replay: run tidemark instead.\n",
        stderr);
    return 2;
  }
  for (int i = 2; i < count; ++i) {
    if (!ReplayForked(arguments[i], arguments[1])) return 1;
  }
  return 0;
}
