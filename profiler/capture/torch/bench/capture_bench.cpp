// What capture costs the thread that is traced, in nanoseconds an event: the caching allocator and an operator, without and
// with capture, on a phantom GPU (any card; its own work is part of both). Prints figures and judges nothing:
//
//   LD_PRELOAD=$(ls BUILD/lib/phantom/*.so.* | paste -sd:) TIDEMARK_PHANTOM_CARD=assets/cards/h200.json
//   BUILD/tests/bench/capture_bench
#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "profiler/capture/torch/allocator_events.h"
#include "profiler/capture/torch/event_stream.h"
#include "profiler/capture/torch/operator_scopes.h"
#include "profiler/capture/transport/ring.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 30;
constexpr int kCallsPerRound = 10'000;

// The median round's nanoseconds a call.
double NanosecondsPerCall(const std::function<void()>& call) {
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = Clock::now();
    for (int count = 0; count < kCallsPerRound; ++count) call();
    rounds.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count() / kCallsPerRound);
  }
  std::nth_element(rounds.begin(), rounds.begin() + kRounds / 2, rounds.end());
  return rounds[kRounds / 2];
}

void AllocateAndFree() {
  c10::cuda::CUDACachingAllocator::raw_delete(c10::cuda::CUDACachingAllocator::raw_alloc(1 << 20));
}

struct Costs {
  double allocation = 0;
  double addition = 0;
};

Costs Measure() {
  const at::Tensor tensor = at::zeros({1}, at::dtype(at::kFloat).device(at::kCUDA));
  return {NanosecondsPerCall(AllocateAndFree), NanosecondsPerCall([&] { tensor.add_(1); })};
}

}  // namespace

int main() {
  auto ring = tidemark::transport::RingReader::Create();
  if (!ring.ok()) {
    std::fprintf(stderr, "%s\n", ring.error().message.c_str());
    return 1;
  }
  at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
  const Costs without = Measure();

  tidemark::capture::OpenEventStream(tidemark::transport::RingWriter::Beside(*ring), 0);
  std::atomic<bool> done{false};
  std::thread drain([&] {
    std::vector<tidemark::events::Event> batch(4096);
    while (!done) {
      if (ring->Pop(batch, false) == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  tidemark::capture::AttachToCudaAllocator();
  tidemark::capture::AttachToOperators();
  const Costs with = Measure();
  done = true;
  drain.join();

  std::printf("allocation and free: %.0f ns without capture, %.0f ns with: %.0f ns an event\n", without.allocation,
              with.allocation, (with.allocation - without.allocation) / 2);
  std::printf("operator (add_):     %.0f ns without capture, %.0f ns with: %.0f ns an event\n", without.addition,
              with.addition, (with.addition - without.addition) / 2);
  return 0;
}
