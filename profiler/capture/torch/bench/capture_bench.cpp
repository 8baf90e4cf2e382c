// What capture costs the thread that is traced, in nanoseconds an event: the caching allocator, and operators
// in place and of which each makes a tensor, without and with capture, on a phantom GPU (any card; its own
// work is part of both). Prints figures and judges nothing:
//
//   LD_PRELOAD=$(ls BUILD/lib/phantom/*.so.* | paste -sd:) TIDEMARK_PHANTOM_CARD=assets/cards/h200.json
//   BUILD/tests/bench/capture_bench
#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/record_function.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/torch/allocator_events.h"
#include "profiler/capture/torch/operator_watch.h"
#include "profiler/capture/transport/ring.h"

namespace {

constexpr int kRounds = 60;
constexpr int kCallsPerRound = 10'000;

// Of this thread alone, so that a busy machine disturbs little.
double ProcessorNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// The median round's nanoseconds a call.
double NanosecondsPerCall(const std::function<void()>& call) {
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; ++round) {
    const double start = ProcessorNanoseconds();
    for (int count = 0; count < kCallsPerRound; ++count) call();
    rounds.push_back((ProcessorNanoseconds() - start) / kCallsPerRound);
  }
  const auto middle = rounds.begin() + kRounds / 2;
  std::nth_element(rounds.begin(), middle, rounds.end());
  return *middle;
}

void AllocateAndFree() {
  c10::cuda::CUDACachingAllocator::raw_delete(c10::cuda::CUDACachingAllocator::raw_alloc(1 << 20));
}

struct Costs {
  double allocation = 0;
  double addition = 0;
  double sum = 0;
};

Costs Measure() {
  const at::Tensor tensor = at::zeros({1}, at::dtype(at::kFloat).device(at::kCUDA));
  return {NanosecondsPerCall(AllocateAndFree), NanosecondsPerCall([&] { tensor.add_(1); }),
          NanosecondsPerCall([&] { at::add(tensor, 1); })};
}

std::unique_ptr<at::ObserverContext> NoBegin(const at::RecordFunction& /*function*/) { return nullptr; }
void NoEnd(const at::RecordFunction& /*function*/, at::ObserverContext* /*none*/) {}

void AttachEmptyHooks() {
  c10::cuda::CUDACachingAllocator::attachAllocatorTraceTracker([](const auto& /*entry*/) {});
  at::addGlobalCallback(at::RecordFunctionCallback(NoBegin, NoEnd)
                            .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

void Print(const char* what, double bare, double empty, double full, int events) {
  std::printf(
      "%-31s %4.0f ns bare, %4.0f ns with empty hooks, %4.0f ns with capture: our hook takes %.0f ns an "
      "event\n",
      what, bare, empty, full, (full - empty) / events);
}

}  // namespace

int main() {
  auto ring = tidemark::transport::RingReader::Create();
  if (!ring.ok()) {
    std::fprintf(stderr, "%s\n", ring.error().message.c_str());
    return 1;
  }
  at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
  const Costs bare = Measure();
  AttachEmptyHooks();
  const Costs empty = Measure();

  tidemark::capture::OpenEventStream(tidemark::transport::RingWriter::Beside(*ring), 0);
  std::atomic<bool> done{false};
  std::thread drain([&] {
    std::vector<tidemark::events::Event> batch(4096);
    while (!done) {
      if (ring->Pop(batch, false) == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  tidemark::capture::AttachToCudaAllocator();
  tidemark::capture::WatchOperators(tidemark::capture::kOperatorScopes);
  const Costs full = Measure();
  done = true;
  drain.join();

  Print("allocation and free:", bare.allocation, empty.allocation, full.allocation, 2);
  Print("operator (add_):", bare.addition, empty.addition, full.addition, 2);
  Print("operator and its tensor (add):", bare.sum, empty.sum, full.sum, 5);
  return 0;
}
