// The gate at CUDA's stream-ordered allocation. PyTorch with backend:cudaMallocAsync has each of its blocks
// from there and tells nobody of them (c10/cuda/CUDAMallocAsyncAllocator.cpp: under its lock, with the
// block's device as the current one). What others take so is not PyTorch's, and passes.
#include <dlfcn.h>

#include <atomic>
#include <string_view>

#include "profiler/capture/gates/behind.h"
#include "profiler/capture/gates/gates.h"

namespace {

using tidemark::capture::AsyncBlock;
using tidemark::capture::FunctionBehind;
using tidemark::capture::Tell;
using tidemark::capture::TheGates;

constexpr int kSuccess = 0;      // driver_types.h: cudaError
constexpr int kOutOfMemory = 2;  // cudaErrorMemoryAllocation
constexpr int kNoRuntime = 35;   // cudaErrorInsufficientDriver
constexpr const char* kPyTorch = "libc10_cuda.so";

// A place that calls, and what it would have called without us: a process may have several CUDA runtimes.
struct Site {
  const void* caller = nullptr;
  void* behind = nullptr;
  bool is_pytorch = false;
  const Site* next = nullptr;
};
// They are few, are looked at once, and stay as long as the process.
using Sites = std::atomic<const Site*>;

Site LookAt(const void* caller, const char* name, const void* gate) {
  Site site{caller, nullptr, false, nullptr};
  Dl_info place{};
  if (dladdr(caller, &place) != 0 && place.dli_fname != nullptr) {
    site.is_pytorch = std::string_view(place.dli_fname).ends_with(kPyTorch);
    if (void* const library = dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD))
      site.behind = dlsym(library, name);
  }
  // The program itself would have found us, too.
  if (site.behind == nullptr || site.behind == gate)
    site.behind = tidemark::capture::Behind<void*>(kPyTorch, name);
  return site;
}

const Site& SiteOf(Sites& sites, const void* caller, const char* name, const void* gate) {
  const Site* first = sites.load(std::memory_order_acquire);
  for (const Site* site = first; site != nullptr; site = site->next) {
    if (site->caller == caller) return *site;
  }
  auto* const site = new Site(LookAt(caller, name, gate));
  do {
    site->next = first;
  } while (!sites.compare_exchange_weak(first, site, std::memory_order_acq_rel));
  return *site;
}

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

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): their names
extern "C" {

int TidemarkMallocAsync(void** block, size_t bytes, void* stream) TIDEMARK_GATE("cudaMallocAsync");
int TidemarkFreeAsync(void* block, void* stream) TIDEMARK_GATE("cudaFreeAsync");

int TidemarkMallocAsync(void** block, size_t bytes, void* stream) {
  static constinit Sites sites{nullptr};
  const Site& site = SiteOf(sites, __builtin_return_address(0), "cudaMallocAsync",
                            reinterpret_cast<const void*>(&TidemarkMallocAsync));
  if (site.behind == nullptr) return kNoRuntime;
  const int code = reinterpret_cast<int (*)(void**, size_t, void*)>(site.behind)(block, bytes, stream);
  if (!site.is_pytorch) return code;
  if (code == kSuccess) Tell(TheGates().async_block_made, BlockAt(*block, bytes, stream));
  if (code == kOutOfMemory) Tell(TheGates().async_block_failed, BlockAt(nullptr, bytes, stream), FreeBytes());
  return code;
}

// Told before CUDA has the block, which another thread may get from it at once.
int TidemarkFreeAsync(void* block, void* stream) {
  static constinit Sites sites{nullptr};
  const Site& site = SiteOf(sites, __builtin_return_address(0), "cudaFreeAsync",
                            reinterpret_cast<const void*>(&TidemarkFreeAsync));
  if (site.behind == nullptr) return kNoRuntime;
  if (site.is_pytorch) Tell(TheGates().async_block_goes, BlockAt(block, 0, stream));
  return reinterpret_cast<int (*)(void*, void*)>(site.behind)(block, stream);
}
}
// NOLINTEND(readability-identifier-naming)
