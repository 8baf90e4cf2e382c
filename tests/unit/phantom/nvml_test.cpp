// The stand-in of NVML, found as its users find it: by its soname and its functions' names.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "profiler/base/paths.h"
#include "profiler/phantom/machine.h"
#include "tests/support/catch.h"
#include "tests/unit/phantom/child.h"

namespace tidemark::phantom {
namespace {

[[maybe_unused]] const int kCardIsChosen = [] {
  return setenv("TIDEMARK_PHANTOM_CARD", (AssetsFolder() / "cards" / "t4.json").c_str(), 1);
}();

template <typename Function>
Function* Find(const char* name) {
  static void* const library = dlopen((PhantomFolder() / "libnvidia-ml.so.1").c_str(), RTLD_NOW);
  REQUIRE(library != nullptr);
  void* function = dlsym(library, name);
  REQUIRE(function != nullptr);
  return reinterpret_cast<Function*>(function);
}

void* TheHandle() {
  void* handle = nullptr;
  REQUIRE(Find<int()>("nvmlInit_v2")() == 0);
  REQUIRE(Find<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2")(0, &handle) == 0);
  return handle;
}

struct Process {
  unsigned pid;
  unsigned long long used;
  unsigned instances[2];
};

unsigned long long UsedBytes() {
  unsigned long long memory[3] = {};
  REQUIRE(Find<int(void*, unsigned long long*)>("nvmlDeviceGetMemoryInfo")(TheHandle(), memory) == 0);
  CHECK(memory[1] + memory[2] == memory[0]);
  return memory[2];
}

// On the card of that number, in a process of its own.
unsigned long long UsedAfter(unsigned number, const std::function<void()>& call) {
  setenv(kDeviceCountVariable, "2", 1);
  const Ended ended = RunInChild([&] {
    call();
    void* handle = nullptr;
    unsigned long long memory[3] = {};
    Find<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2")(number, &handle);
    Find<int(void*, unsigned long long*)>("nvmlDeviceGetMemoryInfo")(handle, memory);
    std::cout << memory[2] << std::flush;
  });
  unsetenv(kDeviceCountVariable);
  REQUIRE(ended.status == 0);
  return std::stoull(ended.output);
}

// The first of all, for no process may have a context yet.
TEST_CASE("Each call that needs a context makes one, on the card of its thread") {
  static char page[4096];
  cudaIpcMemHandle_t of_another = {};
  const uint64_t opened[] = {0x7469'6465'6d65'6d31, 1, 4096, 2 << 20};  // as cudaIpcGetMemHandle makes one
  std::memcpy(&of_another, opened, sizeof opened);
  void* pointer = nullptr;
  const std::vector<std::function<void()>> calls = {
      [&] { cudaMallocManaged(&pointer, 4096); }, [&] { cudaHostRegister(page, sizeof page, 0); },
      [&] { cudaIpcOpenMemHandle(&pointer, of_another, cudaIpcMemLazyEnablePeerAccess); },
      [&] { cudaMallocHost(&pointer, 4096); }, [&] { cudaFree(nullptr); }};
  for (const auto& call : calls) {
    CHECK(UsedAfter(0, call) > 50'000'000);
    CHECK(UsedAfter(1, call) == 0);
  }
  int count = 0;
  CHECK(UsedAfter(0, [&] { cudaGetDeviceCount(&count); }) == 0);
  const auto fill_second = [&] {
    cudaSetDevice(1);
    cudaMalloc(&pointer, size_t{4} << 30);
  };
  CHECK(UsedAfter(1, fill_second) > size_t{4} << 30);
  CHECK(UsedAfter(0, fill_second) == 0);
  const auto second = [] { cudaSetDevice(1); };
  CHECK(UsedAfter(0, second) == 0);
  CHECK(UsedAfter(1, second) > 50'000'000);
  const auto ask_and_see_second = [] {
    UsedBytes();  // of NVML, before CUDA begins
    setenv("CUDA_VISIBLE_DEVICES", "1", 1);
    cudaFree(nullptr);
  };
  CHECK(UsedAfter(0, ask_and_see_second) == 0);
  CHECK(UsedAfter(1, ask_and_see_second) > 50'000'000);
}

TEST_CASE("The context takes memory, and the process uses the card, from the first call on that needs one") {
  unsigned count = 7;
  Process process = {};
  const auto list = Find<int(void*, unsigned*, Process*)>("nvmlDeviceGetComputeRunningProcesses_v3");
  CHECK(UsedBytes() == 0);
  CHECK(list(TheHandle(), &count, &process) == 0);
  CHECK(count == 0);
  REQUIRE(cudaFree(nullptr) == cudaSuccess);
  CHECK(UsedBytes() > 50'000'000);
  CHECK(list(TheHandle(), &count, nullptr) == 7);
  CHECK(count == 1);
  REQUIRE(list(TheHandle(), &count, &process) == 0);
  CHECK(process.pid == static_cast<unsigned>(getpid()));
  CHECK(process.used == UsedBytes());
}

TEST_CASE("The driver is the one that came with torch's CUDA") {
  int cuda = 0;
  REQUIRE(Find<int(int*)>("nvmlSystemGetCudaDriverVersion_v2")(&cuda) == 0);
  CHECK(cuda == 13000);
  char driver[80] = "";
  REQUIRE(Find<int(char*, unsigned)>("nvmlSystemGetDriverVersion")(driver, sizeof driver) == 0);
  CHECK(std::string(driver).rfind("580.", 0) == 0);
  char library[80] = "";
  REQUIRE(Find<int(char*, unsigned)>("nvmlSystemGetNVMLVersion")(library, sizeof library) == 0);
  CHECK(std::string(library) == std::string("13.") + driver);
}

TEST_CASE("There is one card, with its name, capability and memory") {
  unsigned count = 0;
  REQUIRE(Find<int(unsigned*)>("nvmlDeviceGetCount_v2")(&count) == 0);
  CHECK(count == 1);
  void* handle = nullptr;
  CHECK(Find<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2")(1, &handle) == 2);
  handle = TheHandle();
  char name[96] = "";
  REQUIRE(Find<int(void*, char*, unsigned)>("nvmlDeviceGetName")(handle, name, sizeof name) == 0);
  CHECK(std::string(name) == "NVIDIA T4");
  CHECK(Find<int(void*, char*, unsigned)>("nvmlDeviceGetName")(handle, name, 3) == 7);
  int major = 0;
  int minor = 0;
  REQUIRE(Find<int(void*, int*, int*)>("nvmlDeviceGetCudaComputeCapability")(handle, &major, &minor) == 0);
  CHECK(major * 10 + minor == 75);
  unsigned long long memory[3] = {};
  REQUIRE(Find<int(void*, unsigned long long*)>("nvmlDeviceGetMemoryInfo")(handle, memory) == 0);
  CHECK(memory[0] > 14'000'000'000);
}

TEST_CASE("The card is found by its own name of sixteen bytes and by no other") {
  char uuid[80] = "";
  REQUIRE(Find<int(void*, char*, unsigned)>("nvmlDeviceGetUUID")(TheHandle(), uuid, sizeof uuid) == 0);
  CHECK(std::string(uuid) == "GPU-74340000-0000-0000-0000-000000000000");
  void* handle = nullptr;
  const auto find = Find<int(const char*, void**)>("nvmlDeviceGetHandleByUUID");
  CHECK(find(uuid, &handle) == 0);
  CHECK(handle == TheHandle());
  CHECK(find("GPU-other", &handle) == 6);
}

TEST_CASE("No fabric joins machines, whatever form of the answer is asked for, and no more is written") {
  const auto tell = Find<int(void*, unsigned*)>("nvmlDeviceGetGpuFabricInfoV");
  for (const unsigned bytes : {36U, 40U}) {
    std::vector<unsigned> info(11, ~0U);
    info[0] = bytes | (bytes == 36 ? 2U : 3U) << 24U;
    REQUIRE(tell(TheHandle(), info.data()) == 0);
    CHECK(std::all_of(info.begin() + 1, info.begin() + bytes / sizeof bytes,
                      [](unsigned n) { return n == 0; }));
    CHECK(info[bytes / sizeof bytes] == ~0U);
  }
  unsigned wrong = 1000;
  CHECK(tell(TheHandle(), &wrong) == 25);
  CHECK(tell(TheHandle(), nullptr) == 2);
}

TEST_CASE("Everything that LibTorch looks up is there: it asserts that it is") {
  std::ifstream file(TIDEMARK_LIBC10_CUDA, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  int names = 0;
  for (size_t at = bytes.find("nvml"); at != std::string::npos; at = bytes.find("nvml", at + 1)) {
    const std::string name = bytes.c_str() + at;
    const bool whole = at > 0 && bytes[at - 1] == '\0' && name.size() > 4 && std::isupper(name[4]) != 0;
    const bool plain = std::all_of(name.begin(), name.end(),
                                   [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    if (!whole || !plain) continue;
    INFO(name);
    Find<int()>(name.c_str());
    ++names;
  }
  CHECK(names >= 5);
}

}  // namespace
}  // namespace tidemark::phantom
