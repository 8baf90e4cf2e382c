#include "profiler/capture/torch/allocator_events.h"

#include <c10/cuda/CUDACachingAllocator.h>

#include <atomic>

#include "profiler/capture/operators/context.h"
#include "profiler/capture/stacks/stack_names.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/torch/library_workspaces.h"

namespace tidemark::capture {
namespace {

using c10::cuda::CUDACachingAllocator::TraceEntry;
using events::Category;
using events::Event;
using events::EventKind;
using events::NameId;

std::atomic<bool> cpu_attached{false};
std::atomic<bool> cuda_attached{false};
std::atomic<bool> cpu_ran_out{false};
BlockObserver block_observer;

// One half of an event, until the allocator's second call on this thread brings the other half.
struct Pending {
  Event event;
  bool waiting = false;
};
thread_local Pending pending_allocation;
thread_local Pending pending_free;

NameId WithStack(EventKind kind, NameId op) {
  switch (kind) {
    case EventKind::kAllocate:
    case EventKind::kOutOfMemory:
      return WithPythonStack(op, current_context.forward_stack);
    case EventKind::kSegmentAllocate:
    case EventKind::kSegmentMap:
      return WithSegmentStack(op, current_context.forward_stack);
    default:
      return op;
  }
}

Event MemoryEvent(EventKind kind, uint64_t address, int64_t bytes, uint64_t stream) {
  Event event;
  event.kind = kind;
  event.source = events::Source::kAllocator;
  event.address = address;
  event.bytes = bytes;
  event.stream = stream;
  const Attribution attribution = CurrentAttribution();
  event.layer = attribution.layer;
  event.op = WithStack(kind, attribution.op);
  event.recompute = current_context.recompute ? 1 : 0;
  return event;
}

void EmitAllocation(Event& event, int64_t rounded_bytes) {
  event.rounded_bytes = rounded_bytes;
  event.category = BirthCategory();
  Emit(event);
  if (block_observer.born != nullptr) block_observer.born(event.address, event.bytes, event.category);
  if (current_context.birth_name == 0) return;
  current_context.last_birth_address = event.address;
  Event named = event;
  named.kind = EventKind::kCategorize;
  named.name = current_context.birth_name;
  Emit(named);
}

void OnFreeCompleted(const TraceEntry& entry, uint64_t stream) {
  pending_free.waiting = false;
  Event event =
      MemoryEvent(EventKind::kFreeCompleted, entry.addr_, static_cast<int64_t>(entry.size_), stream);
  Emit(event);
  ForgetLibraryWorkspace(event.address);
  if (block_observer.died != nullptr) block_observer.died(event.address);
}

void EmitSegment(EventKind kind, const TraceEntry& entry, uint64_t stream) {
  Event event = MemoryEvent(kind, entry.addr_, static_cast<int64_t>(entry.size_), stream);
  Emit(event);
}

void EmitOutOfMemory(int64_t bytes, int64_t free_bytes, uint64_t stream) {
  Event event = MemoryEvent(EventKind::kOutOfMemory, 0, bytes, stream);
  event.rounded_bytes = free_bytes;
  Emit(event);
}

void OnTrace(const TraceEntry& entry) {
  const auto stream = reinterpret_cast<uint64_t>(entry.stream_);
  const auto bytes = static_cast<int64_t>(entry.size_);
  switch (entry.action_) {
    case TraceEntry::ALLOC:
      pending_allocation = {MemoryEvent(EventKind::kAllocate, entry.addr_, bytes, stream), true};
      return;
    case TraceEntry::FREE_REQUESTED:
      pending_free = {MemoryEvent(EventKind::kFreeRequested, entry.addr_, bytes, stream), true};
      return;
    case TraceEntry::FREE_COMPLETED:
      return OnFreeCompleted(entry, stream);
    case TraceEntry::SEGMENT_ALLOC:
      return EmitSegment(EventKind::kSegmentAllocate, entry, stream);
    case TraceEntry::SEGMENT_FREE:
      return EmitSegment(EventKind::kSegmentFree, entry, stream);
    case TraceEntry::SEGMENT_MAP:
      return EmitSegment(EventKind::kSegmentMap, entry, stream);
    case TraceEntry::SEGMENT_UNMAP:
      return EmitSegment(EventKind::kSegmentUnmap, entry, stream);
    case TraceEntry::SNAPSHOT:
      return EmitSegment(EventKind::kSnapshot, entry, stream);
    case TraceEntry::OOM:
      return EmitOutOfMemory(bytes, static_cast<int64_t>(entry.addr_), stream);
  }
}

}  // namespace

void OnCudaReport(int64_t change) {
  if (change >= 0) {
    if (pending_allocation.waiting) EmitAllocation(pending_allocation.event, change);
    pending_allocation.waiting = false;
    return;
  }
  if (pending_free.waiting) Emit(pending_free.event);
  pending_free.waiting = false;
}

void OnCpuReport(void* pointer, int64_t change) {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  if (change >= 0) {
    Event event = MemoryEvent(EventKind::kAllocate, address, change, 0);
    EmitAllocation(event, change);
    return;
  }
  Event event = MemoryEvent(EventKind::kFreeCompleted, address, -change, 0);
  Emit(event);
}

void OnCpuOutOfMemory(int64_t bytes) {
  cpu_ran_out.store(true, std::memory_order_relaxed);
  EmitOutOfMemory(bytes, 0, 0);
}

void SetBlockObserver(const BlockObserver& observer) { block_observer = observer; }

void TraceCpu() { cpu_attached.store(true); }

bool CudaAllocatorReports() { return c10::cuda::CUDACachingAllocator::name() != "cudaMallocAsync"; }

void AttachToCudaAllocator() {
  if (cuda_attached.exchange(true)) return;
  c10::cuda::CUDACachingAllocator::attachAllocatorTraceTracker(OnTrace);
}

bool Traces(c10::DeviceType device) {
  return (device == c10::DeviceType::CUDA ? cuda_attached : cpu_attached).load(std::memory_order_relaxed);
}

bool CpuRanOutOfMemory() { return cpu_ran_out.load(); }

}  // namespace tidemark::capture
