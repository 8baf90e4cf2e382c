// The CUDA runtime's sharing of memory and events between processes, as torch.multiprocessing uses it. Each
// process has a phantom device of its own: what it opens of another's has addresses here and takes no memory,
// since the other's device has taken it, and what the other wrote there reads as zero.
#include <unistd.h>

#include <cstring>
#include <map>
#include <optional>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/stand_ins/runtime_calls.h"
#include "profiler/phantom/stand_ins/runtime_errors.h"
#include "profiler/phantom/stand_ins/runtime_streams.h"

using namespace tidemark;
using namespace tidemark::phantom;
using device::Device;
using device::TheDevice;
using runtime::Report;

namespace {

// What the bytes of a handle are; the rest of them is zero. Trivial, since a handle is copied as bytes.
struct SharedMemory {
  uint64_t mark;
  int64_t process;
  uint64_t address;
  uint64_t bytes;

  auto operator<=>(const SharedMemory&) const = default;
};
constexpr uint64_t kMemoryMark = 0x7469'6465'6d65'6d31;
constexpr uint64_t kEventMark = 0x7469'6465'6576'7431;

template <typename Handle>
Handle HandleOf(const SharedMemory& shared) {
  static_assert(sizeof shared <= sizeof(Handle));
  Handle handle = {};
  std::memcpy(&handle, &shared, sizeof shared);
  return handle;
}

template <typename Handle>
SharedMemory SharedIn(const Handle& handle) {
  SharedMemory shared{};
  std::memcpy(&shared, &handle, sizeof shared);
  return shared;
}

// What this process has opened: again and again is once (CUDA Runtime API, cudaIpcOpenMemHandle).
class OpenedMemory {
 public:
  void* Open(const SharedMemory& shared, Device& device) TIDEMARK_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    Opened& opened = opened_[shared];
    if (opened.times == 0) opened.pointer = AddressesFor(shared.bytes, device);
    if (opened.pointer == nullptr) {
      opened_.erase(shared);
      return nullptr;
    }
    ++opened.times;
    return opened.pointer;
  }

  bool Close(void* pointer, Device& device) TIDEMARK_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    for (auto& [shared, opened] : opened_) {
      if (opened.pointer != pointer) continue;
      if (--opened.times > 0) return true;
      device.memory.UnmapReserved(pointer, shared.bytes);
      const bool freed = device.memory.FreeAddresses(pointer);
      opened_.erase(SharedMemory(shared));
      return freed;
    }
    return false;
  }

 private:
  struct Opened {
    void* pointer = nullptr;
    int times = 0;
  };

  static void* AddressesFor(size_t bytes, Device& device) {
    void* const pointer = device.memory.ReserveAddresses(bytes, device::CurrentDevice());
    if (pointer == nullptr || device.memory.MapReserved(pointer, bytes)) return pointer;
    device.memory.FreeAddresses(pointer);
    return nullptr;
  }

  Mutex mutex_;
  std::map<SharedMemory, Opened> opened_ TIDEMARK_GUARDED_BY(mutex_);
};

// Never destroyed: LibTorch closes what it opened while the process exits.
OpenedMemory& TheOpenedMemory() {
  static auto& opened = *new OpenedMemory;
  return opened;
}

}  // namespace

extern "C" {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  const std::optional<size_t> bytes = device->memory.BytesAllocatedAt(pointer);
  if (!bytes) return Report(cudaErrorInvalidValue);
  *handle =
      HandleOf<cudaIpcMemHandle_t>({kMemoryMark, getpid(), reinterpret_cast<uint64_t>(pointer), *bytes});
  return cudaSuccess;
}

cudaError_t cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t handle, unsigned int) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  const SharedMemory shared = SharedIn(handle);
  if (shared.mark != kMemoryMark) return Report(cudaErrorInvalidResourceHandle);
  // The process that a handle is of cannot open it (CUDA Runtime API, cudaIpcOpenMemHandle).
  if (shared.process == getpid()) return Report(cudaErrorDeviceUninitialized);
  device::Doubt(
      "Memory of another process was opened: each process has a phantom card of its own, so what the other "
      "wrote there reads as zero, and what both take of one card is not added up.");
  device::ContextBegins();
  *pointer = TheOpenedMemory().Open(shared, *device);
  return Report(*pointer == nullptr ? cudaErrorMapBufferObjectFailed : cudaSuccess);
}

cudaError_t cudaIpcCloseMemHandle(void* pointer) {
  Device* device = TheDevice();
  if (device == nullptr) return Report(cudaErrorNoDevice);
  return Report(TheOpenedMemory().Close(pointer, *device) ? cudaSuccess : cudaErrorInvalidValue);
}

// Events are always reached, in whichever process: another one's is a new one here.
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  if (event == nullptr) return Report(cudaErrorInvalidResourceHandle);
  *handle = HandleOf<cudaIpcEventHandle_t>({kEventMark, getpid(), reinterpret_cast<uint64_t>(event), 0});
  return cudaSuccess;
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
  if (SharedIn(handle).mark != kEventMark) return Report(cudaErrorInvalidResourceHandle);
  return cudaEventCreateWithFlags(event, cudaEventDisableTiming);
}

}  // extern "C"
