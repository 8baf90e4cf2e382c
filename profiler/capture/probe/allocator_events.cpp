// What LibTorch's allocators report, as events. Blocks are told as PyTorch rounded them: what was asked for
// is not in the report. A free counts from the report on, though the block may still wait for other streams.
// Those of cudaMallocAsync (backend:cudaMallocAsync) nobody reports: they are seen as PyTorch asks for them.
//
// Any thread; reports come under the allocator's lock.
#include <array>
#include <atomic>
#include <cstdlib>
#include <string>

#include "profiler/base/pool_blocks.h"
#include "profiler/capture/course/course.h"
#include "profiler/capture/cupti/driver_source.h"
#include "profiler/capture/gates/allocator_gate.h"
#include "profiler/capture/gates/behind.h"
#include "profiler/capture/gates/gates.h"
#include "profiler/capture/gates/probe_loading.h"
#include "profiler/capture/nvml/card_sampler.h"
#include "profiler/capture/nvml/cuda_device.h"
#include "profiler/capture/operators/context.h"
#include "profiler/capture/operators/made_tensors.h"
#include "profiler/capture/probe/allocator_state.h"
#include "profiler/capture/probe/operator_loading.h"
#include "profiler/capture/probe/probe.h"
#include "profiler/capture/probe/reported_segments.h"
#include "profiler/capture/probe/training_watch.h"
#include "profiler/capture/stacks/stack_names.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/events/card_counter.h"
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
  if (event.kind == EventKind::kAllocate || event.kind == EventKind::kOutOfMemory) {
    event.op = WithPythonStack(event.op, current_context.forward_stack);
  }
  if (event.kind == EventKind::kSegmentAllocate) {
    event.op = WithSegmentStack(event.op, current_context.forward_stack);
  }
}

Event MemoryEvent(EventKind kind, uint64_t address, int64_t bytes, uint8_t device) {
  Event event;
  event.kind = kind;
  event.source = events::Source::kAllocator;
  event.address = address;
  event.bytes = bytes;
  event.device = device;
  return event;
}

void EmitWithContext(Event event) {
  if (knows_context.load(std::memory_order_relaxed)) AddContext(event);
  EmitOnDevice(event);
}

void EmitMemory(EventKind kind, uint64_t address, int64_t bytes, uint16_t device) {
  EmitWithContext(MemoryEvent(kind, address, bytes, EventDeviceOf(device)));
}

// `event.bytes`: as they were asked for, where that is known.
void EmitAllocation(Event event, int64_t rounded_bytes) {
  event.category = OnBlockBorn(event.address);
  event.rounded_bytes = rounded_bytes;
  event.name = OptimizerAtWork();
  if (TheCourse().IsInForward()) event.phase = events::Phase::kForward;
  EmitWithContext(event);
  BlockMade(event.address);
}

struct CardMemory {
  int64_t free = 0;
  int64_t total = 0;
};

// As PyTorch asks for it; zeros where the device is not this thread's.
CardMemory MemoryOf(int number) {
  constexpr int kSuccess = 0;  // cudaSuccess
  static const auto get_device = Behind<int (*)(int* device)>("libc10_cuda.so", "cudaGetDevice");
  static const auto get_memory =
      Behind<int (*)(size_t * free, size_t * total)>("libc10_cuda.so", "cudaMemGetInfo");
  int current = 0;
  size_t free = 0;
  size_t total = 0;
  const bool is_told = get_device != nullptr && get_memory != nullptr && get_device(&current) == kSuccess &&
                       current == number && get_memory(&free, &total) == kSuccess;
  return is_told ? CardMemory{static_cast<int64_t>(free), static_cast<int64_t>(total)} : CardMemory{};
}

// The card that is watched is the one that PyTorch works on first.
void NoteFirstCard(uint16_t device) {
  static std::atomic<bool> noted{false};
  if (noted.load(std::memory_order_relaxed) || noted.exchange(true)) return;
  const int number = DeviceNumberOf(device);
  UsesCard(UuidOfCudaDevice(number));
  const int64_t bytes = MemoryOf(number).total;
  const std::string name = NameOfCudaDevice(number);
  if (!name.empty() && bytes > 0) EmitCount(events::Source::kDevice, events::CardCounter(name), bytes, bytes);
}

void TellOfSegment(EventKind kind, uint64_t address, int64_t bytes, uint16_t device) {
  EmitMemory(kind, address, bytes, device);
}

ReportedSegments& TheReportedSegments() {
  static auto& segments = *new ReportedSegments(TellOfSegment);  // threads of LibTorch outlive main
  return segments;
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
  if (!is_cuda) return;
  OnDriverMemoryLeaves([](uint64_t address, uint64_t bytes) { TheReportedSegments().Leave(address, bytes); });
  NoteFirstCard(device);
}

}  // namespace

