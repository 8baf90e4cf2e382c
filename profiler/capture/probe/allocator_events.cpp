// What LibTorch's allocators report, as events. Blocks are told as PyTorch rounded them: what was asked for
// is not in the report. A free counts from the report on, though the block may still wait for other streams.
//
// Any thread; reports come under the allocator's lock.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "profiler/base/immortal.h"
#include "profiler/base/thread_annotations.h"
#include "profiler/capture/cupti/driver_source.h"
#include "profiler/capture/gates/allocator_gate.h"
#include "profiler/capture/gates/behind.h"
#include "profiler/capture/gates/probe_loading.h"
#include "profiler/capture/nvml/card_sampler.h"
#include "profiler/capture/nvml/cuda_device.h"
#include "profiler/capture/operators/context.h"
#include "profiler/capture/probe/allocator_state.h"
#include "profiler/capture/probe/operator_loading.h"
#include "profiler/capture/probe/probe.h"
#include "profiler/capture/probe/training_watch.h"
#include "profiler/capture/stacks/stack_names.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/events/event.h"

namespace tidemark::capture {
namespace {

using events::Event;
using events::EventKind;

bool RecordsCpu() {
  static const bool wanted = std::getenv(kProbeCpuVariable) != nullptr;
  return wanted;
}

// The CPU has no number of its own.
uint8_t EventDeviceOf(uint16_t device) {
  return DeviceTypeOf(device) == kCudaDevice ? static_cast<uint8_t>(DeviceNumberOf(device)) : 0;
}

// Whether operators or stacks are told in this process; else nobody looks for them at each block.
constinit std::atomic<bool> knows_context{false};

void AddContext(Event& event) {
  const Attribution attribution = CurrentAttribution();
  event.layer = attribution.layer;
  event.op = attribution.op;
  event.recompute = current_context.recompute ? 1 : 0;
  if (event.kind == EventKind::kAllocate) {
    event.op = WithPythonStack(event.op, current_context.forward_stack);
  }
  if (event.kind == EventKind::kSegmentAllocate) {
    event.op = WithSegmentStack(event.op, current_context.forward_stack);
  }
}

void EmitMemory(EventKind kind, uint64_t address, int64_t bytes, uint16_t device,
                events::Category category = events::Category::kUnknown) {
  Event event;
  event.kind = kind;
  event.source = events::Source::kAllocator;
  event.address = address;
  event.bytes = bytes;
  event.device = EventDeviceOf(device);
  if (kind == EventKind::kAllocate) {
    event.rounded_bytes = bytes;
    event.category = category;
    event.name = OptimizerAtWork();
  }
  if (knows_context.load(std::memory_order_relaxed)) AddContext(event);
  EmitOnDevice(event);
}

// PyTorch's segments, which it does not report: only how much they are in all. When that grows, the block
// that is reported next lies in what is new, and CUPTI knows where that begins and ends. Without CUPTI it is
// taken to begin with the block.
class ReportedSegments {
 public:
  void Follow(uint64_t block, int64_t block_bytes, int64_t reserved, uint16_t device) {
    const std::vector<cupti::Region> held = DriverRegions(block, static_cast<uint64_t>(block_bytes));
    const MutexLock lock(mutex_);
    const int64_t change = reserved - Reserved(device).exchange(reserved, std::memory_order_relaxed);
    if (change < 0) return Shrink(-change, device);
    for (const cupti::Region& region : held) Add(region.address, region.bytes, device);
    if (held.empty()) Add(block, static_cast<uint64_t>(change), device);
  }
  // Without the lock: it is asked with each block. The allocator reports a card's under a lock of its own.
  bool IsNew(int64_t reserved, uint16_t device) {
    return Reserved(device).load(std::memory_order_relaxed) != reserved;
  }

 private:
  static constexpr size_t kMostDevices = 256;  // c10::DeviceIndex has eight bits
  struct Segment {
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint16_t device = 0;
  };
  using Segments = std::vector<Segment>;

  std::atomic<int64_t>& Reserved(uint16_t device) { return reserved_[DeviceNumberOf(device) % kMostDevices]; }
  void Add(uint64_t address, uint64_t bytes, uint16_t device) TIDEMARK_REQUIRES(mutex_) {
    const auto place = std::ranges::lower_bound(segments_, address, {}, &Segment::address);
    if (place != segments_.end() && place->address == address) return;
    segments_.insert(place, {address, bytes, device});
    EmitMemory(EventKind::kSegmentAllocate, address, static_cast<int64_t>(bytes), device);
  }
  // The card's that the driver holds no longer; then, if nobody knows which, from its highest.
  void Shrink(int64_t bytes, uint16_t device) TIDEMARK_REQUIRES(mutex_) {
    for (auto segment = segments_.begin(); segment != segments_.end() && bytes > 0;) {
      const bool stays =
          segment->device != device || DriverBytes() == 0 || !DriverRegions(segment->address, 1).empty();
      segment = stays ? std::next(segment) : Remove(segment, bytes);
    }
    for (auto segment = segments_.end(); segment != segments_.begin() && bytes > 0;) {
      --segment;
      if (segment->device != device) continue;
      if (static_cast<int64_t>(segment->bytes) > bytes) return;
      segment = Remove(segment, bytes);
    }
  }
  Segments::iterator Remove(Segments::iterator segment, int64_t& bytes) TIDEMARK_REQUIRES(mutex_) {
    const auto removed_bytes = static_cast<int64_t>(segment->bytes);
    bytes -= removed_bytes;
    EmitMemory(EventKind::kSegmentFree, segment->address, removed_bytes, segment->device);
    return segments_.erase(segment);
  }

