// gpu_cupti_cost [ROUNDS]: what each part of what `tidemark record` asks of CUPTI costs a program's calls of
// CUDA that it does not watch, in nanoseconds a call, on this machine's GPU. A process for each part, in
// turns, for CUPTI leaves a process otherwise than it found it; of a process the median of its bursts.
// Printed for each part and call: the median of the rounds, and how far their middle half lies apart.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "profiler/capture/cupti/driver_source.h"
#include "profiler/capture/cupti/functions.h"

namespace {

using tidemark::capture::cupti::Functions;

constexpr int kCallsInBurst = 200;
constexpr int kBursts = 150;
constexpr int kRounds = 5;

// A kernel that does nothing, for any card since the Maxwells.
constexpr const char* kKernel =
    ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry nothing() { ret; }\n";

template <typename Function>
Function In(void* library, const char* name) {
  void* const found = library == nullptr ? nullptr : dlsym(library, name);
  if (found == nullptr) {
    std::fprintf(stderr, "gpu_cupti_cost: there is no %s on this machine: %s\n", name,
                 library == nullptr ? dlerror() : "its library lacks it");
    std::exit(1);
  }
  return reinterpret_cast<Function>(found);
}

void* Driver() {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  return library;
}

void Must(int code, const char* what) {
  if (code == 0) return;
  std::fprintf(stderr, "gpu_cupti_cost: %s answered %d\n", what, code);
  std::exit(1);
}

Functions Cupti() {
  const auto functions = tidemark::capture::cupti::LoadFunctions();
  if (functions) return *functions;
  std::fprintf(stderr, "gpu_cupti_cost: %s\n", functions.error().message.c_str());
  std::exit(1);
}

void OnCall(void*, int, uint32_t, const void*) {}
void OnRequested(uint8_t** buffer, size_t* bytes, size_t* most_records) {
  *bytes = 64 << 10;
  *buffer = static_cast<uint8_t*>(std::calloc(1, *bytes));
  *most_records = 0;
}
void OnCompleted(void*, uint32_t, uint8_t* buffer, size_t, size_t) { std::free(buffer); }

void Subscribe() {
  tidemark::capture::cupti::Subscriber subscriber = nullptr;
  Must(Cupti().subscribe(&subscriber, OnCall, nullptr), "cuptiSubscribe");
}
void Watch(int domain, uint32_t function) {
  tidemark::capture::cupti::Subscriber subscriber = nullptr;
  const Functions cupti = Cupti();
  Must(cupti.subscribe(&subscriber, OnCall, nullptr), "cuptiSubscribe");
  Must(cupti.enable_callback(1, subscriber, domain, function), "cuptiEnableCallback");
}
void Record(bool with_sources) {
  const Functions cupti = Cupti();
  Must(cupti.register_buffers(OnRequested, OnCompleted), "cuptiActivityRegisterCallbacks");
  if (with_sources && cupti.enable_source != nullptr)
    Must(cupti.enable_source(1), "cuptiActivityEnableAllocationSource");
  Must(cupti.enable_kind(tidemark::capture::cupti::kMemory2), "cuptiActivityEnable(MEMORY2)");
}

struct Part {
  const char* title;
  void (*begin)();
};
constexpr std::array kParts = {
    Part{"nothing", [] {}},
    Part{"a subscriber", Subscribe},
    Part{"one call of the driver's",
         [] { Watch(tidemark::capture::cupti::kDriverApi, 243); }},  // cuMemAlloc_v2
    Part{"one call of the runtime's",
         [] { Watch(tidemark::capture::cupti::kRuntimeApi, 20); }},  // cudaMalloc
    Part{"memory records", [] { Record(false); }},
    Part{"and who asked", [] { Record(true); }},
    Part{"all of record",
         [] { tidemark::capture::AttachToDriver(tidemark::capture::cupti::LoadFunctions()); }},
};

// What is called: a kernel's launch by the driver and by the runtime, and what PyTorch asks most.
enum Called : size_t { kDriverLaunch, kRuntimeLaunch, kGetDevice, kCalled };
constexpr std::array<const char*, kCalled> kTitles = {"cuLaunchKernel", "cudaLaunchKernel", "cudaGetDevice"};
using Costs = std::array<double, kCalled>;

double Median(std::vector<double>& values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Nanoseconds a call; what the bursts leave for the card to do is waited for outside of them.
template <typename Call>
double Measure(const Call& call) {
  const auto wait = In<int (*)()>(Driver(), "cuCtxSynchronize");
  std::vector<double> bursts;
  for (int burst = 0; burst < kBursts; ++burst) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCallsInBurst; ++i) call();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    Must(wait(), "cuCtxSynchronize");
    bursts.push_back(took.count() / kCallsInBurst);
  }
  return Median(bursts);
}