void OnMemoryReported(void* pointer, int64_t change, size_t reserved, uint16_t device) {
  const bool is_cuda = DeviceTypeOf(device) == kCudaDevice;
  if (!is_cuda && !(DeviceTypeOf(device) == kCpuDevice && RecordsCpu())) return;
  if (!ProbeRecordsAllocator()) return;
  NoteReports(is_cuda, device);
  const auto address = reinterpret_cast<uint64_t>(pointer);
  const auto reserved_bytes = static_cast<int64_t>(reserved);
  ReportedSegments& segments = TheReportedSegments();
  if (is_cuda && segments.IsNew(reserved_bytes, device)) {
    segments.Follow(address, change > 0 ? change : 1, reserved_bytes, device);
  }
  if (change < 0) {
    EmitMemory(EventKind::kFreeCompleted, address, -change, device);
    OnBlockDied(address);
    return;
  }
  EmitAllocation(MemoryEvent(EventKind::kAllocate, address, change, EventDeviceOf(device)), change);
}

namespace {

// NVML counts a little otherwise than PyTorch's message does.
int64_t FreeBytes(int number) {
  const CardMemory memory = MemoryOf(number);
  return memory.total > 0 ? memory.free : FreeBytesOfCard(UuidOfCudaDevice(number));
}

// What is asked for, and what the card has left; and how the card stands at that moment, once PyTorch has
// given back what it had cached.
void EmitOutOfMemory(int64_t bytes, int64_t free_bytes, uint8_t device) {
  SampleCard();
  Event event = MemoryEvent(EventKind::kOutOfMemory, 0, bytes, device);
  event.rounded_bytes = free_bytes;
  EmitWithContext(event);
}

void OnOutOfMemoryReported(int64_t bytes, int64_t reserved, uint16_t device) {
  if (DeviceTypeOf(device) != kCudaDevice || !ProbeRecordsAllocator()) return;
  NoteReports(true, device);
  ReportedSegments& segments = TheReportedSegments();
  if (segments.IsNew(reserved, device)) segments.Follow(0, 0, reserved, device);
  EmitOutOfMemory(bytes, FreeBytes(DeviceNumberOf(device)), EventDeviceOf(device));
}

// Of the allocator that does not report. What is allocated with it is told from its first block on.
bool RecordsAsyncBlock(const AsyncBlock& block) {
  if (!ProbeRecordsAllocator()) return false;
  NoteReports(true, CudaDevice(block.device));
  return true;
}

Event AsyncEvent(EventKind kind, const AsyncBlock& block) {
  return MemoryEvent(kind, reinterpret_cast<uint64_t>(block.address), static_cast<int64_t>(block.bytes),
                     static_cast<uint8_t>(block.device));
}

void OnAsyncBlockMade(const AsyncBlock& block) {
  if (!RecordsAsyncBlock(block)) return;
  EmitAllocation(AsyncEvent(EventKind::kAllocate, block), PoolBlockBytes(static_cast<int64_t>(block.bytes)));
}

void OnAsyncBlockGoes(const AsyncBlock& block) {
  if (!RecordsAsyncBlock(block)) return;
  const Event event = AsyncEvent(EventKind::kFreeCompleted, block);
  EmitWithContext(event);
  OnBlockDied(event.address);
}

void OnAsyncBlockFailed(const AsyncBlock& block, size_t free_bytes) {
  if (!RecordsAsyncBlock(block)) return;
  EmitOutOfMemory(static_cast<int64_t>(block.bytes), static_cast<int64_t>(free_bytes),
                  static_cast<uint8_t>(block.device));
}

// From the beginning: where CUDA does not call the probe, the first block does.
[[maybe_unused]] const bool listens_to_async_allocator = [] {
  TheGates().async_block_made = OnAsyncBlockMade;
  TheGates().async_block_goes = OnAsyncBlockGoes;
  TheGates().async_block_failed = OnAsyncBlockFailed;
  return true;
}();

}  // namespace

}  // namespace tidemark::capture

#define TIDEMARK_REPORT_OUT_OF_MEMORY "_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE"
#define TIDEMARK_MEMORY_PROFILING_ENABLED "_ZN3c1022memoryProfilingEnabledEv"

// c10::memoryProfilingEnabled: the CPU's allocator reports where it says yes.
extern "C" bool TidemarkMemoryProfilingEnabled() TIDEMARK_GATE(TIDEMARK_MEMORY_PROFILING_ENABLED);
// CUDA's allocator calls it under its lock, once it has tried everything.
extern "C" void TidemarkReportOutOfMemory(int64_t bytes, size_t allocated, size_t reserved, uint16_t device)
    TIDEMARK_GATE(TIDEMARK_REPORT_OUT_OF_MEMORY);

void TidemarkReportOutOfMemory(int64_t bytes, size_t allocated, size_t reserved, uint16_t device) {
  using Function = void (*)(int64_t, size_t, size_t, uint16_t);
  static constinit tidemark::capture::FunctionBehind<Function> next;
  const Function behind = next.Get("libc10.so", TIDEMARK_REPORT_OUT_OF_MEMORY);
  tidemark::capture::OnOutOfMemoryReported(bytes, static_cast<int64_t>(reserved), device);
  if (behind != nullptr) behind(bytes, allocated, reserved, device);
}
bool TidemarkMemoryProfilingEnabled() {
  static constinit tidemark::capture::FunctionBehind<bool (*)()> next;
  const auto behind = next.Get("libc10.so", TIDEMARK_MEMORY_PROFILING_ENABLED);
  return tidemark::capture::RecordsCpu() || (behind != nullptr && behind());
}
