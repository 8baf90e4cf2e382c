#include "profiler/capture/cupti/watched_calls.h"

#include <array>
#include <cstddef>

#include "profiler/capture/stacks/native_frames.h"

namespace tidemark::capture::cupti {
namespace {

// Parameters as in CUPTI's generated_cuda_meta.h and generated_cuda_runtime_api_meta.h; the driver's and the
// runtime's are alike.
struct AllocateParameters {
  const uint64_t* address;
  size_t bytes;
};
struct PitchParameters {
  const uint64_t* address;
  const size_t* pitch;
  size_t width;
  size_t height;
};
struct AddressParameters {
  uint64_t address;
};
// CUmemAllocationProp: where cuMemCreate makes memory.
struct MemoryProperties {
  int type;
  int handle_types;
  int location;  // kOnDevice, or the host's
  int location_id;
};
struct CreateParameters {
  const uint64_t* handle;
  size_t bytes;
  const MemoryProperties* properties;
};
struct MapParameters {
  uint64_t address;
  size_t bytes;
  size_t offset;
  uint64_t handle;
};
struct UnmapParameters {
  uint64_t address;
  size_t bytes;
};

template <typename Parameters>
const Parameters& Of(const CallbackData& data) {
  return *static_cast<const Parameters*>(data.parameters);
}

void OnAllocate(const Held& held, const CallbackData& data) {
  const auto& call = Of<AllocateParameters>(data);
  held.device.Allocated(*call.address, call.bytes, data.context);
}
void OnAllocatePitch(const Held& held, const CallbackData& data) {
  const auto& call = Of<PitchParameters>(data);
  held.device.Allocated(*call.address, *call.pitch * call.height, data.context);
}
void OnAllocateManaged(const Held& held, const CallbackData& data) {
  const auto& call = Of<AllocateParameters>(data);
  held.managed.Allocated(*call.address, call.bytes, data.context);
}
// What kind of memory lay there, nobody says.
template <void (DriverMemory::*take)(uint64_t address)>
void OnFree(const Held& held, const CallbackData& data) {
  for (DriverMemory* const memory : {&held.device, &held.managed})
    (memory->*take)(Of<AddressParameters>(data).address);
}
void OnFreeBegins(const Held& held, const CallbackData& data) {
  held.leaves(Of<AddressParameters>(data).address, 1);
  OnFree<&DriverMemory::Leaves>(held, data);
}
constexpr auto kOnFreed = OnFree<&DriverMemory::Freed>;
constexpr auto kOnFreeFailed = OnFree<&DriverMemory::Stays>;
void OnCreate(const Held& held, const CallbackData& data) {
  constexpr int kOnDevice = 1;  // CU_MEM_LOCATION_TYPE_DEVICE
  const auto& call = Of<CreateParameters>(data);
  if (call.properties->location == kOnDevice) held.device.Created(*call.handle, call.bytes);
}
template <void (DriverMemory::*take)(uint64_t handle)>
void OnRelease(const Held& held, const CallbackData& data) {
  (held.device.*take)(Of<AddressParameters>(data).address);
}
void OnMap(const Held& held, const CallbackData& data) {
  const auto& call = Of<MapParameters>(data);
  const bool is_first = held.device.Mapped(call.address, call.bytes, call.handle);
  if (is_first && held.libraries != nullptr) {
    held.libraries->Mapped(call.address, call.bytes, LibraryThatAsked());
  }
}
template <void (DriverMemory::*take)(uint64_t address, uint64_t bytes)>
void OnUnmap(const Held& held, const CallbackData& data) {
  const auto& call = Of<UnmapParameters>(data);
  (held.device.*take)(call.address, call.bytes);
}
void OnUnmapBegins(const Held& held, const CallbackData& data) {
  held.leaves(Of<UnmapParameters>(data).address, Of<UnmapParameters>(data).bytes);
  OnUnmap<&DriverMemory::MappingsLeave>(held, data);
}
void OnUnmapped(const Held& held, const CallbackData& data) {
  OnUnmap<&DriverMemory::Unmapped>(held, data);
  const auto& call = Of<UnmapParameters>(data);
  if (held.libraries != nullptr) held.libraries->Unmapped(call.address, call.bytes);
}

constexpr std::array kWatched = {
    WatchedCall{kRuntimeApi, 20, nullptr, OnAllocate},                    // cudaMalloc
    WatchedCall{kRuntimeApi, 21, nullptr, OnAllocatePitch},               // cudaMallocPitch
    WatchedCall{kRuntimeApi, 22, OnFreeBegins, kOnFreed, kOnFreeFailed},  // cudaFree
    WatchedCall{kRuntimeApi, 206, nullptr, OnAllocateManaged},            // cudaMallocManaged
    WatchedCall{kDriverApi, 243, nullptr, OnAllocate},                    // cuMemAlloc_v2
    WatchedCall{kDriverApi, 244, nullptr, OnAllocatePitch},               // cuMemAllocPitch_v2
    WatchedCall{kDriverApi, 245, OnFreeBegins, kOnFreed, kOnFreeFailed},  // cuMemFree_v2
    WatchedCall{kDriverApi, 371, nullptr, OnAllocateManaged},             // cuMemAllocManaged
    WatchedCall{kDriverApi, 549, nullptr, OnCreate},                      // cuMemCreate
    // cuMemRelease
    WatchedCall{kDriverApi, 550, OnRelease<&DriverMemory::HandleLeaves>, OnRelease<&DriverMemory::Released>,
                OnRelease<&DriverMemory::HandleStays>},
    WatchedCall{kDriverApi, 551, nullptr, OnMap},  // cuMemMap
    // cuMemUnmap
    WatchedCall{kDriverApi, 552, OnUnmapBegins, OnUnmapped, OnUnmap<&DriverMemory::MappingsStay>},
    // What they did to a pool its records tell, which are fetched after a call.
    WatchedCall{kDriverApi, 598, nullptr, nullptr},  // cuMemAllocAsync
    WatchedCall{kDriverApi, 599, nullptr, nullptr},  // cuMemAllocAsync_ptsz
    WatchedCall{kDriverApi, 600, nullptr, nullptr},  // cuMemFreeAsync
    WatchedCall{kDriverApi, 601, nullptr, nullptr},  // cuMemFreeAsync_ptsz
    WatchedCall{kDriverApi, 602, nullptr, nullptr},  // cuMemPoolTrimTo
    WatchedCall{kDriverApi, 608, nullptr, nullptr},  // cuMemPoolDestroy
    WatchedCall{kDriverApi, 611, nullptr, nullptr},  // cuMemAllocFromPoolAsync
    WatchedCall{kDriverApi, 612, nullptr, nullptr},  // cuMemAllocFromPoolAsync_ptsz
};

}  // namespace

std::span<const WatchedCall> WatchedCalls() { return kWatched; }

void OnContextGoes(const Held& held, const void* context) {
  if (context == nullptr) return;
  for (DriverMemory* const memory : {&held.device, &held.managed}) {
    for (const Region& region : memory->RegionsOf(context)) held.leaves(region.address, 1);
    memory->ContextGone(context);
  }
}

}  // namespace tidemark::capture::cupti
