// What `tidemark record` costs the recorded thread: PyTorch's allocator calls the probe's gate after each
// allocation and free, on the card and on the CPU, and autograd calls one for each tensor that it saves for
// backward, about half of which were saved before. The probe is loaded as into any program, and asks for its
// ring as there; the calls are made here, with no PyTorch between. Nanoseconds of the thread's own time an
// event, of rounds that the ring holds: the median and the 99th percentile of them. Prints figures and judges
// nothing.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "profiler/capture/gates/allocator_gate.h"
#include "profiler/capture/gates/probe_loading.h"
#include "profiler/capture/transport/listener.h"
#include "tests/bench/machine.h"
#include "tests/bench/stopwatch.h"

namespace tidemark::bench {
namespace {

using Gate = void (*)(void* pointer, int64_t change, size_t allocated, size_t reserved, uint16_t device);
using SaveGate = void (*)(void* self, const void* tensor, bool is_output, bool is_inplace_on_view);

constexpr int kRounds = 400;
constexpr int kEventsInRound = 2'000;
constexpr size_t kReserved = size_t{1} << 30;
constexpr int64_t kBlockBytes = 4096;
constexpr int kLive = 500;  // blocks at once, as a training has them

// Hands out one ring, and empties it.
class Recorder {
 public:
  explicit Recorder(transport::Listener listener)
      : listener_(std::move(listener)), ring_(std::move(*transport::RingReader::Create())) {}

  void Run() {
    std::optional<transport::Listener::Caller> caller;
    while (!caller) caller = listener_.Accept();
    (void)transport::Listener::Answer(*caller, ring_);
    std::vector<events::Event> batch(8192);
    while (!done_) {
      while (ring_.Pop(batch, false) > 0) {
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
  void End() { done_ = true; }
  uint64_t dropped() const { return ring_.dropped(events::Source::kAllocator); }
  uint64_t received() const { return ring_.received(events::Source::kAllocator); }

 private:
  transport::Listener listener_;
  transport::RingReader ring_;
  std::atomic<bool> done_{false};
};

// Half of them allocate, and half free what was allocated kLive calls before.
double RoundNanoseconds(Gate gate, uint16_t device) {
  const Stopwatch watch;
  for (int i = 0; i < kEventsInRound / 2; ++i) {
    auto* const block =
        reinterpret_cast<char*>(static_cast<uintptr_t>(kReserved)) + (i % kLive) * kBlockBytes;
    if (i >= kLive) gate(block, -kBlockBytes, kReserved, kReserved, device);
    gate(block, kBlockBytes, kReserved, kReserved, device);
  }
  const int calls = kEventsInRound - kLive;
  const double nanoseconds = watch.Microseconds() * 1000 / calls;
  for (int i = 0; i < kLive; ++i) {
    gate(reinterpret_cast<char*>(static_cast<uintptr_t>(kReserved)) + i * kBlockBytes, -kBlockBytes,
         kReserved, kReserved, device);
  }
  return nanoseconds;
}

void Measure(const char* title, Gate gate, uint16_t device) {
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; ++round) {
    rounds.push_back(RoundNanoseconds(gate, device));
    std::this_thread::sleep_for(std::chrono::microseconds(300));  // the ring empties
  }
  std::ranges::sort(rounds);
  std::printf("%s: median %.1f ns an event, 99th percentile of %d rounds %.1f ns\n", title,
              rounds[rounds.size() / 2], kRounds, rounds[rounds.size() * 99 / 100]);
}

// at::Tensor → c10::TensorImpl → c10::StorageImpl → memory.
struct FakeTensor {
  explicit FakeTensor(int number)
      : block(reinterpret_cast<char*>(static_cast<uintptr_t>(kReserved)) + number * kBlockBytes),
        storage{1, 1, Address(block)},
        impl{1, 1, Address(storage.data())},
        pointer(Address(impl.data())) {}
  FakeTensor(const FakeTensor&) = delete;
  FakeTensor& operator=(const FakeTensor&) = delete;
  static uint64_t Address(const void* place) { return reinterpret_cast<uint64_t>(place); }

  char* const block;
  const std::array<uint64_t, 3> storage;
  const std::array<uint64_t, 3> impl;
  const uint64_t pointer;
};

double NanosecondsToSave(SaveGate save, const std::deque<FakeTensor>& tensors) {
  const Stopwatch watch;
  for (const FakeTensor& tensor : tensors) save(nullptr, &tensor.pointer, false, false);
  return watch.Microseconds() * 1000 / static_cast<double>(tensors.size());
}

void MeasureSaves(Gate gate, SaveGate save) {
  std::deque<FakeTensor> tensors;
  for (int i = 0; i < kLive; ++i) tensors.emplace_back(i);
  std::vector<double> first;
  std::vector<double> again;
  for (int round = 0; round < kRounds; ++round) {
    for (const FakeTensor& tensor : tensors)
      gate(tensor.block, kBlockBytes, kReserved, kReserved, capture::kCudaDevice);
    first.push_back(NanosecondsToSave(save, tensors));
    again.push_back(NanosecondsToSave(save, tensors));
    for (const FakeTensor& tensor : tensors)
      gate(tensor.block, -kBlockBytes, kReserved, kReserved, capture::kCudaDevice);
    std::this_thread::sleep_for(std::chrono::microseconds(300));  // the ring empties
  }
  std::ranges::sort(first);
  std::ranges::sort(again);
  std::printf("a tensor is saved for backward: median %.1f ns, again %.1f ns\n", first[first.size() / 2],
              again[again.size() / 2]);
}

int Run() {
  auto listener = transport::Listener::Create();
  if (!listener) return std::fprintf(stderr, "%s\n", listener.error().message.c_str()), 1;
  setenv(capture::kProbeSocketVariable, listener->name().c_str(), 1);
  setenv(capture::kProbeCpuVariable, "1", 1);
  void* const probe = dlopen(TIDEMARK_PROBE, RTLD_NOW);
  const auto gate =
      probe == nullptr
          ? nullptr
          : reinterpret_cast<Gate>(dlsym(probe, "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE"));
  const auto save =
      probe == nullptr ? nullptr : reinterpret_cast<SaveGate>(dlsym(probe, TIDEMARK_SAVED_VARIABLE));
  if (gate == nullptr || save == nullptr)
    return std::fprintf(stderr, "The probe cannot be loaded: %s\n", dlerror()), 1;
  if (dlopen(TIDEMARK_STAND_IN_TORCH, RTLD_NOW) == nullptr) return std::fprintf(stderr, "%s\n", dlerror()), 1;
  Recorder recorder(std::move(*listener));
  std::thread thread([&] { recorder.Run(); });
  PrintMachine();
  Measure("the card's blocks", gate, capture::kCudaDevice);
  Measure("the CPU's tensors", gate, capture::kCpuDevice);
  MeasureSaves(gate, save);
  recorder.End();
  thread.join();
  std::printf("%llu events arrived, %llu were lost\n", static_cast<unsigned long long>(recorder.received()),
              static_cast<unsigned long long>(recorder.dropped()));
  return 0;
}

}  // namespace
}  // namespace tidemark::bench

int main() { return tidemark::bench::Run(); }
