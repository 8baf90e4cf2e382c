// cuDNN's graph interface, as programs ask it that plan for themselves. The answers are those of a program
// that speaks as the one does that holds cuDNN.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "profiler/base/paths.h"
#include "profiler/phantom/environment.h"
#include "profiler/phantom/workspaces/backend.h"
#include "profiler/phantom/workspaces/library.h"
#include "profiler/phantom/workspaces/workspaces.h"
#include "tests/support/catch.h"
#include "tests/unit/phantom/child.h"
#include "tests/unit/phantom/classes.h"

namespace tidemark::phantom {
namespace {

using Descriptor = void*;

int Create(int type, Descriptor* descriptor) {
  return reinterpret_cast<int (*)(int, Descriptor*)>(AddressOf("cudnnBackendCreateDescriptor"))(type,
                                                                                                descriptor);
}

int Finalize(Descriptor descriptor) {
  return reinterpret_cast<int (*)(Descriptor)>(AddressOf("cudnnBackendFinalize"))(descriptor);
}

Descriptor FinishedHeuristics() {
  Descriptor heuristics = nullptr;
  Create(workspaces::kEngineHeuristics, &heuristics);
  Finalize(heuristics);
  return heuristics;
}

// How many elements it tells a caller that has room for so many.
int64_t Told(Descriptor descriptor, int name, int element, int64_t room, void* elements) {
  using Get = int (*)(Descriptor, int, int, int64_t, int64_t*, void*);
  int64_t told = -1;
  reinterpret_cast<Get>(AddressOf("cudnnBackendGetAttribute"))(descriptor, name, element, room, &told,
                                                               elements);
  return told;
}

// On a card, with a folder that has a cuDNN in it which nobody can load, and answers of nobody.
void AskFakeCudnn() {
  setenv(kCardVariable, (AssetsFolder() / "cards" / "h200.json").c_str(), 1);
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "tidemark-fake-cudnn-XXXXXX";
  std::string name = folder.string();
  if (mkdtemp(name.data()) == nullptr) return;
  std::ofstream(name + "/libcudnn.so.9") << "fake";
  setenv(workspaces::kLibraryVariable, name.c_str(), 1);
  setenv("TIDEMARK_CACHE", name.c_str(), 1);
  setenv(workspaces::kOracleVariable, TIDEMARK_FAKE_ORACLE, 1);
}

TEST_CASE("Of what cuDNN answers as many are counted as there was room for, and all where there was none") {
  const Ended ended = RunInChild([] {
    AskFakeCudnn();
    Descriptor heuristics = FinishedHeuristics();
    std::array<Descriptor, 5> results{};
    for (Descriptor& result : results) Create(workspaces::kEngineConfiguration, &result);
    for (const int64_t room : {0, 1, 2, 5})
      std::printf("%ld ", static_cast<long>(Told(heuristics, workspaces::kHeuristicResults,
                                                 workspaces::kDescriptor, room, results.data())));
    Descriptor engine = nullptr;
    Create(workspaces::kEngine, &engine);
    Told(results[0], workspaces::kConfigurationEngine, workspaces::kDescriptor, 1, &engine);
    std::array<int, 5> notes{};
    for (const int64_t room : {0, 1, 5})
      std::printf("%ld ", static_cast<long>(Told(engine, workspaces::kEngineNumericalNotes,
                                                 workspaces::kNumericalNote, room, notes.data())));
    std::fflush(stdout);
    std::filesystem::remove_all(std::getenv(workspaces::kLibraryVariable));
  });
  CHECK(ended.output == "3 1 2 3 2 1 2 ");
}

TEST_CASE("A plan is told as JSON by the cuDNN that made it") {
  const Ended ended = RunInChild([] {
    AskFakeCudnn();
    Descriptor heuristics = FinishedHeuristics();
    std::array<Descriptor, 2> results{};
    for (Descriptor& result : results) Create(workspaces::kEngineConfiguration, &result);
    Told(heuristics, workspaces::kHeuristicResults, workspaces::kDescriptor, 2, results.data());
    Descriptor plan = nullptr;
    Create(workspaces::kExecutionPlan, &plan);
    using Set = int (*)(Descriptor, int, int, int64_t, const void*);
    reinterpret_cast<Set>(AddressOf("cudnnBackendSetAttribute"))(plan, workspaces::kPlanConfiguration,
                                                                 workspaces::kDescriptor, 1, &results[1]);
    Finalize(plan);
    std::array<char, 64> json{};
    const int64_t size = Told(plan, workspaces::kPlanJson, workspaces::kChar, 0, nullptr);
    Told(plan, workspaces::kPlanJson, workspaces::kChar, size, json.data());
    std::printf("%ld %s", static_cast<long>(size), json.data());
    std::fflush(stdout);
    std::filesystem::remove_all(std::getenv(workspaces::kLibraryVariable));
  });
  CHECK(ended.output == "6 plan 1");
}

}  // namespace
}  // namespace tidemark::phantom
