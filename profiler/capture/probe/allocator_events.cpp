// What LibTorch's allocators report, as events. Blocks are told as PyTorch rounded them: what was asked for
// is not in the report. A free counts from the report on, though the block may still wait for other streams.
#include <cstdlib>
#include <iterator>
#include <map>
#include <vector>

#include "profiler/base/thread_annotations.h"
#include "profiler/capture/cupti/driver_source.h"
#include "profiler/capture/gates/allocator_gate.h"
#include "profiler/capture/gates/behind.h"
#include "profiler/capture/gates/probe_loading.h"
#include "profiler/capture/probe/optimizer_steps.h"
#include "profiler/capture/probe/probe.h"
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

void EmitMemory(EventKind kind, uint64_t address, int64_t bytes) {
  Event event;
  event.kind = kind;
  event.source = events::Source::kAllocator;
  event.address = address;
  event.bytes = bytes;
  if (kind == EventKind::kAllocate) {
    event.rounded_bytes = bytes;
    event.op = WithPythonStack(0);
  }
  if (kind == EventKind::kSegmentAllocate) event.op = WithSegmentStack(0);
  Emit(event);
}

// PyTorch's segments, which it does not report: only how much they are in all. When that grows, the block
// that is reported next lies in what is new, and CUPTI knows where that begins and ends. Without CUPTI it is
// taken to begin with the block.
class ReportedSegments {
 public:
  void Follow(uint64_t block, int64_t block_bytes, int64_t reserved, uint16_t device) {
    const std::vector<cupti::Region> held = DriverRegions(block, static_cast<uint64_t>(block_bytes));
    const MutexLock lock(mutex_);
    int64_t& known = reserved_[device];
    const int64_t change = reserved - known;
    known = reserved;
    if (change < 0) return Shrink(-change);
    for (const cupti::Region& region : held) Add(region.address, region.bytes);
    if (held.empty()) Add(block, static_cast<uint64_t>(change));
  }
  bool IsNew(int64_t reserved, uint16_t device) {
    const MutexLock lock(mutex_);
    return reserved_[device] != reserved;
  }

 private:
  void Add(uint64_t address, uint64_t bytes) TIDEMARK_REQUIRES(mutex_) {
    if (!segments_.emplace(address, bytes).second) return;
    EmitMemory(EventKind::kSegmentAllocate, address, static_cast<int64_t>(bytes));
  }
  // Those that the driver holds no longer; then, if nobody knows which, from the highest.
  void Shrink(int64_t bytes) TIDEMARK_REQUIRES(mutex_) {
    for (auto segment = segments_.begin(); segment != segments_.end() && bytes > 0;) {
      const bool held = DriverBytes() == 0 || !DriverRegions(segment->first, 1).empty();
      segment = held ? std::next(segment) : Remove(segment, bytes);
    }
    while (bytes > 0 && !segments_.empty()) {
      const auto last = std::prev(segments_.end());
      if (static_cast<int64_t>(last->second) > bytes) return;
      Remove(last, bytes);
    }
  }
  std::map<uint64_t, uint64_t>::iterator Remove(std::map<uint64_t, uint64_t>::iterator segment,
                                                int64_t& bytes) TIDEMARK_REQUIRES(mutex_) {
    bytes -= static_cast<int64_t>(segment->second);
    EmitMemory(EventKind::kSegmentFree, segment->first, static_cast<int64_t>(segment->second));
    return segments_.erase(segment);
  }

  Mutex mutex_;
  std::map<uint64_t, uint64_t> segments_ TIDEMARK_GUARDED_BY(mutex_);
  std::map<uint16_t, int64_t> reserved_ TIDEMARK_GUARDED_BY(mutex_);
};

ReportedSegments& TheReportedSegments() {
  static auto& segments = *new ReportedSegments;  // threads of LibTorch outlive main
  return segments;
}

}  // namespace

void OnMemoryReported(void* pointer, int64_t change, size_t reserved, uint16_t device) {
  const bool is_cuda = DeviceTypeOf(device) == kCudaDevice;
  if (!is_cuda && !(DeviceTypeOf(device) == kCpuDevice && RecordsCpu())) return;
  if (!ProbeRecords()) return;
  const auto address = reinterpret_cast<uint64_t>(pointer);
  const auto reserved_bytes = static_cast<int64_t>(reserved);
  if (is_cuda && TheReportedSegments().IsNew(reserved_bytes, device)) {
    TheReportedSegments().Follow(address, change > 0 ? change : 1, reserved_bytes, device);
  }
  if (change < 0) return EmitMemory(EventKind::kFreeCompleted, address, -change);
  OpenStep();
  EmitMemory(EventKind::kAllocate, address, change);
}

}  // namespace tidemark::capture

// c10::memoryProfilingEnabled: the CPU's allocator reports where it says yes.
extern "C" bool TidemarkMemoryProfilingEnabled() __asm__("_ZN3c1022memoryProfilingEnabledEv")
    __attribute__((visibility("default")));
bool TidemarkMemoryProfilingEnabled() {
  static const auto behind =
      tidemark::capture::Behind<bool (*)()>("libc10.so", "_ZN3c1022memoryProfilingEnabledEv");
  return tidemark::capture::RecordsCpu() || (behind != nullptr && behind());
}