struct Extent {
  unsigned x = 1, y = 1, z = 1;  // dim3
};

Costs MeasureCalls() {
  void* context = nullptr;
  Must(In<int (*)(unsigned)>(Driver(), "cuInit")(0), "cuInit");
  Must(In<int (*)(void**, int)>(Driver(), "cuDevicePrimaryCtxRetain")(&context, 0),
       "cuDevicePrimaryCtxRetain");
  Must(In<int (*)(void*)>(Driver(), "cuCtxSetCurrent")(context), "cuCtxSetCurrent");
  void* module = nullptr;
  void* function = nullptr;
  Must(In<int (*)(void**, const void*)>(Driver(), "cuModuleLoadData")(&module, kKernel), "cuModuleLoadData");
  Must(In<int (*)(void**, void*, const char*)>(Driver(), "cuModuleGetFunction")(&function, module, "nothing"),
       "cuModuleGetFunction");
  using Launch = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                         void**, void**);
  const auto launch = In<Launch>(Driver(), "cuLaunchKernel");

  void* const runtime = dlopen("libcudart.so.13", RTLD_NOW);
  void* library = nullptr;
  void* kernel = nullptr;
  const auto load = In<int (*)(void**, const void*, void*, void*, unsigned, void*, void*, unsigned)>(
      runtime, "cudaLibraryLoadData");
  Must(load(&library, kKernel, nullptr, nullptr, 0, nullptr, nullptr, 0), "cudaLibraryLoadData");
  Must(In<int (*)(void**, void*, const char*)>(runtime, "cudaLibraryGetKernel")(&kernel, library, "nothing"),
       "cudaLibraryGetKernel");
  const auto launch_by_runtime =
      In<int (*)(const void*, Extent, Extent, void**, size_t, void*)>(runtime, "cudaLaunchKernel");
  const auto get_device = In<int (*)(int*)>(runtime, "cudaGetDevice");

  Costs costs{};
  costs[kDriverLaunch] = Measure([&] { launch(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr); });
  costs[kRuntimeLaunch] = Measure([&] { launch_by_runtime(kernel, {}, {}, nullptr, 0, nullptr); });
  costs[kGetDevice] = Measure([&] {
    int device = 0;
    get_device(&device);
  });
  return costs;
}

// In a process of its own.
Costs CostsWith(const Part& part) {
  std::array<int, 2> ends{};
  Must(pipe(ends.data()), "pipe");
  const pid_t child = fork();
  if (child == 0) {
    part.begin();
    const Costs costs = MeasureCalls();
    const bool told = write(ends[1], &costs, sizeof costs) == sizeof costs;
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  Costs costs{};
  const bool told = read(ends[0], &costs, sizeof costs) == sizeof costs;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!told || status != 0) {
    std::fprintf(stderr, "gpu_cupti_cost: with %s there are no figures\n", part.title);
    std::exit(1);
  }
  return costs;
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : kRounds;
  if (rounds < 1) {
    std::fputs("usage: gpu_cupti_cost [ROUNDS]\n", stderr);
    return 2;
  }
  std::array<std::array<std::vector<double>, kCalled>, kParts.size()> costs;
  for (int round = 0; round < rounds; ++round) {
    for (size_t part = 0; part < kParts.size(); ++part) {
      const Costs of_part = CostsWith(kParts[part]);
      for (size_t called = 0; called < kCalled; ++called) costs[part][called].push_back(of_part[called]);
    }
  }
  std::printf("%-28s", "ns a call");
  for (const char* title : kTitles) std::printf("%26s", title);
  std::puts("");
  for (size_t part = 0; part < kParts.size(); ++part) {
    std::printf("%-28s", kParts[part].title);
    for (std::vector<double>& values : costs[part]) {
      const double median = Median(values);
      std::printf("%15.1f ± %8.1f", median, (values[values.size() * 3 / 4] - values[values.size() / 4]) / 2);
    }
    std::puts("");
  }
  return 0;
}
