#include "profiler/networks/script_files.h"

#include <string>

#include "profiler/networks/operators.h"
#include "tests/support/catch.h"

using namespace tidemark;
using namespace tidemark::networks;

namespace {

Network Scripted() {
  Layer layer;
  layer.name = "layer1.0.act";
  layer.kind = LayerKind::kOperator;
  layer.op = "silu";
  layer.inputs = {kNetworkInput};
  layer.input = layer.output = {3, 8, 8};
  layer.weight_elements = 7;
  layer.once_for_batch = true;
  Network network;
  network.script = "/somewhere/model.pt";
  network.title = "model";
  network.description = "a TorchScript file";
  network.input = {3, 8, 8};
  network.classes = 8;
  network.layers = {layer};
  return network;
}

std::string MessageOf(const Status& status) { return status ? "" : status.error().message; }

}  // namespace

TEST_CASE("A TorchScript file is named by its path, with or without the shape of a sample") {
  CHECK(IsScriptPath("model.pt"));
  CHECK(IsScriptPath("/a/model.ts@3x224x224"));
  CHECK_FALSE(IsScriptPath("model.json"));
  CHECK_FALSE(IsScriptPath("resnet-50"));
  CHECK(ScriptNameWith("/a/model.pt", "") == "/a/model.pt");
  CHECK(ScriptNameWith("/a/model.pt", "128") == "/a/model.pt@128");
  CHECK(ScriptNameFromText("/a@b/model.pt")->file == "/a@b/model.pt");
  CHECK(ScriptNameFromText("/a@b/model.pt")->input.empty());
  CHECK(ScriptNameFromText("/a@b/model.pt@3x32x16")->input == SampleShape{3, 32, 16});
  for (const char* wrong : {"3x", "x3", "0", "3x-2", "axb", "1x2x3x4", "99999999999"})
    CHECK_FALSE(ScriptNameFromText(ScriptNameWith("/a/model.pt", wrong)).ok());
}

TEST_CASE("What the trainer tells of a TorchScript file comes back as it was") {
  const Result<Network> network = ScriptFromJson(ScriptToJson(Scripted()));
  REQUIRE(network.ok());
  CHECK(network->script == "/somewhere/model.pt");
  CHECK(network->classes == 8);
  REQUIRE(network->layers.size() == 1);
  const Layer& layer = network->layers.front();
  CHECK(layer.name == "layer1.0.act");
  CHECK(layer.kind == LayerKind::kOperator);
  CHECK(layer.op == "silu");
  CHECK(layer.inputs == std::vector<size_t>{kNetworkInput});
  CHECK(layer.output == SampleShape{3, 8, 8});
  CHECK(layer.weight_elements == 7);
  CHECK(layer.once_for_batch);
  CHECK(ScriptFromJson(ScriptErrorToJson({"it is none."})).error().message == "it is none.");
  for (const char* damaged : {"", "{}", "[]", R"({"script": 1})"}) CHECK_FALSE(ScriptFromJson(damaged).ok());
}

TEST_CASE("What takes a network apart is refused of a TorchScript file, by the option's name") {
  TrainingSettings settings;
  CHECK(CheckTogether(Scripted(), settings).ok());
  settings.checkpoint.mode = CheckpointMode::kByLayer;
  CHECK(MessageOf(CheckTogether(Scripted(), settings)).find("Leave --checkpoint out") != std::string::npos);
  settings = {};
  settings.ranks = 2;
  settings.zero = ZeroStage::kState;
  CHECK(CheckTogether(Scripted(), settings).ok());
  settings.zero = ZeroStage::kParameters;
  CHECK(MessageOf(CheckTogether(Scripted(), settings)).find("--zero 1 shares") != std::string::npos);
  settings.zero = ZeroStage::kOff;
  settings.pipeline = PipelineSchedule::kGpipe;
  CHECK(MessageOf(CheckTogether(Scripted(), settings)).find("Leave --pipeline out") != std::string::npos);
}

TEST_CASE("Operators without a rule are not guessed") {
  REQUIRE(FindOperatorRule("softmax") != nullptr);
  CHECK(FindOperatorRule("softmax")->saves == OperatorRule::Saves::kResult);
  CHECK(FindOperatorRule("cumsum") == nullptr);
}
