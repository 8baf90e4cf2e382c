#include "profiler/capture/torch/allocator_events.h"

#include <c10/cuda/CUDACachingAllocator.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include "profiler/base/pool_blocks.h"
#include "profiler/base/thread_annotations.h"
#include "profiler/capture/gates/gates.h"
#include "profiler/capture/gates/phantom_blocks.h"
#include "profiler/capture/operators/context.h"
#include "profiler/capture/operators/made_tensors.h"
#include "profiler/capture/stacks/stack_names.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/torch/library_workspaces.h"
#include "profiler/events/cuda_graphs.h"

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
void (*out_of_memory_observer)() = nullptr;

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

// Private pools get numbers as they come. Several cards' allocators have a lock each. Nobody asks for them
// with a torch that does not tell.
[[maybe_unused]] uint8_t PoolNumberOf(const std::pair<uint64_t, uint64_t>& id) {
  static Mutex mutex;
  static auto& numbers =
      *new std::map<std::pair<uint64_t, uint64_t>, uint8_t>;  // LibTorch's threads outlive main
  if (id == std::pair<uint64_t, uint64_t>{0, 0}) return 0;
  const MutexLock lock(mutex);
  const auto next = static_cast<uint8_t>(std::min<size_t>(numbers.size() + 1, events::kManyPools));
  return numbers.emplace(id, next).first->second;
}

// A torch before 2.8 does not tell.
template <typename Entry>
uint8_t PoolOf(const Entry& entry) {
  if constexpr (requires { entry.mempool_; }) return PoolNumberOf(entry.mempool_);
  return 0;
}

template <typename Entry>
NameId NameOfPool(const Entry& entry) {
  if constexpr (requires { entry.mempool_; }) {
    const auto [first, second] = entry.mempool_;
    return Intern(events::PoolName(static_cast<int64_t>(first), static_cast<int64_t>(second)));
  }
  return 0;
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
  EmitOnDevice(event);
  BlockMade(event.address);
  NoteBlockBorn(event.address, event.bytes);
  if (block_observer.born != nullptr) block_observer.born(event.address, event.bytes, event.category);
  if (current_context.birth_name == 0) return;
  current_context.last_birth_address = event.address;
  Event named = event;
  named.kind = EventKind::kCategorize;
  named.name = current_context.birth_name;
  EmitOnDevice(named);
}

Event MemoryEvent(EventKind kind, const TraceEntry& entry) {
  Event event = MemoryEvent(kind, entry.addr_, static_cast<int64_t>(entry.size_),
                            reinterpret_cast<uint64_t>(entry.stream_));
  event.device = static_cast<uint8_t>(entry.device_);
  event.pool = PoolOf(entry);
  return event;
}

void OnFreeCompleted(Event event) {
  if (block_observer.dies != nullptr) block_observer.dies(event.address);
  EmitOnDevice(event);
  ForgetLibraryWorkspace(event.address);
}

void EmitSegment(EventKind kind, const TraceEntry& entry) {
  Event event = MemoryEvent(kind, entry);
  if (event.pool != 0) event.name = NameOfPool(entry);
  EmitOnDevice(event);
}

// `free_bytes` are of the device.
void EmitOutOfMemory(Event event, int64_t free_bytes) {
  event.address = 0;
  event.rounded_bytes = free_bytes;
  EmitOnDevice(event);
}

