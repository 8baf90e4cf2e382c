#include "app/presenters/allocations/layer_names.h"

#include "tests/support/catch.h"

namespace tidemark::presenters {

TEST_CASE("A layer's path has the levels that its marks part") {
  CHECK(ModuleOf("layer3.0.conv1", 1) == "layer3.");
  CHECK(ModuleOf("layer3.0.conv1", 2) == "layer3.0.");
  CHECK(ModuleOf("layer3.0.conv1", 9) == "layer3.0.conv1");
  CHECK(ModuleOf("h.0.c_attn", 1) == "h.");
  CHECK(ModuleOf("stage1_block1_conv1", 1) == "stage1_");
  CHECK(ModuleOf("fc", 1) == "fc");
}

TEST_CASE("A module's group is selected as all layers whose names begin so") {
  CHECK(IsOneOf("layer3.*", "layer3.0.conv1"));
  CHECK_FALSE(IsOneOf("layer3.*", "layer30.conv1"));
  CHECK(IsOneOf("encoder.layers.0.*", "encoder.layers.0"));
  CHECK(IsOneOf("h.*", "h"));
  CHECK_FALSE(IsOneOf("encoder.layers.0.*", "encoder.layers"));
  CHECK(IsOneOf("conv1", "conv1"));
  CHECK_FALSE(IsOneOf("conv1", "conv11"));
  CHECK(IsOneOf("conv_*", "conv_proj"));
  CHECK_FALSE(IsOneOf("conv_*", "conv_blocks.0.a"));  // which is of "conv_blocks.*"
}

TEST_CASE("A group of neighbours is selected as all layers of the modules with its numbers") {
  CHECK(NameOfNeighbours("model.layers.", 9, 11) == "model.layers.9–11");
  CHECK((IsOfNeighbours("model.layers.9–11") && !IsOfNeighbours("model.layers.9") && !IsOfNeighbours("–")));
  CHECK(IsOneOf("model.layers.9–11", "model.layers.10.mlp.down_proj"));
  CHECK(IsOneOf("model.layers.9–11", "model.layers.11"));
  CHECK(IsOneOf("model.layers.9–11", "model.layers.9–11"));
  CHECK_FALSE(IsOneOf("model.layers.9–11", "model.layers.1.mlp.down_proj"));
  CHECK_FALSE(IsOneOf("model.layers.9–11", "model.layers.100.mlp.down_proj"));
  CHECK_FALSE(IsOneOf("model.layers.9–11", "model.layers.10_b.conv"));
  CHECK_FALSE(IsOneOf("model.layers.9–11", "model.layers.norm"));
  CHECK(IsOneOf("encoder_layer_0–2", "encoder_layer_1_conv"));
}

TEST_CASE("A module's number is that at its end") {
  REQUIRE(NumberOf("model.layers.10."));
  CHECK((NumberOf("model.layers.10.")->prefix == "model.layers." &&
         NumberOf("model.layers.10.")->number == 10));
  CHECK(NumberOf("encoder_layer_7")->prefix == "encoder_layer_");
  CHECK_FALSE(NumberOf("model.norm."));
  CHECK_FALSE(NumberOf("h.99999999999999999999"));
}

}  // namespace tidemark::presenters
