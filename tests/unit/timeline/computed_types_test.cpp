#include "profiler/timeline/computed_types.h"

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::timeline {

using events::EventKind;

TEST_CASE("A layer's types are those that its operators told, in one word where they agree") {
  Stream stream;
  const auto operator_ended = [&stream](const char* layer, const char* op, const char* type) {
    const auto layer_name = stream.Name(layer);
    const auto op_name = stream.Name(op);
    const auto type_name = type == nullptr ? 0 : stream.Name(type);
    events::Event& event = stream.Add(EventKind::kScopeEnd);
    event.layer = layer_name;
    event.op = op_name;
    event.name = type_name;
  };
  operator_ended("conv1", "aten::conv2d", "float64");  // before the step
  stream.BeginStep(0);
  operator_ended("conv1", "aten::conv2d", "float16");
  operator_ended("conv1", "aten::relu", "float16");
  operator_ended("mixed", "aten::linear", "float16");
  operator_ended("mixed", "aten::layer_norm", "float32");
  operator_ended("mixed", "aten::gelu", "float16");
  operator_ended("silent", "ConvolutionBackward0", nullptr);
  stream.EndStep(0);
  const auto view = stream.Publish();
  const auto types = ComputedTypes(*view, view->steps().front());
  REQUIRE(types.size() == 2);
  CHECK(types.at("conv1") == "float16");
  CHECK(types.at("mixed") == "float16: gelu, linear; float32: layer_norm");
}

}  // namespace tidemark::timeline
