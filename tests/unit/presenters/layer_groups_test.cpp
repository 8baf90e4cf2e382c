#include "app/presenters/plot/layer_groups.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/presenters/allocations/selection.h"
#include "app/presenters/plot/stacking.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::presenters {
namespace {

LayerGroups Of(const BytesByLayer& bytes) { return GroupsOfLayers(std::vector{bytes}, kMostStackGroups); }

}  // namespace

TEST_CASE("A layer's path has the levels that its marks part") {
  CHECK(ModuleOf("layer3.0.conv1", 1) == "layer3.");
  CHECK(ModuleOf("layer3.0.conv1", 2) == "layer3.0.");
  CHECK(ModuleOf("layer3.0.conv1", 9) == "layer3.0.conv1");
  CHECK(ModuleOf("h.0.c_attn", 1) == "h.");
  CHECK(ModuleOf("stage1_block1_conv1", 1) == "stage1_");
  CHECK(ModuleOf("fc", 1) == "fc");
}

TEST_CASE("As many layers as there are colours have one each") {
  const LayerGroups groups = Of({{"conv1", 5}, {"fc", 9}, {"a.b", 7}});
  CHECK(groups.titles == std::vector<std::string>{"fc", "a.b", "conv1", "other"});
}

TEST_CASE("Of more layers the modules are told, at the deepest level at which they hold nearly all") {
  BytesByLayer bytes = {{"conv1", 50}, {"head_fc", 40}};
  for (int stage = 1; stage <= 4; ++stage) {
    for (int block = 1; block <= 5; ++block) {
      for (const char* layer : {"conv1", "conv2"})
        bytes["stage" + std::to_string(stage) + "_block" + std::to_string(block) + "_" + layer] = 10 * stage;
    }
  }
  const LayerGroups groups = Of(bytes);
  CHECK(groups.level == 1);
  CHECK(groups.titles == std::vector<std::string>{"stage4_*", "stage3_*", "stage2_*", "stage1_*", "conv1",
                                                  "head_fc", "other"});
  CHECK(groups.groups[5] == "head_");
}

TEST_CASE("Layers that have no modules are told by name, the largest, and the others are counted") {
  BytesByLayer bytes;
  for (int layer = 1; layer <= 30; ++layer) bytes["linear" + std::to_string(layer)] = layer;
  const LayerGroups groups = Of(bytes);
  REQUIRE(groups.titles.size() == kMostStackGroups);
  CHECK(groups.titles.front() == "linear30");
  CHECK(groups.titles.back() == "other 21 layers");
  bytes = {{"tiny", 1}};
  for (int layer = 1; layer <= 9; ++layer) bytes["linear" + std::to_string(layer)] = 100;
  CHECK(Of(bytes).titles.back() == "other 1 layer");
}

TEST_CASE("What no layer holds is told as what it is, however many layers there are") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 512, events::Category::kWorkspace);
  stream.Allocate(0x2000, 512, events::Category::kUnknown);
  for (int layer = 1; layer <= 30; ++layer)
    stream.Allocate(static_cast<uint64_t>(0x10000 * layer), 4096).layer =
        stream.Name("linear" + std::to_string(layer));
  const auto view = stream.Publish();
  const Result<Stacking> stacking = MakeStacking(*view, {StackBy::kLayer, ""});
  REQUIRE(stacking.ok());
  const auto has = [&](const std::string& title) { return std::ranges::count(stacking->titles, title) == 1; };
  CHECK(has("no layer: workspace"));
  CHECK(has("no layer"));
  CHECK(has("other 23 layers"));
  CHECK(stacking->titles.size() == kMostStackGroups);
}

TEST_CASE("What an optimizer begins to keep has a group of its own until its layer is told") {
  timeline::Stream stream;
  const events::NameId name = stream.Name("conv1.weight exp_avg");
  stream.BeginStep(0);
  for (uint64_t block = 1; block <= 20; ++block)
    stream.Allocate(0x1000 * block, 512, events::Category::kOptimizerState);
  for (uint64_t block = 1; block <= 20; ++block)
    stream.Categorize(0x1000 * block, events::Category::kOptimizerState, name);
  stream.EndStep(0);
  stream.BeginStep(1);
  stream.Allocate(0x100000, 1 << 20, events::Category::kActivation);
  stream.EndStep(1);
  const Result<Stacking> stacking = MakeStacking(*stream.Publish(), {StackBy::kLayer, ""});
  REQUIRE(stacking.ok());
  CHECK(std::ranges::count(stacking->titles, "conv1") == 1);
  CHECK(std::ranges::count(stacking->titles, "no layer: optimizer state") == 1);
}

TEST_CASE("A module's group is selected as all layers whose names begin so") {
  CHECK(IsOneOf("layer3.*", "layer3.0.conv1"));
  CHECK_FALSE(IsOneOf("layer3.*", "layer30.conv1"));
  CHECK(IsOneOf("conv1", "conv1"));
  CHECK_FALSE(IsOneOf("conv1", "conv11"));
}

}  // namespace tidemark::presenters
