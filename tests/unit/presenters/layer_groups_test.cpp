#include "app/presenters/plot/layer_groups.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "app/presenters/plot/stacking.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::presenters {
namespace {

LayerGroups Of(const BytesByLayer& bytes) { return GroupsOfLayers(std::vector{bytes}, kMostStackGroups); }

}  // namespace

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

TEST_CASE(
    "Where one module holds most its blocks are told, neighbours in one, so that there are colours for all") {
  BytesByLayer bytes = {
      {"transformer.wte", 154}, {"transformer.wpe", 3}, {"transformer.ln_f", 1}, {"lm_head", 0}};
  const auto add_blocks = [&](const std::string& prefix, int blocks,
                              std::initializer_list<const char*> layers) {
    for (int block = 0; block < blocks; ++block) {
      for (const char* layer : layers) bytes[prefix + std::to_string(block) + "." + layer] = 10;
    }
  };
  const auto has = [](const LayerGroups& groups, const std::string& title) {
    return std::ranges::count(groups.titles, title) == 1;
  };
  SECTION("GPT-2's") {
    add_blocks("transformer.h.", 12,
               {"attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj", "ln_1", "ln_2"});
    const LayerGroups groups = Of(bytes);
    for (const char* title : {"transformer.h.0–2", "transformer.h.3–5", "transformer.h.6–8",
                              "transformer.h.9–11", "transformer.wte", "transformer.wpe"})
      CHECK(has(groups, title));
    CHECK(groups.NameOf("transformer.h.10.mlp.c_fc") == "transformer.h.9–11");
    CHECK(groups.NameOf("transformer.wte") == "transformer.wte");
  }
  SECTION("GPT-2's, beside what no layer holds: what holds next to nothing makes room") {
    add_blocks("transformer.h.", 12,
               {"attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj", "ln_1", "ln_2"});
    for (const char* kind : {"no layer", "no layer: input", "no layer: temporary", "no layer: workspace"})
      bytes[kind] = 5;
    const LayerGroups groups = Of(bytes);
    CHECK(has(groups, "transformer.h.9–11"));
    CHECK(has(groups, "transformer.wte"));
    CHECK(has(groups, "other 3 layers"));
  }
  SECTION("Llama's") {
    bytes = {{"model.embed_tokens", 300}, {"lm_head", 300}, {"model.norm", 1}};
    add_blocks("model.layers.", 32,
               {"self_attn.q_proj", "self_attn.o_proj", "mlp.gate_proj", "mlp.down_proj"});
    const LayerGroups groups = Of(bytes);
    CHECK(has(groups, "model.layers.0–5"));
    CHECK(has(groups, "model.layers.30–31"));
    CHECK(has(groups, "model.embed_tokens"));
  }
  SECTION("ViT's, whose blocks' names end with their number") {
    bytes = {{"conv_proj", 1}, {"heads.head", 1}};
    add_blocks("encoder.layers.encoder_layer_", 12, {"self_attention", "mlp.0", "mlp.3"});
    const LayerGroups groups = Of(bytes);
    CHECK(has(groups, "encoder.layers.encoder_layer_0–1"));
    CHECK(has(groups, "encoder.layers.encoder_layer_10–11"));
  }
  SECTION("with what a block itself keeps") {
    bytes = {{"embed", 10}, {"head", 10}};
    add_blocks("encoder.layers.", 3, {"self_attn.out_proj", "linear1", "linear2", "norm1"});
    for (const char* block : {"encoder.layers.0", "encoder.layers.1", "encoder.layers.2"}) bytes[block] = 90;
    const LayerGroups groups = Of(bytes);
    CHECK(groups.NameOf("encoder.layers.1") == groups.NameOf("encoder.layers.1.linear1"));
    CHECK(has(groups, "encoder.layers.1.*"));
    CHECK(groups.titles.back() == "other");
  }
  SECTION("and beside what the module of all keeps") {
    bytes = {{"embed", 10}, {"head", 10}, {"encoder", 5}};
    add_blocks("encoder.", 12, {"attn.out", "mlp.fc1", "mlp.fc2"});
    const LayerGroups groups = Of(bytes);
    CHECK(groups.NameOf("encoder.1") == groups.NameOf("encoder.1.mlp.fc1"));
    CHECK(has(groups, "encoder"));
    CHECK(has(groups, "encoder.10–11"));
  }
  SECTION("none where they have no numbers") {
    bytes.clear();
    for (const char* block : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"})
      bytes["body." + std::string(block) + ".conv"] = 10;
    CHECK(Of(bytes).titles == std::vector<std::string>{"body.*", "other"});
  }
}

TEST_CASE("Of many kinds without a layer the largest are told apart, and the others as no layer's") {
  BytesByLayer bytes = {{"no layer: input", 9},    {"no layer: temporary", 8}, {"no layer: workspace", 7},
                        {"no layer: gradient", 6}, {"no layer: output", 5},    {"no layer", 4}};
  for (int layer = 0; layer < 30; ++layer) bytes["linear" + std::to_string(layer)] = 10;
  const LayerGroups groups = Of(bytes);
  CHECK(std::ranges::count(groups.titles, "no layer: workspace") == 1);
  CHECK(std::ranges::count(groups.titles, "no layer: gradient") == 0);
  CHECK(std::ranges::count(groups.titles, "no layer") == 1);
  CHECK(groups.NameOf("no layer: gradient") == "no layer");
  CHECK(groups.titles.front() == "no layer");  // 15 of it
  CHECK(groups.titles.back() == "other 25 layers");
}

}  // namespace tidemark::presenters
