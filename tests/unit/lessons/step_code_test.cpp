#include "profiler/lessons/step_code.h"

#include <algorithm>

#include "tests/support/catch.h"

namespace tidemark::lessons {
namespace {

using events::Phase;
using networks::TrainingSettings;

std::vector<CodeLine> CodeFor(const TrainingSettings& settings) {
  const auto network = networks::FindNetwork(settings.network);
  REQUIRE(network.ok());
  return CodeOfStep(*network, settings);
}

std::string Python(const std::vector<CodeLine>& code) {
  std::string text;
  for (const CodeLine& line : code) {
    if (!line.python.empty()) text += line.python + "\n";
  }
  return text;
}
std::string Cpp(const std::vector<CodeLine>& code) {
  std::string text;
  for (const CodeLine& line : code) {
    if (!line.cpp.empty()) text += line.cpp + "\n";
  }
  return text;
}

TEST_CASE("A step is written in both languages") {
  const auto code = CodeFor({});
  CHECK(Python(code) ==
        "optimizer.zero_grad()\nx = batch.to(device)\nlabels = labels.to(device)\nx = self.conv1(x)\nx = "
        "F.relu(x)\n"
        "x = self.conv2(x)\nx = F.relu(x)\nx = x.flatten(1)\nx = self.fc(x)\nloss = F.cross_entropy(x, "
        "labels)\n"
        "loss.backward()\ntotal += loss.item()\noptimizer.step()\n");
  CHECK(Cpp(code) ==
        "optimizer.zero_grad();\nauto x = batch.to(device);\nlabels = labels.to(device);\nx = "
        "conv1->forward(x);\n"
        "x = torch::relu(x);\nx = conv2->forward(x);\nx = torch::relu(x);\nx = x.flatten(1);\nx = "
        "fc->forward(x);\n"
        "auto loss = cross_entropy(x, labels);\nloss.backward();\ntotal += "
        "loss.item<float>();\noptimizer.step();\n");
}

TEST_CASE("Techniques are lines of their own, and braces close what they opened") {
  TrainingSettings settings;
  settings.amp = networks::Precision::kFloat16;
  settings.accumulate = 4;
  settings.clip_norm = 1;
  settings.checkpoint.mode = networks::CheckpointMode::kByLayer;
  const auto code = CodeFor(settings);
  const std::string python = Python(code);
  CHECK(python.find("for batch, labels in micro_batches:\n    x = batch") != std::string::npos);
  CHECK(python.find(
            "    with torch.autocast(\"cuda\", torch.float16):\n        # checkpointed: conv1 to relu1") !=
        std::string::npos);
  CHECK(python.find("labels) / 4\n    scaler.scale(loss).backward()") != std::string::npos);
  CHECK(python.find(
            "scaler.unscale_(optimizer)\nclip_grad_norm_(model.parameters(), 1)\nscaler.step(optimizer)\n") !=
        std::string::npos);
  const std::string cpp = Cpp(code);
  CHECK(std::count(cpp.begin(), cpp.end(), '{') == std::count(cpp.begin(), cpp.end(), '}'));
}

TEST_CASE("Two networks against each other are two functions, and a turn of each") {
  TrainingSettings settings;
  settings.network = "dcgan";
  const auto code = CodeFor(settings);
  const std::string python = Python(code);
  CHECK(python.find("def generate(") == 0);
  CHECK(python.find("optimizer_d.zero_grad()\nbatch = batch.to(device)\nloss = "
                    "F.binary_cross_entropy_with_logits(judge(batch), ones)\nloss.backward()\n") !=
        std::string::npos);
  CHECK(python.find("with torch.no_grad():\n    made = generate(noise)\n") != std::string::npos);
  CHECK(python.find(
            "judge(generate(noise)), ones)\nloss.backward()\ntotal += loss.item()\noptimizer_g.step()\n") !=
        std::string::npos);
  const std::string cpp = Cpp(code);
  CHECK(std::count(cpp.begin(), cpp.end(), '{') == std::count(cpp.begin(), cpp.end(), '}'));
}

TEST_CASE("Techniques are in the code of two networks, too") {
  TrainingSettings settings;
  settings.network = "dcgan";
  settings.amp = networks::Precision::kFloat16;
  settings.accumulate = 4;
  settings.clip_norm = 1;
  settings.zeroed_gradients = true;
  settings.keep_losses = true;
  auto code = CodeFor(settings);
  const std::string python = Python(code);
  CHECK(python.find(
            "optimizer_d.zero_grad(set_to_none=False)\nfor batch, labels in micro_batches:\n    batch = "
            "batch.to(device)\n    with torch.autocast(\"cuda\", torch.float16):\n        loss = "
            "F.binary_cross_entropy_with_logits(judge(batch), ones) / 4\n    "
            "scaler.scale(loss).backward()\n    kept = kept + loss\n") != std::string::npos);
  CHECK(python.find("        with torch.no_grad():\n            made = generate(noise)\n        loss =") !=
        std::string::npos);
  CHECK(python.find("scaler.unscale_(optimizer_d)\nclip_grad_norm_(discriminator.parameters(), "
                    "1)\nscaler.step(optimizer_d)\noptimizer_g.zero_grad(set_to_none=False)\nfor _ in "
                    "range(4):\n    noise") != std::string::npos);
  CHECK(
      python.ends_with("scaler.unscale_(optimizer_g)\nclip_grad_norm_(generator.parameters(), "
                       "1)\nscaler.step(optimizer_g)\nscaler.update()\n"));
  const std::string cpp = Cpp(code);
  CHECK(std::count(cpp.begin(), cpp.end(), '{') == std::count(cpp.begin(), cpp.end(), '}'));
  const CodePlace kept = PlaceInCode(code, {Phase::kBackward, false, true, "", "aten::add"});
  REQUIRE_FALSE(kept.lines.empty());
  CHECK(code[kept.lines.front()].part == CodePart::kKeepLoss);
  settings.pass = networks::Pass::kEvaluate;
  code = CodeFor(settings);
  CHECK(Python(code).find("with torch.no_grad():\n    for _ in range(4):\n        noise = ") !=
        std::string::npos);
  CHECK(Python(code).find("backward") == std::string::npos);
}

TEST_CASE("What more than the next layer takes has its layer's name") {
  TrainingSettings settings;
  settings.network = "resnet-18";
  const std::string python = Python(CodeFor(settings));
  CHECK(python.find("maxpool = F.max_pool2d(x, 3, 2, 1)\n") != std::string::npos);
  CHECK(python.find("x = self.stage1_block1_conv1(maxpool)\n") != std::string::npos);
  CHECK(python.find("x = x + maxpool\n") != std::string::npos);
}

TEST_CASE("Every network has a line for each of its layers, in both languages") {
  const auto networks = networks::LoadNetworks();
  REQUIRE(networks.ok());
  for (const networks::Network& network : *networks) {
    const auto code = CodeOfStep(network, {});
    for (const networks::Layer& layer : network.layers) {
      const CodePlace place = PlaceInCode(code, {Phase::kForward, false, true, layer.name, "aten::relu"});
      INFO(network.name << " " << layer.name);
      REQUIRE(place.lines.size() == 1);
      CHECK_FALSE(code[place.lines[0]].python.empty());
      CHECK_FALSE(code[place.lines[0]].cpp.empty());
      const bool flattens = code[place.lines[0]].python.find(".flatten(1)") != std::string::npos;
      CHECK(flattens == (layer.kind == networks::LayerKind::kFlatten));
    }
  }
}

TEST_CASE("An operator's line is told by its phase and layer") {
  const auto code = CodeFor({});
  const auto line = [&](const RunningOperator& running) {
    const CodePlace place = PlaceInCode(code, running);
    REQUIRE(place.lines.size() == 1);
    return code[place.lines[0]].python;
  };
  CHECK(line({Phase::kForward, false, false, "", "aten::detach_"}) == "optimizer.zero_grad()");
  CHECK(line({Phase::kForward, false, true, "conv2", "aten::conv2d"}) == "x = self.conv2(x)");
  CHECK(line({Phase::kForward, false, true, "loss", "aten::div"}) == "loss = F.cross_entropy(x, labels)");
  CHECK(line({Phase::kBackward, false, true, "", "aten::item"}) == "total += loss.item()");
  CHECK(line({Phase::kOptimizer, false, true, "", "aten::mul_"}) == "optimizer.step()");
  const CodePlace backward =
      PlaceInCode(code, {Phase::kBackward, false, true, "conv2", "ConvolutionBackward0"});
  CHECK(code[backward.lines.at(0)].python == "loss.backward()");
  CHECK(code[backward.forward.at(0)].layer == "conv2");
  CHECK(PlaceInCode(code, {Phase::kForward, false, true, "", "aten::copy_"}).lines.size() == 2);
}

}  // namespace
}  // namespace tidemark::lessons
