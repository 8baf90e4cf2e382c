#include "profiler/phantom/device/library_streams.h"

#include <unordered_map>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/device/captures.h"
#include "profiler/phantom/device/device.h"

namespace tidemark::phantom::device {
namespace {

struct Streams {
  Mutex mutex;
  std::unordered_map<uint64_t, const void*> of_handle TIDEMARK_GUARDED_BY(mutex);
};

// Never destroyed: handles are destroyed while the process exits.
Streams& TheStreams() {
  static Streams* const streams = new Streams;
  return *streams;
}

}  // namespace

void WorksOn(uint64_t handle, const void* stream) {
  Streams& streams = TheStreams();
  const MutexLock lock(streams.mutex);
  streams.of_handle[handle] = stream;
}

void WorksNoMore(uint64_t handle) {
  Streams& streams = TheStreams();
  const MutexLock lock(streams.mutex);
  streams.of_handle.erase(handle);
}

const void* StreamOf(uint64_t handle) {
  Streams& streams = TheStreams();
  const MutexLock lock(streams.mutex);
  const auto found = streams.of_handle.find(handle);
  return found == streams.of_handle.end() ? nullptr : found->second;
}

void KernelRanWith(uint64_t handle) {
  if (SomethingIsCaptured()) return KernelRan(StreamOf(handle));
  KernelRan();
}

}  // namespace tidemark::phantom::device
