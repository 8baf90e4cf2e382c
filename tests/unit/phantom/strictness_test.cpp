// Every function of the stand-ins does what its class says, and no class is empty.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "profiler/base/paths.h"
#include "profiler/phantom/environment.h"
#include "tests/support/catch.h"
#include "tests/unit/phantom/child.h"

namespace tidemark::phantom {
namespace {

[[maybe_unused]] const int kCardIsChosen =
    setenv(kCardVariable, (AssetsFolder() / "cards" / "h200.json").c_str(), 1);

struct Function {
  std::string soname;
  std::string name;
  std::string kind;
};

// What generate_stand_ins.py made of LibTorch's imports, functions.txt and the hand-written sources.
const std::vector<Function>& Functions() {
  static const std::vector<Function> functions = [] {
    std::ifstream stream(ExecutableFolder().parent_path() /
                         "profiler/phantom/stand_ins/generated/classes.tsv");
    std::vector<Function> read;
    for (std::string line; std::getline(stream, line);) {
      Function function;
      std::istringstream(line) >> function.soname >> function.name >> function.kind;
      read.push_back(function);
    }
    return read;
  }();
  return functions;
}

void* Load(const std::string& soname) {
  return dlopen((PhantomFolder() / soname).c_str(), RTLD_NOW | RTLD_LOCAL);
}

using AnyFunction = int (*)(uint64_t, uint64_t, uint64_t, uint64_t);

// What happens when it is called with the numbers 1 to 4, from a thread that is not the first.
Ended Call(const Function& function) {
  return RunInChild([&] {
    void* library = Load(function.soname);
    auto* address = reinterpret_cast<AnyFunction>(dlsym(library, function.name.c_str()));
    std::thread([address] { address(1, 2, 3, 4); }).join();
  });
}

TEST_CASE("Every function that LibTorch imports has one class, and is in its library") {
  std::map<std::string, int> counts;
  std::set<std::string> names;
  for (const Function& function : Functions()) {
    ++counts[function.kind];
    INFO(function.soname << " " << function.name);
    CHECK(names.insert(function.soname + function.name).second);
    void* library = Load(function.soname);
    REQUIRE(library != nullptr);
    CHECK(dlsym(library, function.name.c_str()) != nullptr);
  }
  CHECK(counts.size() == 3);
  CHECK(counts["modelled"] > 80);
  CHECK(counts["harmless"] > 30);
  CHECK(counts["refusing"] > 500);
}

TEST_CASE("Nothing that gives an answer does nothing") {
  const std::regex answers("Get|Query|Create|Malloc|Alloc|Find|Heuristic");
  for (const Function& function : Functions()) {
    if (function.kind != "harmless") continue;
    INFO(function.name);
    CHECK(!std::regex_search(function.name, answers));
  }
}

TEST_CASE("In every library a function that nobody modelled ends the process with its name") {
  std::map<std::string, Function> examples;
  for (const Function& function : Functions()) {
    if (function.kind == "refusing") examples.try_emplace(function.soname, function);
  }
  CHECK(examples.size() > 6);
  for (const auto& [soname, function] : examples) {
    const Ended ended = Call(function);
    CHECK(ended.status == 70);
    CHECK(ended.errors == kUnmodelledPrefix + function.name + " (0x1, 0x2, 0x3, 0x4)\n");
  }
}

TEST_CASE("Harmless functions succeed") {
  for (const Function& function : Functions()) {
    if (function.kind != "harmless") continue;
    INFO(function.name);
    auto* address = reinterpret_cast<AnyFunction>(dlsym(Load(function.soname), function.name.c_str()));
    CHECK(address(1, 2, 3, 4) == 0);
  }
}

// Of what a library makes or answers, where the function writes it: the pointer's place among the arguments,
// and how many bytes it is of. All others are numbers, or objects of which nothing is read.
struct Answer {
  std::string function;
  int place;
  size_t bytes;
};

TEST_CASE("What answers in numbers sets the number, whatever was there") {
  // In the rows of the arrays below, `place` counts from 0; what lies before it are sizes, modes and
  // addresses.
  const std::vector<Answer> answers = {
      {"cufftCreate", 0, 4},
      {"cufftXtMakePlanMany", 12, 8},
      {"cusolverDnSpotrf_bufferSize", 5, 4},
      {"cusolverDnZgetrf_bufferSize", 5, 4},
      {"cusolverDnDorgqr_bufferSize", 7, 4},
      {"cusolverDnCunmqr_bufferSize", 11, 4},
      {"cusolverDnSgesvd_bufferSize", 3, 4},
      {"cusolverDnSsyevd_bufferSize", 7, 4},
      {"cusolverDnSsyevjBatched_bufferSize", 7, 4},
      {"cusolverDnCgesvdjBatched_bufferSize", 11, 4},
      {"cusolverDnDgesvdj_bufferSize", 12, 4},
      {"cusolverDnSgesvdaStridedBatched_bufferSize", 16, 4},
      {"cusolverDnXpotrf_bufferSize", 8, 8},
      {"cusolverDnXpotrf_bufferSize", 9, 8},
      {"cusolverDnXgeqrf_bufferSize", 10, 8},
      {"cusolverDnXgeqrf_bufferSize", 11, 8},
      {"cusolverDnXsyevd_bufferSize", 11, 8},
      {"cusolverDnXsyevd_bufferSize", 12, 8},
      {"cusolverDnXsyevBatched_bufferSize", 11, 8},
      {"cusolverDnXsyevBatched_bufferSize", 12, 8},
      {"cusolverDnXgeev_bufferSize", 17, 8},
      {"cusolverDnXgeev_bufferSize", 18, 8},
      {"cusolverDnXsytrs_bufferSize", 11, 8},
      {"cusolverDnXsytrs_bufferSize", 12, 8},
      {"cusparseSpMV_bufferSize", 9, 8},
      {"cusparseSpMM_bufferSize", 10, 8},
      {"cusparseSDDMM_bufferSize", 10, 8},
      {"cusparseSpSV_bufferSize", 9, 8},
      {"cusparseSpSM_bufferSize", 10, 8},
      {"cusparseSpGEMM_workEstimation", 11, 8},
      {"cusparseDcsrgeam2_bufferSizeExt", 19, 8},
      {"cusparseXcsrgeam2Nnz", 13, 4},
      {"cusparseSbsrsv2_bufferSize", 11, 4},
      {"cusparseZbsrsm2_bufferSize", 13, 4},
      {"cusparseXcoosort_bufferSizeExt", 6, 8},
      {"cusparseXcsrsort_bufferSizeExt", 6, 8},
      {"cublasSgeqrfBatched", 6, 4},
      {"cublasDgetrsBatched", 9, 4},
      {"cublasCgelsBatched", 9, 4},
      {"cudnnGetCTCLossWorkspaceSize", 8, 8},
      {"cudnnGetCTCLossWorkspaceSize_v8", 5, 8},
      {"nvrtcGetPTXSize", 1, 8},
      {"nvrtcGetCUBINSize", 1, 8},
      {"nvrtcGetProgramLogSize", 1, 8},
      {"ncclGetVersion", 0, 4},
  };
  constexpr size_t kMostArguments = 20;
  using Full = int (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                       uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                       uint64_t, uint64_t, uint64_t, uint64_t);
  for (const Answer& answer : answers) {
    INFO(answer.function << " " << answer.place);
    const auto found = std::find_if(Functions().begin(), Functions().end(),
                                    [&](const Function& one) { return one.name == answer.function; });
    REQUIRE(found != Functions().end());
    REQUIRE(found->kind == "modelled");
    const Ended ended = RunInChild([&] {
      constexpr uint64_t kUnset = 0xABABABABABABABAB;
      std::array<uint64_t, kMostArguments> room{};  // what every other pointer points to
      uint64_t given = kUnset;
      std::array<uint64_t, kMostArguments> a{};
      for (uint64_t& argument : a) argument = reinterpret_cast<uint64_t>(room.data());
      a.at(static_cast<size_t>(answer.place)) = reinterpret_cast<uint64_t>(&given);
      auto* address = reinterpret_cast<Full>(dlsym(Load(found->soname), answer.function.c_str()));
      const int status = address(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11],
                                 a[12], a[13], a[14], a[15], a[16], a[17], a[18], a[19]);
      const uint64_t mask = answer.bytes == 8 ? ~uint64_t{0} : 0xFFFFFFFF;
      const bool only_it = answer.bytes == 8 || given >> 32 == kUnset >> 32;
      std::printf("%d %d %d", status, static_cast<int>((given & mask) != (kUnset & mask)),
                  static_cast<int>(only_it));
      std::fflush(stdout);
    });
    CHECK(ended.output == "0 1 1");
  }
}

TEST_CASE("A kind of descriptor that nobody modelled is refused with its number") {
  const Ended refused = RunInChild([] {
    auto* create =
        reinterpret_cast<AnyFunction>(dlsym(Load("libcudnn.so.9"), "cudnnBackendCreateDescriptor"));
    create(0x7f, 0, 0, 0);
  });
  CHECK(refused.status == 70);
  CHECK(refused.errors == std::string(kUnmodelledPrefix) + "cudnnBackendCreateDescriptor (0x7f)\n");
}

TEST_CASE("What the program wrote before it was ended is not lost") {
  const Ended ended = RunInChild([] {
    std::printf("before");
    auto* address = reinterpret_cast<AnyFunction>(dlsym(Load("libcudart.so.13"), "cudaIpcGetEventHandle"));
    address(0, 0, 0, 0);
  });
  CHECK(ended.output == "before");
  CHECK(ended.errors.find("cudaIpcGetEventHandle") != std::string::npos);
}

}  // namespace
}  // namespace tidemark::phantom
