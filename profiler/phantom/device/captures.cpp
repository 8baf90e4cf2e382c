#include "profiler/phantom/device/captures.h"

#include <algorithm>
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

// How many pieces of each stream's work come before something.
using Before = std::map<const void*, uint64_t>;

void Merge(Before& into, const Before& from) {
  for (const auto& [stream, count] : from) into[stream] = std::max(into[stream], count);
}

struct Capture {
  const void* origin = nullptr;
  std::vector<CapturedWork> works;
  std::map<const void*, Before> streams;  // its own work among them
  std::map<const void*, Before> events;

  bool IsJoined() {
    const Before& seen = streams[origin];
    return std::ranges::all_of(streams, [&](const auto& one) {
      const auto own = one.second.find(one.first);
      const auto found = seen.find(one.first);
      return own == one.second.end() || (found != seen.end() && found->second == own->second);
    });
  }
};

struct Captures {
  Mutex mutex;
  std::map<uint64_t, Capture> lasting TIDEMARK_GUARDED_BY(mutex);
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
  captures.lasting[capture].origin = stream;
  captures.streams[stream] = capture;
  captures.count = captures.lasting.size();
  return capture;
}

uint64_t RecordCaptured(const void* event, const void* stream) {
  const uint64_t number = CaptureOf(stream);
  if (number == 0) return 0;
  Captures& captures = TheCaptures();
  const MutexLock lock(captures.mutex);
  Capture& capture = captures.lasting[number];
  capture.events[event] = capture.streams[stream];
  return number;
}

void JoinCapture(uint64_t capture, const void* event, const void* stream) {
  Captures& captures = TheCaptures();
  const MutexLock lock(captures.mutex);
  const auto lasting = captures.lasting.find(capture);
  if (lasting == captures.lasting.end()) return;
  captures.streams[stream] = capture;
  Merge(lasting->second.streams[stream], lasting->second.events[event]);
}

void LeaveCapture(const void* stream) {
  if (!SomethingIsCaptured()) return;
  Captures& captures = TheCaptures();
  const MutexLock lock(captures.mutex);
  captures.streams.erase(stream);
}

EndedCapture EndCapture(uint64_t capture) {
  Captures& captures = TheCaptures();
  const MutexLock lock(captures.mutex);
  auto ended = captures.lasting.extract(capture);
  std::erase_if(captures.streams, [capture](const auto& one) { return one.second == capture; });
  captures.count = captures.lasting.size();
  if (ended.empty()) return {};
  return {std::move(ended.mapped().works), ended.mapped().IsJoined()};
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

void NoteCaptured(const void* stream, CapturedWork work) {
  const uint64_t number = CaptureOf(stream);
  Captures& captures = TheCaptures();
  const MutexLock lock(captures.mutex);
  const auto found = captures.lasting.find(number);
  if (found == captures.lasting.end()) return;
  if (work.is_node) ++found->second.streams[stream][stream];
  found->second.works.push_back(std::move(work));
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
  const bool is_captured = CaptureOf(stream) != 0;
  for (const CapturedWork& work : works) {
    if (is_captured) {
      NoteCaptured(stream, work);
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
  if (CaptureOf(stream) == 0 || device == nullptr || !device->memory.IsDevice(pointer)) return;
  const auto forget = [=] { TheDevice()->memory.Weaken(pointer, bytes, Certainty::kUnknown); };
  NoteCaptured(stream, {forget, {}, /*is_node=*/false});
}

}  // namespace tidemark::phantom::device
