// The rules against what cuDNN planned on an H200, where it was asked with its handle.
#include "profiler/phantom/workspaces/oracle/shared_tiles.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "profiler/base/paths.h"
#include "profiler/phantom/workspaces/backend.h"
#include "tests/support/catch.h"

namespace tidemark::phantom::workspaces {
namespace {

struct Planned {
  std::string pass;
  int element = 0;
  std::vector<std::vector<int64_t>> sizes;  // of input, weights and output
  std::string orders;
  std::vector<KnobChoice> knobs;
  int64_t told_bytes = 0;
  int64_t bytes = 0;
};

template <typename Number>
Attribute Values(int name, int element, const std::vector<Number>& numbers) {
  return {name, element, static_cast<int64_t>(numbers.size()),
          std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number))};
}

std::vector<int64_t> Strides(const std::vector<int64_t>& sizes, bool has_channels_last) {
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = has_channels_last ? sizes[1] : 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (i == 1 && has_channels_last) {
      strides[i] = 1;
      continue;
    }
    strides[i] = stride;
    stride *= sizes[i];
  }
  return strides;
}

DescriptorTree TreeOf(const Planned& planned) {
  DescriptorTree tree;
  for (size_t i = 0; i < planned.sizes.size(); ++i) {
    tree.push_back({kTensor,
                    {Values<int>(kTensorElementType, 1, {planned.element}),
                     Values(kTensorSizes, kInt64, planned.sizes[i]),
                     Values(kTensorStrides, kInt64, Strides(planned.sizes[i], planned.orders[i] == 'l'))}});
  }
  const ConvolutionNumbers& numbers = planned.pass == "weights" ? kWeightsGradient
                                      : planned.pass == "input" ? kInputGradient
                                                                : kForward;
  tree.push_back(
      {numbers.type,
       {Values<int64_t>(numbers.input, kDescriptor, {0}), Values<int64_t>(numbers.weights, kDescriptor, {1}),
        Values<int64_t>(numbers.output, kDescriptor, {2})}});
  tree.push_back({kOperationGraph, {Values<int64_t>(kGraphOperations, kDescriptor, {3})}});
  return tree;
}

std::vector<int64_t> SizesIn(const std::string& text) {
  std::vector<int64_t> sizes;
  std::istringstream numbers(text);
  for (std::string number; std::getline(numbers, number, 'x');) sizes.push_back(std::stoll(number));
  return sizes;
}

std::vector<Planned> PlannedOnH200() {
  std::ifstream file(SourceFolder() / "tests/gpu/fixtures/h200/plans.tsv");
  std::vector<Planned> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    Planned planned;
    std::string input;
    std::string weights;
    std::string output;
    words >> planned.pass >> planned.element >> input >> weights >> output >> planned.orders;
    planned.sizes = {SizesIn(input), SizesIn(weights), SizesIn(output)};
    for (const int type : {2, 25, 27, 28}) {
      int64_t value = 0;
      words >> value;
      if (value >= 0) planned.knobs.push_back({type, value});
    }
    words >> planned.told_bytes >> planned.bytes;
    REQUIRE(words);
    all.push_back(std::move(planned));
  }
  return all;
}

TEST_CASE("Workspaces of shared tiles are those of an H200") {
  const std::vector<Planned> all = PlannedOnH200();
  REQUIRE(all.size() == 1228);
  size_t told = 0;
  size_t same = 0;
  for (const Planned& planned : all) {
    const int64_t bytes = WorkspaceOfSharedTiles(TreeOf(planned), planned.knobs).value_or(planned.told_bytes);
    told += planned.told_bytes == planned.bytes ? 1 : 0;
    same += bytes == planned.bytes ? 1 : 0;
  }
  CHECK(same == 1165);
  CHECK(told == 445);
}

TEST_CASE("Tiles are shared where the last wave leaves most of the card idle") {
  // 64 gradients of 64×128 weights of 3×3: 9 tiles of 128×64, 13 times 9 are the 117 that run at once in
  // clusters of three.
  Planned planned{"weights",
                  2,
                  {{64, 64, 30, 30}, {128, 64, 3, 3}, {64, 128, 28, 28}},
                  "lll",
                  {{2, 1}, {25, 0}, {27, 1}, {28, 3}}};
  CHECK(WorkspaceOfSharedTiles(TreeOf(planned), planned.knobs) ==
        int64_t{9 * 13 * 128 * 64 * 4} + 9 * (7 + 4 + 2 + 1) * 4 + 159);
  // A kernel that shares none, where less than two waves are whole.
  planned.knobs[1].value = 1;
  CHECK(WorkspaceOfSharedTiles(TreeOf(planned), planned.knobs) == int64_t{0});
}

TEST_CASE("Of other kernels and operations what was told holds") {
  const Planned planned{"forward",
                        2,
                        {{64, 64, 30, 30}, {128, 64, 3, 3}, {64, 128, 28, 28}},
                        "lll",
                        {{2, 1}, {25, 0}, {27, 1}, {28, 3}}};
  const DescriptorTree tree = TreeOf(planned);
  CHECK(WorkspaceOfSharedTiles(tree, planned.knobs).has_value());
  CHECK_FALSE(WorkspaceOfSharedTiles(tree, {{2, 1}, {27, 1}, {28, 3}}).has_value());
  CHECK_FALSE(WorkspaceOfSharedTiles(tree, {{2, 99}, {25, 0}, {27, 1}, {28, 3}}).has_value());
  CHECK_FALSE(WorkspaceOfSharedTiles(tree, {{2, 1}, {25, 0}, {27, 3}, {28, 3}}).has_value());
  Planned groups = planned;
  groups.sizes[1][1] = 1;
  CHECK_FALSE(WorkspaceOfSharedTiles(TreeOf(groups), groups.knobs).has_value());
  Planned doubles = planned;
  doubles.element = 1;
  CHECK_FALSE(WorkspaceOfSharedTiles(TreeOf(doubles), doubles.knobs).has_value());
  CHECK_FALSE(WorkspaceOfSharedTiles({}, planned.knobs).has_value());
  // Positions that are none.
  DescriptorTree numbers = tree;
  numbers.back().attributes = {Values<int64_t>(kGraphOperations, kInt64, {999})};
  CHECK_FALSE(WorkspaceOfSharedTiles(numbers, planned.knobs).has_value());
  numbers = tree;
  numbers[3].attributes.front().element = kInt64;
  CHECK_FALSE(WorkspaceOfSharedTiles(numbers, planned.knobs).has_value());
}

TEST_CASE("The room for clusters is known of Hopper's cards with 132 multiprocessors") {
  CHECK(KnowsClusters(R"({"deviceVer":900,"multiProcessorCount":132})"));
  CHECK_FALSE(KnowsClusters(R"({"deviceVer":900,"multiProcessorCount":114})"));
  CHECK_FALSE(KnowsClusters(R"({"deviceVer":1000,"multiProcessorCount":132})"));
  CHECK_FALSE(KnowsClusters("{}"));
  CHECK_FALSE(KnowsClusters("no JSON"));
}

}  // namespace
}  // namespace tidemark::phantom::workspaces
