#include "profiler/capture/probe/probe.h"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>

#include "profiler/base/choices.h"
#include "profiler/base/result.h"
#include "profiler/capture/cupti/driver_source.h"
#include "profiler/capture/gates/gates.h"
#include "profiler/capture/gates/probe_loading.h"
#include "profiler/capture/nvml/card_sampler.h"
#include "profiler/capture/operators/graph_replays.h"
#include "profiler/capture/probe/allocator_state.h"
#include "profiler/capture/probe/training_watch.h"
#include "profiler/capture/stacks/stack_names.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/transport/listener.h"
#include "profiler/events/event.h"

namespace tidemark::capture {
namespace {

constexpr const char* kLeftOut = "left out, as record --without asked";

enum class ProbeState : int { kUnknown, kRecords, kLeavesAllocator, kOff };
std::atomic<ProbeState> probe_state{ProbeState::kUnknown};
std::mutex starting;

bool Records(ProbeState state) {
  return state == ProbeState::kRecords || state == ProbeState::kLeavesAllocator;
}

bool IsLeftOut(events::Source source) {
  const char* const sources = std::getenv(kProbeWithoutVariable);
  return sources != nullptr && IsListed(sources, NameOf(source));
}

template <typename Functions>
Result<Functions> LoadUnlessLeftOut(events::Source source, Result<Functions> (*load)()) {
  return IsLeftOut(source) ? Result<Functions>(Error{kLeftOut}) : load();
}

void LeaveInForkedChild() {
  CloseEventStream();
  CloseGates();
  probe_state = ProbeState::kOff;
}

ProbeState Start() {
  const char* const socket = std::getenv(kProbeSocketVariable);
  if (socket == nullptr || *socket == '\0') return ProbeState::kOff;
  // Before the ring is waited for: a child that another thread forks meanwhile would find `starting` locked
  // for ever.
  pthread_atfork(nullptr, nullptr, LeaveInForkedChild);
  Result<std::optional<transport::RingWriter>> ring = transport::AskForRing(socket);
  if (!ring || !ring->has_value()) return ProbeState::kOff;
  OpenEventStream(std::move(**ring), 0);
  TheGates().graph_replayed = GraphReplayed;
  if (IsLeftOut(events::Source::kAllocator)) return ProbeState::kLeavesAllocator;
  WatchTraining();
  return ProbeState::kRecords;
}

// Starts recording unless an earlier call has decided about it, and says whether this call started it;
// `state` is what was decided. Nothing is asked of the dynamic loader under this lock: a library that is
// being loaded may allocate, and then its thread waits for this lock while it holds the loader's.
bool StartOnce(ProbeState& state) {
  const std::lock_guard lock(starting);
  state = probe_state.load(std::memory_order_acquire);
  if (state != ProbeState::kUnknown) return false;
  probe_state = state = Start();
  return Records(state);
}

ProbeState StateOnceStarted() {
  ProbeState state = probe_state.load(std::memory_order_acquire);
  if (state == ProbeState::kUnknown && StartOnce(state)) BeginStacks();
  return state;
}

void BeginSources() {
  if (ProbeRecordsAllocator()) {
    TellAllocatorsOutlook();
  } else {
    EmitState(events::Source::kAllocator, kLeftOut);
  }
  AttachToDriver(LoadUnlessLeftOut(events::Source::kDriver, cupti::LoadFunctions));
  WatchCardOfProcess(LoadUnlessLeftOut(events::Source::kDevice, nvml::LoadFunctions));
}

}  // namespace

bool ProbeRecords() { return Records(StateOnceStarted()); }

bool ProbeRecordsAllocator() { return StateOnceStarted() == ProbeState::kRecords; }

}  // namespace tidemark::capture

// By the CUDA driver, inside of cuInit.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  if (tidemark::capture::ProbeRecords()) tidemark::capture::BeginSources();
  return 1;
}
