// Records the memory of a program that is not ours. Loaded into it once it uses CUDA
// (profiler/capture/gates/recorder_loading.h), before LibTorch's allocator has handed out its first block; it
// asks for a ring, and from then on lives as long as the process. Forked children are not recorded.
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/util/Exception.h>
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "profiler/capture/course/course.h"
#include "profiler/capture/cupti/device_work.h"
#include "profiler/capture/cupti/driver_source.h"
#include "profiler/capture/gates/gates.h"
#include "profiler/capture/gates/recorder_loading.h"
#include "profiler/capture/operators/graph_replays.h"
#include "profiler/capture/operators/layer_scopes.h"
#include "profiler/capture/program/block_watch.h"
#include "profiler/capture/program/course_watch.h"
#include "profiler/capture/stacks/stack_names.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/torch/allocator_events.h"
#include "profiler/capture/torch/operator_watch.h"
#include "profiler/capture/transport/listener.h"
#include "profiler/phantom/values/known_values.h"

namespace tidemark::capture {
namespace {

void Say(const char* why) { std::fprintf(stderr, "tidemark: memory is not recorded: %s\n", why); }

void StopTelling() {
  CloseEventStream();
  CloseGates();
}

// LibTorch's own exceptions say where they were thrown as well, which is nobody's business.
std::string ReasonOf(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  return torch_error != nullptr ? torch_error->what_without_backtrace() : error.what();
}

// Throws what LibTorch throws where its allocator is one that tells nothing.
void Attach(transport::RingWriter ring) {
  OpenEventStream(std::move(ring), 0);
  BeginStacks();
  WatchBlocks();
  AttachToCudaAllocator();
  WatchOperators(kOperatorScopes);
  WatchCourse();
  TheGates().layer_begins = [](const char* name) { return BeginLayer(Intern(name)); };
  TheGates().layer_ends = EndLayer;
  TheGates().graph_replayed = GraphReplayed;
  if (WantsDeviceWork()) AttachToDriver(cupti::LoadFunctions());
  std::atexit([] {
    if (EventStreamIsOpen()) TheCourse().EndUpdateThatIsOver();
  });
  pthread_atfork(nullptr, nullptr, StopTelling);
}

}  // namespace
}  // namespace tidemark::capture

extern "C" __attribute__((visibility("default"))) bool TidemarkStartRecording(const char* socket) {
  using namespace tidemark;
  static_assert(std::is_same_v<decltype(&TidemarkStartRecording), capture::RecorderEntry>);
  if (!c10::cuda::CUDACachingAllocator::get()->initialized()) return false;
  phantom::ComputeKnownValues();
  if (std::getenv("PYTORCH_NO_CUDA_MEMORY_CACHING") != nullptr) {
    capture::Say("PyTorch's allocator tells nothing where PYTORCH_NO_CUDA_MEMORY_CACHING is set.");
    return true;
  }
  Result<std::optional<transport::RingWriter>> ring = transport::AskForRing(socket);
  if (!ring) capture::Say(ring.error().message.c_str());
  if (!ring || !ring->has_value()) return true;
  try {
    capture::Attach(std::move(**ring));
  } catch (const std::exception& error) {
    capture::StopTelling();
    const std::string why = std::string("the allocator that PyTorch was told to use tells nothing (") +
                            capture::ReasonOf(error) + ").";
    capture::Say(why.c_str());
  }
  return true;
}
