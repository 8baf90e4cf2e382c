// Every function of the stand-ins does what its class says, and no class is empty.
#include <dlfcn.h>

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
  CHECK(examples.size() > 8);
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
    auto* address = reinterpret_cast<AnyFunction>(dlsym(Load("libcudart.so.13"), "cudaGraphDebugDotPrint"));
    address(0, 0, 0, 0);
  });
  CHECK(ended.output == "before");
  CHECK(ended.errors.find("cudaGraphDebugDotPrint") != std::string::npos);
}

}  // namespace
}  // namespace tidemark::phantom
