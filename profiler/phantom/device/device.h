// The phantom device of this process: the card that TIDEMARK_PHANTOM_CARD names (the path of its file), as
// often as TIDEMARK_PHANTOM_DEVICES says, the memory of each, and the host memory pinned for them. Without
// the first variable there is no device. One per process, shared by all stand-ins.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/device/host_memory.h"
#include "profiler/phantom/device/memory.h"
#include "profiler/phantom/device/memory_pool.h"
#include "profiler/phantom/device/virtual_memory.h"

namespace tidemark::phantom::device {

struct Device {
  Device(Card its_card, const Faults& faults, const AddressOrder& order, int cards);

  struct Freed {
    size_t asked_bytes = 0;
    bool of_pool = false;
    int number = 0;  // of the card that has it
  };
  // Whatever allocated it: CUDA lets either kind of free end either kind of allocation (programming guide,
  // "Stream Ordered Memory Allocator"). None if no allocation begins at exactly this address.
  std::optional<Freed> Free(void* pointer);

  const Card card;
  Memory memory;
  VirtualMemory virtual_memory{memory};
  std::deque<MemoryPool> pools;  // each card's default one
  HostMemory host_memory;
};

// Its cards are all alike: a rank's machine has one for each of its ranks. A process that takes memory on
// several is told of in a doubt, since views add them up. Numbers are those that the program sees, of
// `memory` and `pools`, too.
int DeviceCount();
int MachineDeviceCount();                                // visible or not
int MachineNumberOf(int number);                         // of a device that the program sees
std::optional<int> NumberSeenOf(int number_of_machine);  // none before the program's CUDA has begun
// Of this thread.
int CurrentDevice();
void SetCurrentDevice(int number);
void NoteAllocation(int number = CurrentDevice());

// A context is made by the first call that needs one, on the device that the thread has then, or on one that
// the program names: until then it takes nothing of the card.
void ContextBegins(int number = CurrentDevice());
bool HasContext(int number);

// Null where there is none, or CUDA_VISIBLE_DEVICES hides all (visible_devices.h). Thread safe; after the
// first call it costs a nanosecond. Lives until the process ends: LibTorch frees memory while the process
// exits.
Device* TheDevice();
// Hidden or not.
Device* InstalledDevice();

// Time that work on a stream is said to have taken, since the process began. Only work that is tried against
// other work has one: how long the rest takes nobody knows here.
int64_t WorkedNs(const void* stream);
void Work(const void* stream, int64_t duration_ns);
// It is destroyed: the next one may come to lie where it did.
void ForgetWork(const void* stream);

// For every function that computes on the device, unless it may be captured: captures.h, library_streams.h.
inline void KernelRan() {
  if (Device* device = TheDevice()) device->memory.KernelRan(CurrentDevice());
}

}  // namespace tidemark::phantom::device
