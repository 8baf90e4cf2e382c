#include "profiler/phantom/device/captured_writes.h"

#include <atomic>
#include <type_traits>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/readings.h"
#include "profiler/phantom/environment.h"

namespace tidemark::phantom::device {
namespace {

struct Captured {
  Mutex mutex;
  std::vector<CapturedWrite> writes TIDEMARK_GUARDED_BY(mutex);
  std::atomic<int> captures{0};  // changed under the mutex
};

// Never destroyed: streams are used while the process exits.
Captured& TheCaptured() {
  static Captured* const captured = new Captured;
  return *captured;
}

// Host memory that is not pinned is the program's own, and may be gone by now.
bool IsThere(const Device& device, const void* pointer) {
  return device.memory.IsDevice(pointer) || device.host_memory.IsPinned(pointer);
}

void Do(Device& device, const CapturedWrite& write) {
  if (write.kind == CapturedWrite::Kind::kForget)
    return device.memory.Weaken(write.to, write.bytes, Certainty::kUnknown);
  if (!IsThere(device, write.to)) return;
  if (write.kind == CapturedWrite::Kind::kFill) {
    device.memory.Fill(write.to, write.value, write.bytes);
  } else if (IsThere(device, write.from)) {
    auto certainty = Certainty::kKnown;
    if (device.memory.Copy(write.to, write.from, write.bytes, &certainty))
      NoteReading(write.to, write.bytes, certainty);
  }
}

}  // namespace

size_t BeginCapturedWrites() {
  Captured& captured = TheCaptured();
  const MutexLock lock(captured.mutex);
  ++captured.captures;
  return captured.writes.size();
}

std::vector<CapturedWrite> EndCapturedWrites(size_t before) {
  Captured& captured = TheCaptured();
  const MutexLock lock(captured.mutex);
  std::vector<CapturedWrite> writes(captured.writes.begin() + static_cast<ptrdiff_t>(before),
                                    captured.writes.end());
  if (--captured.captures == 0) captured.writes = {};
  return writes;
}

void NoteCapturedWrite(const CapturedWrite& write) {
  Captured& captured = TheCaptured();
  const MutexLock lock(captured.mutex);
  if (captured.captures > 0) captured.writes.push_back(write);
}

void DoCapturedWrites(const std::vector<CapturedWrite>& writes) {
  Device* const device = TheDevice();
  if (device == nullptr) return;
  for (const CapturedWrite& write : writes) Do(*device, write);
}

extern "C" bool TidemarkPhantomCaptureLasts() {
  static_assert(std::is_same_v<decltype(&TidemarkPhantomCaptureLasts), CaptureLastsFunction>);
  return TheCaptured().captures.load(std::memory_order_relaxed) > 0;
}

extern "C" void TidemarkPhantomForgetOnLaunch(void* pointer, size_t bytes) {
  static_assert(std::is_same_v<decltype(&TidemarkPhantomForgetOnLaunch), ForgetOnLaunchFunction>);
  const Device* const device = TheDevice();
  if (device == nullptr || !device->memory.IsDevice(pointer)) return;
  NoteCapturedWrite({CapturedWrite::Kind::kForget, pointer, nullptr, bytes});
}

}  // namespace tidemark::phantom::device
