// The real cuDNN, asked without a GPU and without LibTorch. The figures are those of cuDNN 9.19 for CUDA 13;
// the proof of this way, which met a published table of a real card within 0.001 GiB, gave the same.
#include <cstdlib>
#include <string>
#include <vector>

#include "profiler/base/paths.h"
#include "profiler/phantom/calibration/convolution.h"
#include "profiler/phantom/workspaces/workspaces.h"
#include "tests/support/catch.h"
#include "tests/support/cudnn.h"

namespace tidemark::phantom::workspaces {
namespace {

using namespace calibration;

std::filesystem::path Oracle() { return ExecutableFolder().parent_path() / "bin" / "tidemark-cudnn-oracle"; }

struct Asked {
  Asked(const std::string& folder, const std::string& card)
      : variable(folder),
        workspaces({FindLibrary(), Oracle(), PropertiesOf(*FindCard(card), 13000, "").json, "",
                    [this](const std::string& reason) { reasons.push_back(reason); }, [] {}}) {}

  // Of the heuristics' first configuration whose plan cuDNN can make, as LibTorch chooses; -1 if it is not
  // known.
  int64_t WorkspaceBytes(const Convolution& convolution) {
    const std::string tree = TreeOf(convolution);
    const auto heuristics = workspaces.Heuristics(tree);
    if (!heuristics || heuristics->status != 0) return -1;
    for (size_t i = 0; i < heuristics->configurations.size(); ++i) {
      const auto plan = workspaces.Plan(tree, static_cast<int>(i));
      if (!plan) return -1;
      if (plan->status == 0) return plan->workspace_bytes;
    }
    return -1;
  }