  Mutex mutex_;
  Segments segments_ TIDEMARK_GUARDED_BY(mutex_);  // in the order of their addresses
  std::array<std::atomic<int64_t>, kMostDevices> reserved_{};
};

// The card that is watched is the one that PyTorch works on first.
void NoteFirstCard(uint16_t device) {
  static std::atomic<bool> noted{false};
  if (noted.load(std::memory_order_relaxed) || noted.exchange(true)) return;
  UsesCard(UuidOfCudaDevice(DeviceNumberOf(device)));
}

// What is done once, at an allocator's first report. Nothing of it is looked at with each block.
void NoteReports(bool is_cuda, uint16_t device) {
  static constinit std::array<std::atomic<bool>, 2> noted{};
  std::atomic<bool>& known = noted[is_cuda ? 1 : 0];
  if (known.load(std::memory_order_relaxed)) return;
  known = true;
  TellAllocatorReports(is_cuda);
  if (WantsPythonStacks() || WantsNativeStacks()) knows_context = true;
  if (LoadOperatorWatch()) knows_context = true;
  if (is_cuda) NoteFirstCard(device);
}

constinit Immortal<ReportedSegments> reported_segments;

}  // namespace

void OnMemoryReported(void* pointer, int64_t change, size_t reserved, uint16_t device) {
  const bool is_cuda = DeviceTypeOf(device) == kCudaDevice;
  if (!is_cuda && !(DeviceTypeOf(device) == kCpuDevice && RecordsCpu())) return;
  if (!ProbeRecordsAllocator()) return;
  NoteReports(is_cuda, device);
  const auto address = reinterpret_cast<uint64_t>(pointer);
  const auto reserved_bytes = static_cast<int64_t>(reserved);
  ReportedSegments& segments = reported_segments.object;
  if (is_cuda && segments.IsNew(reserved_bytes, device)) {
    segments.Follow(address, change > 0 ? change : 1, reserved_bytes, device);
  }
  if (change < 0) {
    EmitMemory(EventKind::kFreeCompleted, address, -change, device);
    OnBlockDied(address);
    return;
  }
  EmitMemory(EventKind::kAllocate, address, change, device, OnBlockBorn(address));
}

namespace {

// What is asked for, and what the card has left; and how the card stands at that moment, once PyTorch has
// given back what it had cached.
void OnOutOfMemoryReported(int64_t bytes, int64_t reserved, uint16_t device) {
  if (DeviceTypeOf(device) != kCudaDevice || !ProbeRecordsAllocator()) return;
  NoteReports(true, device);
  ReportedSegments& segments = reported_segments.object;
  if (segments.IsNew(reserved, device)) segments.Follow(0, 0, reserved, device);
  SampleCard();
  Event event;
  event.kind = EventKind::kOutOfMemory;
  event.source = events::Source::kAllocator;
  event.bytes = bytes;
  event.device = EventDeviceOf(device);
  event.rounded_bytes = FreeBytesOfCard(UuidOfCudaDevice(DeviceNumberOf(device)));
  event.op = WithPythonStack(CurrentAttribution().op, current_context.forward_stack);
  EmitOnDevice(event);
}

}  // namespace

}  // namespace tidemark::capture

#define TIDEMARK_REPORT_OUT_OF_MEMORY "_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE"

// c10::memoryProfilingEnabled: the CPU's allocator reports where it says yes.
extern "C" bool TidemarkMemoryProfilingEnabled() __asm__("_ZN3c1022memoryProfilingEnabledEv")
    __attribute__((visibility("default")));
// CUDA's allocator calls it under its lock, once it has tried everything.
extern "C" void TidemarkReportOutOfMemory(int64_t bytes, size_t allocated, size_t reserved,
                                          uint16_t device) __asm__(TIDEMARK_REPORT_OUT_OF_MEMORY)
    __attribute__((visibility("default")));

void TidemarkReportOutOfMemory(int64_t bytes, size_t allocated, size_t reserved, uint16_t device) {
  using Function = void (*)(int64_t, size_t, size_t, uint16_t);
  static constinit tidemark::capture::FunctionBehind<Function> next;
  const Function behind = next.Get("libc10.so", TIDEMARK_REPORT_OUT_OF_MEMORY);
  tidemark::capture::OnOutOfMemoryReported(bytes, static_cast<int64_t>(reserved), device);
  if (behind != nullptr) behind(bytes, allocated, reserved, device);
}
bool TidemarkMemoryProfilingEnabled() {
  static constinit tidemark::capture::FunctionBehind<bool (*)()> next;
  const auto behind = next.Get("libc10.so", "_ZN3c1022memoryProfilingEnabledEv");
  return tidemark::capture::RecordsCpu() || (behind != nullptr && behind());
}
