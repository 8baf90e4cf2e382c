#include "profiler/networks/script_files.h"

#include <string>
#include <string_view>
#include <utility>

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
  CHECK(IsScriptPath("/a/model@v2.pt"));
  CHECK(ScriptNameFromText("/a/model@v2.pt")->file == "/a/model@v2.pt");
  CHECK(ScriptNameFromText("/a/model@v2.pt@128")->input == SampleShape{128});
  CHECK(ScriptNameWith("/a/model@v2.pt", "128") == "/a/model@v2.pt@128");
  CHECK_FALSE(IsScriptPath("/a/model@v2.json"));
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

TEST_CASE("What no file can be made of is refused, whoever tells it") {
  const std::string told = ScriptToJson(Scripted());
  REQUIRE(ScriptFromJson(told).ok());
  const auto with = [&told](std::string_view from, std::string_view to) {
    std::string text = told;
    REQUIRE(text.find(from) != std::string::npos);
    return text.replace(text.find(from), from.size(), to);
  };
  const std::pair<const char*, const char*> kHostile[] = {
      {R"("inputs":[18446744073709551615])", R"("inputs":[0])"},  // itself
      {R"("inputs":[18446744073709551615])", R"("inputs":[])"},
      {R"("output":[3,8,8])", R"("output":[3,0,8])"},
      {R"("output":[3,8,8])", R"("output":[])"},
      {R"("output":[3,8,8])", R"("output":[4294967296,4294967296,4294967296])"},
      {R"("weights_of":18446744073709551615)", R"("weights_of":7)"},
      {R"("weights":7)", R"("weights":-7)"},
      {R"("weights":7)", R"("weights":4611686018427387904)"},
      {R"("p":0.0)", R"("p":-1)"},
      {R"("kind":"operator")", R"("kind":"conv2d")"},  // of no channels
      {R"("kind":"operator")", R"("kind":"lstm")"},
      {R"("kind":"operator")", R"("kind":"attention")"},
      {R"("classes":8)", R"("classes":-8)"},
  };
  for (const auto& [from, to] : kHostile) {
    INFO(to);
    CHECK_FALSE(ScriptFromJson(with(from, to)).ok());
  }
  for (const char* odd : {R"({"error": 7})", R"({"error": null})", R"({"error": {"error": ""}})"})
    CHECK_FALSE(ScriptFromJson(odd).ok());
}

TEST_CASE("A file that names a TorchScript file does not get it run") {
  CHECK(CheckNamedByFile("resnet-50").ok());
  CHECK(CheckNamedByFile("/a/mine.json").ok());
  for (const char* name : {"model.pt", "/a/model@v2.ts", "/a/model.torchscript@3x224x224"}) {
    CHECK(MessageOf(CheckNamedByFile(name)).find("name it yourself: with --net") != std::string::npos);
    CHECK(FindNamedByFile(name).error().message == MessageOf(CheckNamedByFile(name)));
  }
}

TEST_CASE("Settings for a TorchScript file lose what it refuses, and nothing else") {
  TrainingSettings settings;
  settings.batch = 7;
  settings.ranks = 2;
  settings.checkpoint.mode = CheckpointMode::kByLayer;
  settings.zero = ZeroStage::kParameters;
  settings.in_place_relu = true;
  const TrainingSettings left = WithoutWhatScriptsLack(Scripted(), settings);
  CHECK(CheckTogether(Scripted(), left).ok());
  CHECK(left.zero == ZeroStage::kState);
  CHECK(left.ranks == 2);
  CHECK(left.batch == 7);
  CHECK(WithoutWhatScriptsLack(Network(), settings) == settings);
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
