// LibTorch on the phantom, end to end: reference_program in a process of its own, with PhantomEnvironment.
//
// Peaks are those of the phantom's first proof, which met recordings from real cards allocation by
// allocation; without cuDNN's workspaces.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "profiler/base/paths.h"
#include "profiler/phantom/environment.h"
#include "tests/support/catch.h"
#include "tests/unit/phantom/child.h"

namespace tidemark::phantom {
namespace {

// Of one cuBLAS handle: LibTorch asks for it once in the forward thread and once in the backward thread.
constexpr long long kWorkspaceOfHopper = 33'554'432;
constexpr long long kWorkspaceOfOthers = 8'519'680;

Ended RunReference(const std::optional<std::string>& card_name, std::vector<std::string> arguments) {
  std::optional<Card> card;
  if (card_name) {
    const auto found = FindCard(*card_name);
    REQUIRE(found.ok());
    card = found.value();
  }
  const auto environment = PhantomEnvironment(card);
  REQUIRE(environment.ok());
  arguments.insert(arguments.begin(), (ExecutableFolder() / "phantom_reference_program").string());
  return RunProgram(arguments, environment.value());
}

struct Peaks {
  long long allocated_bytes = 0;
  long long reserved_bytes = 0;
  bool operator==(const Peaks&) const = default;
};
std::ostream& operator<<(std::ostream& stream, const Peaks& peaks) {
  return stream << peaks.allocated_bytes << " allocated, " << peaks.reserved_bytes << " reserved";
}

Peaks StepPeaks(const std::string& card, const std::vector<std::string>& step) {
  std::vector<std::string> arguments{"step"};
  arguments.insert(arguments.end(), step.begin(), step.end());
  const Ended ended = RunReference(card, arguments);
  INFO(ended.output << ended.errors);
  REQUIRE(ended.status == 0);
  Peaks peaks;
  REQUIRE(std::sscanf(ended.output.c_str(), "allocated %lld reserved %lld", &peaks.allocated_bytes,
                      &peaks.reserved_bytes) == 2);
  return peaks;
}

TEST_CASE("A training step's peaks are the known ones, to the byte") {
  // Channels, batch, half precision, accumulation.
  CHECK(StepPeaks("h200", {"64", "128", "64", "0", "1"}) == Peaks{177'729'024, 218'103'808});
  CHECK(StepPeaks("h200", {"64", "128", "64", "1", "1"}) == Peaks{132'365'312, 150'994'944});
  CHECK(StepPeaks("h200", {"64", "128", "16", "0", "4"}) == Peaks{108'776'960, 113'246'208});
  CHECK(StepPeaks("h200", {"32", "64", "64", "0", "1"}) == Peaks{123'323'392, 150'994'944});
}

TEST_CASE("On cards before Hopper the cuBLAS workspaces are smaller") {
  const Peaks hopper = StepPeaks("h100", {"32", "64", "64", "0", "1"});
  const Peaks ada = StepPeaks("rtx-4090", {"32", "64", "64", "0", "1"});
  CHECK(hopper == Peaks{123'323'392, 150'994'944});
  CHECK(hopper.allocated_bytes - ada.allocated_bytes == 2 * (kWorkspaceOfHopper - kWorkspaceOfOthers));
}

TEST_CASE("The same run is the same twice") {
  const std::vector<std::string> step{"64", "128", "64", "1", "2"};
  CHECK(StepPeaks("t4", step) == StepPeaks("t4", step));
}

TEST_CASE("A batch too large gives PyTorch's own message") {
  const Ended ended = RunReference("t4", {"step", "64", "128", "40000", "0", "1"});
  INFO(ended.output << ended.errors);
  CHECK(ended.status == 1);
  CHECK(ended.output.find("c10::OutOfMemoryError: CUDA out of memory. Tried to allocate ") == 0);
  CHECK(ended.output.find("GPU 0 has a total capacity of 14.57 GiB") != std::string::npos);
}

TEST_CASE("Networks and operations of all kinds run") {
  for (const char* card : {"h200", "rtx-3060-12gb"}) {
    const Ended ended = RunReference(card, {"operations"});
    INFO(ended.output << ended.errors);
    CHECK(ended.status == 0);
    // What is not included, and what is derived from another card's, and nothing else; each once.
    const bool derived = ended.errors.find(std::string(kDerivedSizePrefix) +
                                           "the workspaces of cuDNN's batch normalisation, from an H100's "
                                           "with cuDNN 9.19.0.\n") != std::string::npos;
    const bool measured = std::string_view(card) == "h200";  // the same sizes as on an H100
    CHECK(derived == !measured);
    CHECK(ended.errors.find(std::string(kWithoutWorkspacesPrefix) +
                            "TIDEMARK_CUDNN=none leaves them out.\n") != std::string::npos);
    CHECK(std::count(ended.errors.begin(), ended.errors.end(), '\n') == (measured ? 1 : 2));
  }
}

TEST_CASE("Small values come back, computed ones read as zero") {
  const Ended ended = RunReference("h200", {"bytes"});
  CHECK(ended.output == "copied 1 computed_sum 0\n");
}

TEST_CASE("LibTorch sees the card") {
  CHECK(RunReference("a100-80gb", {"device"}).output ==
        "devices 1\nname NVIDIA A100-SXM4-80GB\ncapability 8.0\n");
}

TEST_CASE("Without a card there is no device, and no word about it") {
  const Ended ended = RunReference({}, {"device"});
  CHECK(ended.output == "devices 0\n");
  CHECK(ended.errors.empty());
  const Ended step = RunReference({}, {"step", "32", "64", "1", "0", "1"});
  CHECK(step.status == 1);
  CHECK(step.output.find("exception: ") == 0);
}

TEST_CASE("A function that nobody modelled ends the run with its name") {
  const Ended ended = RunReference("h200", {"refused"});
  CHECK(ended.status == 70);
  CHECK(ended.errors.find(std::string(kUnmodelledPrefix) + "cudaCtxResetPersistingL2Cache") == 0);
}

TEST_CASE("A card's file that is missing is said, not guessed") {
  auto environment = PhantomEnvironment(std::nullopt);
  REQUIRE(environment.ok());
  environment.value().push_back("TIDEMARK_PHANTOM_CARD=/nowhere/card.json");
  const std::string program = (ExecutableFolder() / "phantom_reference_program").string();
  const Ended ended = RunProgram({program, "device"}, environment.value());
  CHECK(ended.status == 70);
  CHECK(ended.errors.find("tidemark phantom: The card's file /nowhere/card.json cannot be read.") == 0);
}

TEST_CASE("What is preloaded already stays so, behind the stand-ins") {
  REQUIRE(setenv("LD_PRELOAD", "/somewhere/libmine.so", 1) == 0);
  const auto environment = PhantomEnvironment(std::nullopt);
  REQUIRE(unsetenv("LD_PRELOAD") == 0);
  REQUIRE(environment.ok());
  const std::string& preload = environment.value().front();
  CHECK(preload.find("LD_PRELOAD=" + PhantomFolder().string() + "/libcublas.so") == 0);
  CHECK(preload.substr(preload.size() - 22) == ":/somewhere/libmine.so");
}

}  // namespace
}  // namespace tidemark::phantom
