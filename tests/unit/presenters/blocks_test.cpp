#include "app/presenters/allocations/blocks.h"

#include <algorithm>
#include <array>
#include <string>

#include "app/presenters/allocations/allocations.h"
#include "app/presenters/allocations/live_tree.h"
#include "app/presenters/comparison/state_comparison.h"
#include "app/presenters/moment/layer_table.h"
#include "app/presenters/moment/peak_moment.h"
#include "app/presenters/plot/stacking.h"
#include "profiler/timeline/block_layer.h"
#include "tests/support/catch.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

using events::Category;

// Parameters are made before any layer runs, an optimizer's state after all of them.
class WholeTraining : public timeline::Stream {
 public:
  WholeTraining() {
    BeginStep(0);
    Keep(0x1000, 1024, Category::kParameter, "fc.weight");
    Keep(0x2000, 512, Category::kOptimizerState, "fc.weight exp_avg");
    Keep(0x3000, 2048, Category::kGradient, "fc.weight.grad");
    Keep(0x4000, 4096, Category::kInput, "input");
    Allocate(0x5000, 8192).layer = Name("fc");
    EndStep(0);
  }

  void Keep(uint64_t address, int64_t bytes, Category category, const char* name) {
    Allocate(address, bytes);
    Categorize(address, category, Name(name));
  }
};

constexpr int64_t kOfLayer = 1024 + 512 + 2048 + 8192;
constexpr int64_t kAll = kOfLayer + 4096;

}  // namespace

TEST_CASE("What no layer allocated is of the layer whose parameter its name tells of") {
  timeline::Stream stream;
  const auto layer_of = [&](Category category, const char* name) {
    timeline::LiveBlock block;
    block.category = category;
    block.name = stream.Name(name);
    return std::string(LayerOf(*stream.Publish(), block));
  };
  CHECK(layer_of(Category::kParameter, "layer1.conv2.weight") == "layer1.conv2");
  CHECK(layer_of(Category::kGradient, "layer1.conv2.weight.grad") == "layer1.conv2");
  CHECK(layer_of(Category::kGradient, "layer1.shard.grad") == "layer1");
  CHECK(layer_of(Category::kOptimizerState, "fc.weight exp_avg") == "fc");
  CHECK(layer_of(Category::kOptimizerState, "Linear 2.weight exp_avg") == "Linear 2");
  CHECK(layer_of(Category::kOptimizerState, "AdamW state").empty());
  CHECK(layer_of(Category::kParameter, "parameter 384x1536").empty());
  CHECK(layer_of(Category::kParameter, "").empty());
  CHECK(layer_of(Category::kInput, "batch.images").empty());
  timeline::LiveBlock own;
  own.category = Category::kGradient;
  own.name = stream.Name("fc.weight.grad");
  own.layer = stream.Name("head");
  CHECK(LayerOf(*stream.Publish(), own) == "head");
}

TEST_CASE("A layer has one figure, wherever it is told") {
  WholeTraining training;
  const auto view = training.Publish();
  const timeline::EventIndex moment = view->end() - 2;
  const timeline::State state = view->StateAt(moment);

  const std::array keys = {TreeKey::kLayer, TreeKey::kCategory};
  const std::optional<LiveTree> tree = MakeLiveTree(*view, state, keys, {}, [](double) { return true; });
  REQUIRE(tree);
  CHECK(tree->nodes[NodeAt(*tree, {"fc"})].bytes == kOfLayer);
  CHECK(tree->nodes[NodeAt(*tree, {std::string(kNoLayer)})].bytes == 4096);

  const Result<Stacking> stacking = MakeStacking(*view, {StackBy::kLayer, ""});
  REQUIRE(stacking);
  CHECK(stacking->titles ==
        std::vector<std::string>{"fc", "no layer: input", "no layer: temporary", std::string(kOtherGroups)});
  GroupSums sums(stacking->titles.size(), stacking->group_of);
  sums.Follow(*view, view->end());
  std::vector<int64_t> groups(sums.groups());
  sums.At(*view, moment, groups);
  CHECK(groups == std::vector<int64_t>{kOfLayer, 4096, 0, 0});

  const std::vector<LayerRow> layers = MakeLayerTable(*view, ToldAt(*view, moment));
  REQUIRE(layers.size() == 1);
  CHECK(layers[0].share_of_peak == static_cast<double>(kOfLayer) / kAll);

  const Moment a{view.get(), state};
  Moment b = a;
  std::erase_if(b.state.blocks, [](const timeline::LiveBlock& block) { return block.bytes == 1024; });
  const StateComparison compared = CompareStates(a, b, true);
  REQUIRE(compared.layers.size() == 2);
  CHECK(compared.layers[0].title == "fc");
  CHECK(compared.layers[0].a == kOfLayer);
  CHECK(compared.layers[1].title == kNoLayer);
  REQUIRE(compared.blocks.size() == 1);
  CHECK(compared.blocks[0].layer == "fc");

  const BytesByCategory lit = SelectedIn(LayerSelected("fc"), *view, state).bytes;
  CHECK(lit[static_cast<size_t>(Category::kParameter)] == 1024);
  CHECK(lit[static_cast<size_t>(Category::kOptimizerState)] == 512);
  const auto weight = std::ranges::find(state.blocks, 0x1000, &timeline::LiveBlock::address);
  CHECK(OwnersOf(AllocationSelected(weight->born), *view).layer == "fc");

  AllocationQuery query;
  query.moment = moment;
  const std::string csv = AllocationsAsCsv(*view, MakeAllocationTable(*view, query)->rows);
  CHECK(csv.find("fc.weight,parameter,1024,1024,fc,") != std::string::npos);
}

}  // namespace tidemark::presenters
