#include "profiler/capture/probe/allocator_state.h"

#include <atomic>
#include <cstdlib>
#include <string>
#include <utility>

#include "profiler/base/thread_annotations.h"
#include "profiler/capture/gates/loaded.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/events/allocator_settings.h"
#include "profiler/events/source_standing.h"

namespace tidemark::capture {
namespace {

constexpr const char* kLive = "live (blocks as PyTorch sets them aside; what was asked for is not told)";
constexpr const char* kLiveAsync =
    "live (cudaMallocAsync's blocks, as PyTorch asks for them; what its memory pool keeps is of the driver's "
    "level)";
constexpr const char* kLiveOnCpu = "live (the CPU's tensors, as they were asked for)";
constexpr const char* kLiveOnBoth =
    "live (the card's blocks as PyTorch sets them aside, and the CPU's tensors: what is allocated is of both "
    "together)";
constexpr const char* kAbsent =
    "absent: there is no PyTorch in this process, so there are no tensors and blocks to tell of; the driver "
    "and the card are recorded";
constexpr const char* kWaiting =
    "waiting: PyTorch has told of no block on the card yet; an allocator that a program puts in its place "
    "(CUDAPluggableAllocator) never does";
// c10/cuda/CUDACachingAllocator.cpp, forceUncachedAllocator: blocks come from cudaMalloc, and are not told.
constexpr const char* kNoCaching = "PYTORCH_NO_CUDA_MEMORY_CACHING";
constexpr const char* kUncached =
    "blocked: PyTorch tells nobody of its blocks while PYTORCH_NO_CUDA_MEMORY_CACHING is set: unset it to "
    "see them; the driver and the card are recorded";

const char* LiveOnCuda() {
  return events::IsAsyncAllocator(events::AllocatorSettings()) ? kLiveAsync : kLive;
}

// Before the first block of the card's was told.
std::string OutlookOnCuda(bool has_torch) {
  if (!has_torch) return kAbsent;
  return std::getenv(kNoCaching) != nullptr ? kUncached : kWaiting;
}

class AllocatorState {
 public:
  void CudaBegins() {
    // Not under our lock: the loader's may be held by a library that allocates while it is loaded, and so
    // waits for ours.
    const bool has_torch = IsLoaded("libc10.so");
    const MutexLock lock(mutex_);
    has_torch_ = has_torch_ || has_torch;
    if (!std::exchange(cuda_begins_, true)) Tell();
  }
  void Reports(bool is_cuda) {
    std::atomic<bool>& reports = is_cuda ? cuda_reports_ : cpu_reports_;
    if (reports.load(std::memory_order_relaxed)) return;
    const MutexLock lock(mutex_);
    has_torch_ = true;  // it is who reports
    if (!reports.exchange(true)) Tell();
  }

 private:
  void Tell() const TIDEMARK_REQUIRES(mutex_) {
    const std::string outlook = cuda_begins_ && !cuda_reports_ ? OutlookOnCuda(has_torch_) : "";
    const bool is_blocked = outlook.starts_with("blocked");
    if (!cpu_reports_ && !cuda_reports_) return EmitState(events::Source::kAllocator, outlook);
    if (!is_blocked) {
      const char* const of_one = cuda_reports_ ? LiveOnCuda() : kLiveOnCpu;
      const bool both_report = cuda_reports_ && cpu_reports_;
      return EmitState(events::Source::kAllocator, both_report ? kLiveOnBoth : of_one);
    }
    EmitState(events::Source::kAllocator,
              events::InPart("live", "only of the CPU's tensors; of the card's it is " + outlook));
  }

  Mutex mutex_;
  bool cuda_begins_ TIDEMARK_GUARDED_BY(mutex_) = false;
  bool has_torch_ TIDEMARK_GUARDED_BY(mutex_) = false;
  std::atomic<bool> cuda_reports_{false};
  std::atomic<bool> cpu_reports_{false};
};

AllocatorState& TheAllocatorState() {
  static auto& state = *new AllocatorState;  // threads of LibTorch outlive main
  return state;
}

}  // namespace

void TellAllocatorsOutlook() { TheAllocatorState().CudaBegins(); }
void TellAllocatorReports(bool is_cuda) { TheAllocatorState().Reports(is_cuda); }

}  // namespace tidemark::capture