void OnTrace(const TraceEntry& entry) {
  switch (entry.action_) {
    case TraceEntry::ALLOC:
      pending_allocation = {MemoryEvent(EventKind::kAllocate, entry), true};
      return;
    case TraceEntry::FREE_REQUESTED:
      pending_free = {MemoryEvent(EventKind::kFreeRequested, entry), true};
      return;
    case TraceEntry::FREE_COMPLETED:
      pending_free.waiting = false;
      return OnFreeCompleted(MemoryEvent(EventKind::kFreeCompleted, entry));
    case TraceEntry::SEGMENT_ALLOC:
      return EmitSegment(EventKind::kSegmentAllocate, entry);
    case TraceEntry::SEGMENT_FREE:
      return EmitSegment(EventKind::kSegmentFree, entry);
    case TraceEntry::SEGMENT_MAP:
      return EmitSegment(EventKind::kSegmentMap, entry);
    case TraceEntry::SEGMENT_UNMAP:
      return EmitSegment(EventKind::kSegmentUnmap, entry);
    case TraceEntry::SNAPSHOT:
      return EmitSegment(EventKind::kSnapshot, entry);
    case TraceEntry::OOM:  // whose address is what the device has free
      return EmitOutOfMemory(MemoryEvent(EventKind::kOutOfMemory, entry), static_cast<int64_t>(entry.addr_));
    default:  // ANNOTATE, from 2.14 on: what a program says of a block changes no memory
      return;
  }
}

// Nobody says which pool it is of, nor what is reserved.
Event AsyncEvent(EventKind kind, const AsyncBlock& block) {
  Event event = MemoryEvent(kind, reinterpret_cast<uint64_t>(block.address),
                            static_cast<int64_t>(block.bytes), reinterpret_cast<uint64_t>(block.stream));
  event.device = static_cast<uint8_t>(block.device);
  return event;
}

void OnAsyncBlockMade(const AsyncBlock& block) {
  Event event = AsyncEvent(EventKind::kAllocate, block);
  EmitAllocation(event, PoolBlockBytes(event.bytes));
}

void OnAsyncBlockGoes(const AsyncBlock& block) {
  OnFreeCompleted(AsyncEvent(EventKind::kFreeCompleted, block));
}

void OnAsyncBlockFailed(const AsyncBlock& block, size_t free_bytes) {
  if (out_of_memory_observer != nullptr) out_of_memory_observer();
  EmitOutOfMemory(AsyncEvent(EventKind::kOutOfMemory, block), static_cast<int64_t>(free_bytes));
}

void ListenToAsyncAllocator() {
  TheGates().async_block_made = OnAsyncBlockMade;
  TheGates().async_block_goes = OnAsyncBlockGoes;
  TheGates().async_block_failed = OnAsyncBlockFailed;
}

bool IsAsyncAllocator() { return c10::cuda::CUDACachingAllocator::name() == "cudaMallocAsync"; }

}  // namespace

void OnCudaReport(int64_t change) {
  if (change >= 0) {
    if (pending_allocation.waiting) EmitAllocation(pending_allocation.event, change);
    pending_allocation.waiting = false;
    return;
  }
  if (pending_free.waiting) {  // not completed with the request: another stream may not be done with it
    EmitOnDevice(pending_free.event);
    BlockWaits();
  }
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
  EmitOnDevice(event);
}

void OnCpuOutOfMemory(int64_t bytes) {
  cpu_ran_out.store(true, std::memory_order_relaxed);
  EmitOutOfMemory(MemoryEvent(EventKind::kOutOfMemory, 0, bytes, 0), 0);
}

void SetBlockObserver(const BlockObserver& observer) { block_observer = observer; }

void TraceCpu() { cpu_attached.store(true); }

void AttachToCudaAllocator(void (*out_of_memory)()) {
  if (cuda_attached.exchange(true)) return;
  out_of_memory_observer = out_of_memory;
  if (IsAsyncAllocator()) return ListenToAsyncAllocator();
  c10::cuda::CUDACachingAllocator::attachAllocatorTraceTracker(OnTrace);
  if (out_of_memory == nullptr) return;
  c10::cuda::CUDACachingAllocator::attachOutOfMemoryObserver([](auto...) { out_of_memory_observer(); });
}

bool Traces(c10::DeviceType device) {
  return (device == c10::DeviceType::CUDA ? cuda_attached : cpu_attached).load(std::memory_order_relaxed);
}

bool CpuRanOutOfMemory() { return cpu_ran_out.load(); }

}  // namespace tidemark::capture
