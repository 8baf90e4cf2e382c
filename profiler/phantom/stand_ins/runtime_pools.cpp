// The CUDA runtime's stream-ordered allocation, and frees of either kind. There is each device's default pool
// and no other.
#include <deque>
#include <map>
#include <optional>

#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/device/outside_memory.h"
#include "profiler/phantom/stand_ins/runtime_calls.h"
#include "profiler/phantom/stand_ins/runtime_errors.h"

using namespace tidemark::phantom;
using device::Activity;
using device::Device;
using device::TheDevice;
using runtime::Called;
using runtime::Report;

// The runtime declares it and leaves what it is to itself.
struct CUmemPoolHandle_st {
  device::MemoryPool* blocks = nullptr;
  uint64_t release_threshold_bytes = 0;
  // Whether memory that one stream freed may serve another: all of it may, unless the program says otherwise.
  // Streams are empty here, so there is nothing to wait for.
  std::map<cudaMemPoolAttr, int> reuse = {{cudaMemPoolReuseFollowEventDependencies, 1},
                                          {cudaMemPoolReuseAllowOpportunistic, 1},
                                          {cudaMemPoolReuseAllowInternalDependencies, 1}};
};

namespace {

// Never destroyed: LibTorch frees while the process exits.
CUmemPoolHandle_st& DefaultPoolOf(int number, Device& device) {
  static auto& pools = *[&device] {
    auto* const all = new std::deque<CUmemPoolHandle_st>;
    for (device::MemoryPool& blocks : device.pools) all->emplace_back().blocks = &blocks;
    return all;
  }();
  return pools[static_cast<size_t>(number)];
}

device::PoolUse PoolUseOf(const CUmemPoolHandle_st& pool) {
  const device::MemoryPool::Use use = pool.blocks->use();
  return {reinterpret_cast<uint64_t>(&pool), use.reserved_bytes, use.used_bytes,
          pool.release_threshold_bytes};
}

struct Block {
  const void* pointer = nullptr;
  size_t bytes = 0;
  const CUmemPoolHandle_st* pool = nullptr;  // null = of none
};

// What a call without a stream does, it does at once.
void TellBlock(Activity::Kind kind, const Block& block, std::optional<cudaStream_t> stream) {
  if (!device::SomeoneListens()) return;
  Activity activity;
  activity.kind = kind;
  activity.asynchronous = stream.has_value();
  activity.address = reinterpret_cast<uint64_t>(block.pointer);
  activity.bytes = block.bytes;
  activity.stream = reinterpret_cast<uint64_t>(stream.value_or(nullptr));
  if (block.pool != nullptr) activity.pool = PoolUseOf(*block.pool);
  device::Tell(activity);
}

cudaError_t Allocate(void** pointer, size_t bytes, cudaStream_t stream) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  device::Doubt(
      "How much the driver's memory pool keeps reserved is its own affair; only what is used is exact.");
  device::NoteAllocation();
  const CUmemPoolHandle_st& pool = DefaultPoolOf(device::CurrentDevice(), *device);
  *pointer = pool.blocks->Allocate(bytes);
  if (*pointer == nullptr) return Report(cudaErrorMemoryAllocation);
  device::NoteTaken(reinterpret_cast<uint64_t>(*pointer), bytes);
  TellBlock(Activity::Kind::kAllocate, {*pointer, bytes, &pool}, stream);
  return cudaSuccess;
}

cudaError_t Free(void* pointer, std::optional<cudaStream_t> stream) {
  if (pointer == nullptr) return cudaSuccess;
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  const std::optional<Device::Freed> freed = device->Free(pointer);
  if (!freed) return Report(device->host_memory.FreeManaged(pointer) ? cudaSuccess : cudaErrorInvalidValue);
  const CUmemPoolHandle_st* const pool = freed->of_pool ? &DefaultPoolOf(freed->number, *device) : nullptr;
  TellBlock(Activity::Kind::kFree, {pointer, freed->asked_bytes, pool}, stream);
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int number) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  if (!runtime::IsDeviceNumber(number)) return Report(cudaErrorInvalidDevice);
  *pool = &DefaultPoolOf(number, *device);
  return cudaSuccess;
}

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  return Called(runtime::kMallocAsync, runtime::AllocateAsyncParameters{pointer, bytes, stream},
                [&] { return Allocate(pointer, bytes, stream); });
}

cudaError_t cudaFree(void* pointer) {
  device::ContextBegins();  // of nothing, it is the usual way to have one
  return Called(runtime::kFree, runtime::FreeParameters{pointer},
                [&] { return Free(pointer, std::nullopt); });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return Called(runtime::kFreeAsync, runtime::FreeAsyncParameters{pointer, stream},
                [&] { return Free(pointer, stream); });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (TheDevice() == nullptr) return Report(cudaErrorNoDevice);
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      pool->release_threshold_bytes = *static_cast<uint64_t*>(value);
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
      pool->blocks->ResetPeaks();  // only zero may be written there
      return cudaSuccess;
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      pool->reuse[attribute] = *static_cast<int*>(value);
      return cudaSuccess;
    default:
      return Report(cudaErrorInvalidValue);
  }
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (TheDevice() == nullptr) return Report(cudaErrorNoDevice);
  const device::MemoryPool::Use use = pool->blocks->use();
  auto* bytes = static_cast<uint64_t*>(value);
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      *static_cast<int*>(value) = pool->reuse[attribute];
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
      *bytes = pool->release_threshold_bytes;
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
      *bytes = use.reserved_bytes;
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
      *bytes = use.reserved_peak_bytes;
      return cudaSuccess;
    case cudaMemPoolAttrUsedMemCurrent:
      *bytes = use.used_bytes;
      return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh:
      *bytes = use.used_peak_bytes;
      return cudaSuccess;
    default:
      return Report(cudaErrorInvalidValue);
  }
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t kept_bytes) {
  if (TheDevice() == nullptr) return Report(cudaErrorNoDevice);
  pool->blocks->TrimTo(kept_bytes);
  return cudaSuccess;
}

// Every device reaches all memory here.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, size_t) { return cudaSuccess; }

}  // extern "C"
