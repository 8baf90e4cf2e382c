// Every function of the stand-ins does what its class says, and no class is empty.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "profiler/base/paths.h"
#include "profiler/phantom/calibration/operations.h"
#include "profiler/phantom/calibration/table.h"
#include "profiler/phantom/environment.h"
#include "tests/support/catch.h"
#include "tests/unit/phantom/child.h"
#include "tests/unit/phantom/classes.h"

namespace tidemark::phantom {
namespace {

[[maybe_unused]] const int kCardIsChosen =
    setenv(kCardVariable, (AssetsFolder() / "cards" / "h200.json").c_str(), 1);

using AnyFunction = int (*)(uint64_t, uint64_t, uint64_t, uint64_t);

// What happens when it is called with the numbers 1 to 4, from a thread that is not the first.
Ended Call(const StandInFunction& function) {
  return RunInChild([&] {
    void* library = LoadStandIn(function.soname);
    auto* address = reinterpret_cast<AnyFunction>(dlsym(library, function.name.c_str()));
    std::thread([address] { address(1, 2, 3, 4); }).join();
  });
}

bool IsHarmless(const StandInFunction& function) {
  return function.kind == "computes" || function.kind == "sets";
}

constexpr const char* kNvml = "libnvidia-ml.so.1";

TEST_CASE("Every function that LibTorch imports has one class, and is in its library") {
  std::map<std::string, int> counts;
  std::set<std::string> names;
  for (const StandInFunction& function : StandInFunctions()) {
    ++counts[function.kind];
    INFO(function.soname << " " << function.name);
    CHECK(names.insert(function.soname + function.name).second);
    void* library = LoadStandIn(function.soname);
    REQUIRE(library != nullptr);
    CHECK(dlsym(library, function.name.c_str()) != nullptr);
  }
  CHECK(counts.size() == 5);
  CHECK(counts["modelled"] > 80);
  CHECK(counts["computes"] > 30);
  CHECK(counts["sets"] > 10);
  CHECK(counts["unsupported"] > 5);
  CHECK(counts["refuses"] > 500);
}

TEST_CASE("Nothing that gives an answer does nothing") {
  const std::regex answers("Get|Query|Create|Malloc|Alloc|Find|Heuristic");
  for (const StandInFunction& function : StandInFunctions()) {
    if (!IsHarmless(function)) continue;
    INFO(function.name);
    CHECK(!std::regex_search(function.name, answers));
  }
}

TEST_CASE("In every library a function that nobody modelled ends the process with its name") {
  std::map<std::string, StandInFunction> examples;
  for (const StandInFunction& function : StandInFunctions()) {
    if (function.kind == "refuses" && function.soname != kNvml)
      examples.try_emplace(function.soname, function);
  }
  CHECK(examples.size() > 6);
  for (const auto& [soname, function] : examples) {
    const Ended ended = Call(function);
    CHECK(ended.status == 70);
    CHECK(ended.errors == kUnmodelledPrefix + function.name + " (0x1, 0x2, 0x3, 0x4)\n");
  }
}

TEST_CASE("NVML says of what nobody modelled that the card does not support it, and the report names it") {
  const std::filesystem::path doubts =
      std::filesystem::temp_directory_path() / ("tidemark-strictness-" + std::to_string(getpid()) + ".txt");
  for (const StandInFunction& function : StandInFunctions()) {
    if (function.soname != kNvml || (function.kind != "refuses" && function.kind != "unsupported")) continue;
    INFO(function.name);
    const bool is_told = function.kind == "refuses";
    if (is_told && function.name.size() % 8 != 0) continue;  // a process each
    const Ended ended = RunInChild([&] {
      setenv(kDoubtsVariable, doubts.c_str(), 1);
      std::printf("%d", reinterpret_cast<AnyFunction>(AddressOf(function.name))(1, 2, 3, 4));
      std::fflush(stdout);
    });
    CHECK(ended.output == "3");
    std::string line;
    std::getline(std::ifstream(doubts), line);
    CHECK(line == (is_told ? "The program called " + function.name +
                                 ", which is not modelled: it was told that the card does not support it."
                           : ""));
    std::filesystem::remove(doubts);
  }
}

TEST_CASE("CUPTI and NVML have all that their headers declare") {
  std::map<std::string, int> counts;
  for (const StandInFunction& function : StandInFunctions()) ++counts[function.soname];
  CHECK(counts[kNvml] > 400);
  CHECK(counts["libcupti.so.13"] > 170);
}

// In a child, as all else here is: a process has one device, and the cases differ in it.
TEST_CASE("Harmless functions succeed") {
  const Ended ended = RunInChild([] {
    for (const StandInFunction& function : StandInFunctions()) {
      if (!IsHarmless(function)) continue;
      void* library = LoadStandIn(function.soname);
      auto* address = reinterpret_cast<AnyFunction>(dlsym(library, function.name.c_str()));
      if (address(1, 2, 3, 4) != 0) std::printf("%s fails. ", function.name.c_str());
    }
    std::fflush(stdout);
  });
  CHECK(ended.status == 0);
  CHECK(ended.output == "");
}

TEST_CASE("What was sent is doubtful after what computes, and not after what only sets something") {
  const Ended ended = RunInChild([] {
    void* runtime = LoadStandIn("libcudart.so.13");
    void* blas = LoadStandIn("libcublas.so.13");
    const auto call = [](void* library, const char* name, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
      return reinterpret_cast<AnyFunction>(dlsym(library, name))(a, b, c, d);
    };
    uint64_t device = 0;
    uint64_t sent = 7;
    uint64_t received = 0;
    const auto to = [](uint64_t& number) { return reinterpret_cast<uint64_t>(&number); };
    const auto read = [&] {
      received = 1;
      call(runtime, "cudaMemcpy", to(received), device, sizeof received, 2);
      std::printf("%d ", static_cast<int>(received));
    };
    call(runtime, "cudaMalloc", to(device), sizeof sent, 0, 0);
    call(runtime, "cudaMemcpy", device, to(sent), sizeof sent, 1);
    call(blas, "cublasSetStream_v2", 0, 0, 0, 0);
    read();
    call(blas, "cublasSgemm_v2", 0, 0, 0, 0);
    read();  // nobody tells of blocks here, so a kernel ends what is known
    std::fflush(stdout);
  });
  CHECK(ended.output == "7 0 ");
}

TEST_CASE("A recurrent layer's workspace is found by what the recorder measured it by") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("tidemark-strictness-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "cards");
  std::filesystem::create_directories(folder / "calibration");
  const std::filesystem::path card = folder / "cards" / "h200.json";
  std::filesystem::copy_file(AssetsFolder() / "cards" / "h200.json", card);
  // Numbers that all differ. See cudnnSetRNNDescriptor_v8 and recorder/sizes.cpp for their order.
  const calibration::RnnShape shape{2, 1, 2, 0, 3, 16, 32, 24, 4, 8, 64, true};
  calibration::Row row;
  row.card = "h200";
  row.library = "cudnn";
  row.version = "*";
  row.operation = calibration::TextOf(calibration::RnnSize::kReserve, shape);
  row.size = {4321, calibration::Provenance::kMeasured, "a test"};
  std::ofstream(folder / "calibration" / "test.tsv") << calibration::TextOf({row}, "a test");
  const Ended ended = RunInChild([&] {
    setenv(kCardVariable, card.c_str(), 1);
    const auto call = [](const char* name, const auto&... arguments) {
      using Function = int (*)(decltype(static_cast<uint64_t>(arguments))...);
      return reinterpret_cast<Function>(AddressOf(name))(static_cast<uint64_t>(arguments)...);
    };
    const auto to = [](auto& output) { return reinterpret_cast<uint64_t>(&output); };
    uint64_t rnn = 0;
    uint64_t sequence = 0;
    uint64_t workspace = 0;
    uint64_t reserve = 0;
    call("cudnnCreateRNNDescriptor", to(rnn));
    call("cudnnSetRNNDescriptor_v8", rnn, 0, shape.cell, 2, shape.direction, 0, shape.element,
         shape.precision, shape.math, shape.input_size, shape.hidden_size, shape.projection_size,
         shape.layers, 0, 1);
    call("cudnnCreateRNNDataDescriptor", to(sequence));
    call("cudnnSetRNNDataDescriptor", sequence, shape.element, 0, shape.longest, shape.batch,
         shape.input_size, 0, 0);
    call("cudnnGetRNNTempSpaceSizes", 0, rnn, 1, sequence, to(workspace), to(reserve));
    std::printf("%d", static_cast<int>(reserve));
    std::fflush(stdout);
  });
  CHECK(ended.output == "4321");
  std::filesystem::remove_all(folder);
}

TEST_CASE("Sizes that depend on the card are refused in a sentence where there is none") {
  for (const bool hidden : {false, true}) {
    const Ended ended = RunInChild([hidden] {
      hidden ? setenv("CUDA_VISIBLE_DEVICES", "", 1) : unsetenv(kCardVariable);
      uint64_t bytes = 0;
      reinterpret_cast<AnyFunction>(AddressOf("cudnnDropoutGetStatesSize"))(
          0, reinterpret_cast<uint64_t>(&bytes), 0, 0);
    });
    CHECK(ended.status != 0);
    CHECK(ended.errors.find("where there is no GPU") != std::string::npos);
  }
}

TEST_CASE("CUDA_VISIBLE_DEVICES hides the card from CUDA, and the driver is still there") {
  const Ended ended = RunInChild([] {
    setenv("CUDA_VISIBLE_DEVICES", "3", 1);
    int count = 7;
    int version = 0;
    const auto to = [](int& number) { return reinterpret_cast<uint64_t>(&number); };
    const auto call = [](const char* name, uint64_t output) {
      return reinterpret_cast<AnyFunction>(AddressOf(name))(output, 0, 0, 0);
    };
    constexpr int kNoDevice = 100;  // cudaErrorNoDevice
    std::printf("%d ", static_cast<int>(call("cudaGetDeviceCount", to(count)) == kNoDevice));
    call("cudaDriverGetVersion", to(version));
    std::printf("%d %d", count, static_cast<int>(version > 0));
    std::fflush(stdout);
  });
  CHECK(ended.output == "1 0 1");
  CHECK(ended.errors.find("CUDA_VISIBLE_DEVICES=3 leaves no GPU to see") != std::string::npos);
}

TEST_CASE("A kind of descriptor that nobody modelled is refused with its number") {
  const Ended refused = RunInChild([] {
    auto* create =
        reinterpret_cast<AnyFunction>(dlsym(LoadStandIn("libcudnn.so.9"), "cudnnBackendCreateDescriptor"));
    create(0x7f, 0, 0, 0);
  });
  CHECK(refused.status == 70);
  CHECK(refused.errors == std::string(kUnmodelledPrefix) + "cudnnBackendCreateDescriptor (0x7f)\n");
}

TEST_CASE("What the program wrote before it was ended is not lost") {
  const Ended ended = RunInChild([] {
    std::printf("before");
    auto* address = reinterpret_cast<AnyFunction>(dlsym(LoadStandIn("libcudart.so.13"), "cudaMallocArray"));
    address(0, 0, 0, 0);
  });
  CHECK(ended.output == "before");
  CHECK(ended.errors.find("cudaMallocArray") != std::string::npos);
}

}  // namespace
}  // namespace tidemark::phantom
