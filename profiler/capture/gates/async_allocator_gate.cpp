// The gate at CUDA's stream-ordered allocation. PyTorch with backend:cudaMallocAsync has its blocks from
// there and tells nobody of them (c10/cuda/CUDAMallocAsyncAllocator.cpp: under its lock, with the block's
// device as the current one). What others take so is not PyTorch's, and passes.
//
// That file asks in two places: in mallocAsync, where every block comes from, and in cacheInfo, which tries
// for cuDNN's benchmark how much there is room for and gives it back at once. A benchmark has tensors: so the
// place that asks first is the former, and what others get is no block.
#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <string_view>
#include <utility>

#include "profiler/capture/gates/behind.h"
#include "profiler/capture/gates/gates.h"

namespace {

using tidemark::capture::AsyncBlock;
using tidemark::capture::FunctionBehind;
using tidemark::capture::FunctionIn;
using tidemark::capture::LibraryOf;
using tidemark::capture::Tell;
using tidemark::capture::TheGates;

constexpr int kSuccess = 0;      // driver_types.h: cudaError
constexpr int kOutOfMemory = 2;  // cudaErrorMemoryAllocation
constexpr int kNoRuntime = 35;   // cudaErrorInsufficientDriver
constexpr const char* kPyTorch = "libc10_cuda.so";

// Whichever CUDA runtime is loaded.
void* FunctionOfRuntime(const char* name) {
  std::pair<const char*, void*> wanted{name, nullptr};
  dl_iterate_phdr(
      [](dl_phdr_info* library, size_t, void* data) {
        const std::string_view file = library->dlpi_name;
        if (!file.substr(file.rfind('/') + 1).starts_with("libcudart.so")) return 0;
        auto& [sought, found] = *static_cast<std::pair<const char*, void*>*>(data);
        found = FunctionIn(library->dlpi_name, sought);
        return found == nullptr ? 0 : 1;
      },
      &wanted);
  return wanted.second;
}

// What the caller would have called without us: a process may have several runtimes, each found by the
// libraries that need it. The program itself would have found us, and so would who leaves its own frame
// first.
void* BehindCaller(const char* caller, const char* name, const void* gate) {
  void* behind = caller == nullptr ? nullptr : FunctionIn(caller, name);
  if (behind == nullptr || behind == gate) behind = dlsym(RTLD_NEXT, name);
  return behind == nullptr ? FunctionOfRuntime(name) : behind;
}

// The gate's function behind, and whether PyTorch calls. PyTorch's places are few and it is never unloaded,
// so they are kept; others' are looked at each time.
class Callers {
 public:
  struct Call {
    void* behind = nullptr;
    bool is_pytorch = false;
  };
  Call From(const void* caller, const char* name, const void* gate) {
    for (const Site* site = sites_.load(std::memory_order_acquire); site != nullptr; site = site->next) {
      if (site->caller == caller) return {site->behind, true};
    }
    const char* const library = LibraryOf(caller);
    const Call call{BehindCaller(library, name, gate),
                    library != nullptr && std::string_view(library).ends_with(kPyTorch)};
    if (call.is_pytorch) Keep(caller, call.behind);
    return call;
  }

 private:
  struct Site {
    const void* caller = nullptr;
    void* behind = nullptr;
    const Site* next = nullptr;
  };
  void Keep(const void* caller, void* behind) {
    auto* const site = new Site{caller, behind, sites_.load(std::memory_order_relaxed)};
    while (!sites_.compare_exchange_weak(site->next, site, std::memory_order_release)) {
    }
  }
  std::atomic<const Site*> sites_{nullptr};
};

// Of PyTorch's places the one that asked first.
bool IsAllocator(const void* caller) {
  static constinit std::atomic<const void*> allocator{nullptr};
  const void* first = nullptr;
  return allocator.compare_exchange_strong(first, caller, std::memory_order_relaxed) || first == caller;
}

constinit thread_local const void* tried = nullptr;  // is given back on the same thread, before anything else

// PyTorch has made the block's device the current one.
AsyncBlock BlockAt(const void* address, size_t bytes, const void* stream) {
  static constinit FunctionBehind<int (*)(int*)> get_device;
  const auto get = get_device.Get(kPyTorch, "cudaGetDevice");
  int device = 0;
  if (get == nullptr || get(&device) != kSuccess) device = 0;
  return {address, bytes, stream, device};
}

size_t FreeBytes() {
  static constinit FunctionBehind<int (*)(size_t*, size_t*)> get_memory;
  const auto get = get_memory.Get(kPyTorch, "cudaMemGetInfo");
  size_t free = 0;
  size_t total = 0;
  return get != nullptr && get(&free, &total) == kSuccess ? free : 0;
}

void TellMade(int code, const AsyncBlock& block, bool is_allocator) {
  if (!is_allocator) {
    tried = code == kSuccess ? block.address : nullptr;
    return;
  }
  if (code == kSuccess) Tell(TheGates().async_block_made, block);
  if (code == kOutOfMemory) Tell(TheGates().async_block_failed, block, FreeBytes());
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): their names
extern "C" {

int TidemarkMallocAsync(void** block, size_t bytes, void* stream) TIDEMARK_GATE("cudaMallocAsync");
int TidemarkFreeAsync(void* block, void* stream) TIDEMARK_GATE("cudaFreeAsync");

int TidemarkMallocAsync(void** block, size_t bytes, void* stream) {
  static constinit Callers callers;
  const void* const caller = __builtin_return_address(0);
  const auto [behind, is_pytorch] =
      callers.From(caller, "cudaMallocAsync", reinterpret_cast<const void*>(&TidemarkMallocAsync));
  if (behind == nullptr) return kNoRuntime;
  const int code = reinterpret_cast<int (*)(void**, size_t, void*)>(behind)(block, bytes, stream);
  if (is_pytorch)
    TellMade(code, BlockAt(code == kSuccess ? *block : nullptr, bytes, stream), IsAllocator(caller));
  return code;
}

// Told before CUDA has the block, which another thread may get from it at once.
int TidemarkFreeAsync(void* block, void* stream) {
  static constinit Callers callers;
  const auto [behind, is_pytorch] = callers.From(__builtin_return_address(0), "cudaFreeAsync",
                                                 reinterpret_cast<const void*>(&TidemarkFreeAsync));
  if (behind == nullptr) return kNoRuntime;
  const bool was_tried = block != nullptr && std::exchange(tried, nullptr) == block;
  if (is_pytorch && !was_tried) Tell(TheGates().async_block_goes, BlockAt(block, 0, stream));
  return reinterpret_cast<int (*)(void*, void*)>(behind)(block, stream);
}
}
// NOLINTEND(readability-identifier-naming)