  tests::WithCudnn variable;
  std::vector<std::string> reasons;
  Workspaces workspaces;
};

TEST_CASE("Convolutions take on each card what cuDNN says they take there") {
  const auto folder = tests::InstalledCudnn();
  if (!folder) return;
  const Convolution forward{Direction::kForward,
                            kFloat32,
                            Layout::kChannelsFirst,
                            {64, 64, 30, 30},
                            {128, 64, 3, 3},
                            {0, 0},
                            {1, 1}};
  Convolution filter = forward;
  filter.direction = Direction::kBackwardFilter;
  Convolution data = forward;
  data.direction = Direction::kBackwardData;
  Asked hopper(*folder, "h100");
  Asked ampere(*folder, "rtx-3060-12gb");
  CHECK(hopper.WorkspaceBytes(forward) == 15'040'528);
  CHECK(hopper.WorkspaceBytes(filter) == 44'991'199);  // as an H200 took; 40,730,640 without its clusters
  CHECK(hopper.WorkspaceBytes(data) == 40'730'640);
  CHECK(ampere.WorkspaceBytes(forward) == 15'040'528);
  CHECK(hopper.reasons.empty());
  CHECK(ampere.reasons.empty());
}

// What an H100 took in efficientnet_b4's training step, by its memory history; 6,171,795 bytes where cuDNN's
// engines that multiply by cuBLASLt are missing from its answers.
TEST_CASE("On Hopper a gradient of a 1×1 convolution multiplies by cuBLASLt, and takes nothing") {
  const auto folder = tests::InstalledCudnn();
  if (!folder) return;
  Asked hopper(*folder, "h100");
  CHECK(hopper.WorkspaceBytes({Direction::kBackwardData,
                               kFloat16,
                               Layout::kChannelsFirst,
                               {8, 1776, 14, 14},
                               {192, 1776, 1, 1},
                               {0, 0},
                               {1, 1}}) == 0);
  CHECK(hopper.reasons.empty());
}

TEST_CASE("Every kind of convolution that LibTorch makes is answered on every card") {
  const auto folder = tests::InstalledCudnn();
  if (!folder) return;
  const std::vector<Convolution> shapes = {
      {Direction::kForward,
       kFloat32,
       Layout::kChannelsFirst,
       {8, 32, 28, 28},
       {64, 32, 3, 3},
       {1, 1},
       {1, 1}},
      {Direction::kForward, kFloat32, Layout::kChannelsFirst, {8, 32, 28, 28}, {32, 1, 3, 3}, {1, 1}, {2, 2}},
      {Direction::kForward, kFloat32, Layout::kChannelsFirst, {8, 32, 28, 28}, {64, 8, 1, 1}, {0, 0}, {1, 1}},
      {Direction::kForward,
       kFloat32,
       Layout::kChannelsFirst,
       {2, 16, 8, 14, 14},
       {32, 16, 3, 3, 3},
       {1, 1, 1},
       {1, 1, 1}}};
  for (const char* card : {"t4", "rtx-4090", "h200"}) {
    Asked asked(*folder, card);
    for (Convolution convolution : shapes) {
      for (const Direction direction :
           {Direction::kForward, Direction::kBackwardFilter, Direction::kBackwardData}) {
        for (const int element : {kFloat32, kFloat16, kBfloat16}) {
          for (const Layout layout : {Layout::kChannelsFirst, Layout::kChannelsLast}) {
            convolution.direction = direction;
            convolution.element = element;
            convolution.layout = layout;
            INFO(card << " direction " << static_cast<int>(direction) << " element " << element << " layout "
                      << static_cast<int>(layout) << " dimensions " << convolution.padding.size());
            const auto heuristics = asked.workspaces.Heuristics(TreeOf(convolution));
            REQUIRE(heuristics.has_value());
            if (std::string(card) == "t4" && element == kBfloat16) continue;  // Turing has none
            CHECK(heuristics->status == 0);
            CHECK(asked.WorkspaceBytes(convolution) >= 0);
          }
        }
      }
    }
    CHECK(asked.reasons.empty());
  }
}

TEST_CASE("A depthwise gradient in half precision needs the engines that are compiled at run time") {
  const auto folder = tests::InstalledCudnn();
  if (!folder) return;
  Asked asked(*folder, "h100");
  const Convolution depthwise{Direction::kForward,
                              kFloat32,
                              Layout::kChannelsLast,
                              {209, 1024, 2, 2},
                              {1024, 1, 7, 7},
                              {3, 3},
                              {1, 1}};
  const auto heuristics = asked.workspaces.Heuristics(TreeOf(depthwise));
  REQUIRE(heuristics.has_value());
  REQUIRE_FALSE(heuristics->configurations.empty());
  // Without a driver that can be loaded it is silently missing, and engine 0 is the first.
  CHECK(heuristics->configurations[0].engine == 5);
}

TEST_CASE("A library that is no cuDNN is a sentence") {
  const auto folder = tests::InstalledCudnn();
  if (!folder) return;
  std::vector<std::string> reasons;
  Workspaces workspaces({Library{"/lib/x86_64-linux-gnu/libm.so.6", {}, "no cuDNN"}, Oracle(),
                         PropertiesOf(*FindCard("h100"), 13000, "").json, "",
                         [&](const std::string& reason) { reasons.push_back(reason); }, [] {}});
  CHECK_FALSE(workspaces.Heuristics("tree").has_value());
  REQUIRE(reasons.size() == 1);
  CHECK(reasons[0].find("is no cuDNN") != std::string::npos);
}

TEST_CASE("A card whose properties cuDNN does not take is a sentence") {
  const auto folder = tests::InstalledCudnn();
  if (!folder) return;
  const tests::WithCudnn with_cudnn(*folder);
  std::vector<std::string> reasons;
  Workspaces workspaces({FindLibrary(), Oracle(), "{\"deviceVer\":900}", "",
                         [&](const std::string& reason) { reasons.push_back(reason); }, [] {}});
  CHECK_FALSE(workspaces.Heuristics("tree").has_value());
  REQUIRE(reasons.size() == 1);
  CHECK(reasons[0].find("does not take the card's properties") != std::string::npos);
}

TEST_CASE("A question that is no tree is cuDNN's to refuse, not to crash over") {
  const auto folder = tests::InstalledCudnn();
  if (!folder) return;
  Asked asked(*folder, "h100");
  const auto heuristics = asked.workspaces.Heuristics("no tree");
  REQUIRE(heuristics.has_value());
  CHECK(heuristics->status != 0);
  CHECK(asked.workspaces
            .Heuristics(TreeOf({Direction::kForward,
                                kFloat32,
                                Layout::kChannelsFirst,
                                {8, 32, 28, 28},
                                {64, 32, 3, 3},
                                {1, 1},
                                {1, 1}}))
            ->status == 0);
}

}  // namespace
}  // namespace tidemark::phantom::workspaces
