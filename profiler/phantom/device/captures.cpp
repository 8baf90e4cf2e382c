#include "profiler/phantom/device/captures.h"

#include <atomic>
#include <map>
#include <type_traits>
#include <utility>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/readings.h"
#include "profiler/phantom/environment.h"

namespace tidemark::phantom::device {
namespace {

struct Captures {
  Mutex mutex;
  std::map<uint64_t, std::vector<CapturedWork>> lasting TIDEMARK_GUARDED_BY(mutex);
  std::map<const void*, uint64_t> streams TIDEMARK_GUARDED_BY(mutex);
  uint64_t last TIDEMARK_GUARDED_BY(mutex) = 0;
  std::atomic<size_t> count{0};  // of those that last, for who only wants to know that there is none
};

// Never destroyed: streams are used while the process exits.
Captures& TheCaptures() {
  static Captures* const captures = new Captures;
  return *captures;
}

bool IsThere(const Device& device, const void* pointer) {
  return device.memory.IsDevice(pointer) || device.host_memory.IsPinned(pointer);
}

}  // namespace

bool SomethingIsCaptured() { return TheCaptures().count.load(std::memory_order_relaxed) > 0; }

uint64_t BeginCapture(const void* stream) {
  Captures& captures = TheCaptures();
  const MutexLock lock(captures.mutex);
  if (captures.streams.contains(stream)) return 0;
  const uint64_t capture = ++captures.last;
  captures.lasting[capture];
  captures.streams[stream] = capture;
  captures.count = captures.lasting.size();
  return capture;
}

void JoinCapture(uint64_t capture, const void* stream) {
  Captures& captures = TheCaptures();
  const MutexLock lock(captures.mutex);
  if (captures.lasting.contains(capture)) captures.streams[stream] = capture;
}

void LeaveCapture(const void* stream) {
  if (!SomethingIsCaptured()) return;
  Captures& captures = TheCaptures();
  const MutexLock lock(captures.mutex);
  captures.streams.erase(stream);
}

std::vector<CapturedWork> EndCapture(uint64_t capture) {
  Captures& captures = TheCaptures();
  const MutexLock lock(captures.mutex);
  auto ended = captures.lasting.extract(capture);
  std::erase_if(captures.streams, [capture](const auto& one) { return one.second == capture; });
  captures.count = captures.lasting.size();
  return ended.empty() ? std::vector<CapturedWork>() : std::move(ended.mapped());
}

bool CaptureLasts(uint64_t capture) {
  if (capture == 0 || !SomethingIsCaptured()) return false;
  Captures& captures = TheCaptures();
  const MutexLock lock(captures.mutex);
  return captures.lasting.contains(capture);
}

uint64_t CaptureOf(const void* stream) {
  if (!SomethingIsCaptured()) return 0;
  Captures& captures = TheCaptures();
  const MutexLock lock(captures.mutex);
  const auto found = captures.streams.find(stream);
  return found == captures.streams.end() ? 0 : found->second;
}

void NoteCaptured(uint64_t capture, CapturedWork work) {
  Captures& captures = TheCaptures();
  const MutexLock lock(captures.mutex);
  const auto found = captures.lasting.find(capture);
  if (found != captures.lasting.end()) found->second.push_back(std::move(work));
}

CapturedWork CapturedCopy(void* to, const void* from, size_t bytes) {
  const auto copy = [=] {
    Device* const device = TheDevice();
    if (!IsThere(*device, to) || !IsThere(*device, from)) return;
    CopyAndNote(*device, to, from, bytes);
  };
  return {copy, {}};
}

CapturedWork CapturedFill(void* pointer, int value, size_t bytes) {
  const auto fill = [=] {
    if (IsThere(*TheDevice(), pointer)) TheDevice()->memory.Fill(pointer, value, bytes);
  };
  return {fill, {}};
}

CapturedWork CapturedKernel(const void* stub, void* const* arguments) {
  const auto run = [noted = NotedKernel(stub, arguments)] {
    noted();
    KernelRan();
  };
  return {run, {}};
}

void KernelRan(const void* stream) {
  Submit(stream, [] { KernelRan(); });
}

void Launch(const std::vector<CapturedWork>& works, const void* stream) {
  if (TheDevice() == nullptr) return;
  const uint64_t outer = CaptureOf(stream);
  for (const CapturedWork& work : works) {
    if (outer != 0) {
      NoteCaptured(outer, work);
      continue;
    }
    if (work.run) work.run();
    if (!work.activity || !SomeoneListens()) continue;
    Activity activity = *work.activity;
    activity.stream = reinterpret_cast<uint64_t>(stream);
    Tell(activity);
  }
}

extern "C" bool TidemarkPhantomCaptureLasts() {
  static_assert(std::is_same_v<decltype(&TidemarkPhantomCaptureLasts), CaptureLastsFunction>);
  return SomethingIsCaptured();
}

extern "C" void TidemarkPhantomForgetOnLaunch(const void* stream, void* pointer, size_t bytes) {
  static_assert(std::is_same_v<decltype(&TidemarkPhantomForgetOnLaunch), ForgetOnLaunchFunction>);
  const Device* const device = TheDevice();
  const uint64_t capture = CaptureOf(stream);
  if (capture == 0 || device == nullptr || !device->memory.IsDevice(pointer)) return;
  const auto forget = [=] { TheDevice()->memory.Weaken(pointer, bytes, Certainty::kUnknown); };
  NoteCaptured(capture, {forget, {}, /*is_node=*/false});
}

}  // namespace tidemark::phantom::device
