#include "profiler/events/tensor_names.h"

#include "tests/support/catch.h"

namespace tidemark::events {

TEST_CASE("A tensor's layer is read from its name, whatever of the layer it is") {
  for (const char* name :
       {"layer1.conv2.weight", "layer1.conv2.weight.grad", "layer1.conv2.weight exp_avg",
        "layer1.conv2.weight gathered", "layer1.conv2.weight key.with.points", "layer1.conv2.shard.grad"}) {
    INFO(name);
    CHECK(LayerOfTensor(name) == "layer1.conv2");
  }
  for (const char* name : {"Linear 2.weight", "Linear 2.weight exp_avg", "Linear 2.weight.grad"}) {
    INFO(name);
    CHECK(LayerOfTensor(name) == "Linear 2");
  }
  for (const char* name : {"", "AdamW state", "flat_weights", "flat_weights.grad", "shard.grad",
                           "parameter 3×2", "gradient 3×2"}) {
    INFO(name);
    CHECK(LayerOfTensor(name).empty());
  }
}

TEST_CASE(
    "A gradient, a copy and an optimizer's state are called by their parameter, or by their optimizer") {
  CHECK(GradientName("conv.weight") == "conv.weight.grad");
  CHECK(GradientName("conv.weight gathered") == "conv.weight.grad");
  CHECK(GradientName("Net 2.conv.weight gathered") == "Net 2.conv.weight.grad");
  CHECK(GradientName("parameter 3×2").empty());
  CHECK(GradientName("parameter 2.weight") == "parameter 2.weight.grad");
  CHECK(CopyName("conv.weight.grad") == "conv.weight copy");
  CHECK(LayerOfTensor(CopyName("Linear 2.weight.grad")) == "Linear 2");
  CHECK(CopyName("") == "parameter copy");
  CHECK(LayerOfTensor(CopyName("")).empty());
  CHECK(OptimizerStateName("Optimizer.step#AdamW.step") == "AdamW state");
}

TEST_CASE("A layer that has a number only is called a layer in sentences") {
  CHECK(LayerInWords("4") == "layer 4");
  CHECK(LayerInWords("net.4") == "net.4");
  CHECK(LayerInWords("").empty());
}

}  // namespace tidemark::events
