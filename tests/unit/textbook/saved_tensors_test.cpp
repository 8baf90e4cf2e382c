#include "profiler/textbook/saved_tensors.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

using namespace tidemark;
using namespace tidemark::textbook;
using networks::Network;
using networks::Precision;
using What = SavedTensor::What;

namespace {

Network Chain(const std::string& input, const std::string& layers, int classes) {
  const Result<Network> network = networks::NetworkFromJson(
      R"({"title": "T", "description": "D", "input": [)" + input + R"(], "classes": )" +
      std::to_string(classes) + R"(, "layers": [)" + layers + "]}");
  INFO((network ? std::string() : network.error().message));
  REQUIRE(network.ok());
  return *network;
}

constexpr const char* kA = R"({"name": "a", "kind": "linear", "in": 8, "out": 8})";
constexpr const char* kB = R"({"name": "b", "kind": "linear", "in": 8, "out": 8})";
constexpr const char* kRelu = R"({"name": "r", "kind": "relu"})";
constexpr const char* kRelu2 = R"({"name": "r2", "kind": "relu"})";

int64_t SavedElements(const SavedTensors& saved) {
  int64_t elements = 0;
  for (const SavedTensor& tensor : saved.tensors)
    elements += tensor.savers.empty() ? 0 : networks::ElementCount(tensor.shape);
  return elements;
}

std::string Join(std::initializer_list<const char*> layers) {
  std::string text;
  for (const char* layer : layers) text += (text.empty() ? "" : ", ") + std::string(layer);
  return text;
}

}  // namespace

TEST_CASE("A linear layer saves its input, not its output") {
  // b saves a's output; nobody saves b's; a's input is the batch.
  const SavedTensors saved = FindSavedTensors(Chain("8", Join({kA, kB}), 8), Precision::kFloat32);
  REQUIRE(saved.tensors.size() == 2);
  CHECK(saved.tensors[0].savers == std::vector<size_t>{1});
  CHECK(saved.tensors[0].owner == 0);
  CHECK(saved.tensors[1].savers.empty());
  CHECK(saved.outputs == std::vector<size_t>{0, 1});
}

TEST_CASE("A ReLU's result is one memory with the next layer's input, and counts with the layer before") {
  const SavedTensors saved = FindSavedTensors(Chain("8", Join({kA, kRelu, kB}), 8), Precision::kFloat32);
  REQUIRE(saved.tensors.size() == 3);
  CHECK(saved.tensors[0].savers.empty());  // a's own output
  CHECK(saved.tensors[1].savers == std::vector<size_t>{1, 2});
  CHECK(saved.tensors[1].maker == 1);
  CHECK(saved.tensors[1].owner == 0);
  CHECK(SavedElements(saved) == 8);
}

TEST_CASE("A ReLU at the end, and a ReLU behind a ReLU, each keep their result") {
  const SavedTensors saved = FindSavedTensors(Chain("8", Join({kA, kRelu, kRelu2}), 8), Precision::kFloat32);
  CHECK(SavedElements(saved) == 16);
  CHECK(saved.tensors[1].owner == 0);
  CHECK(saved.tensors[2].owner == 2);
}

TEST_CASE("Flatten adds nothing, and what it passes on is still the same memory") {
  const Network network = Chain("2, 2, 2", Join({kRelu, R"({"name": "f", "kind": "flatten"})", kA}), 8);
  const SavedTensors saved = FindSavedTensors(network, Precision::kFloat32);
  CHECK(saved.tensors[0].savers ==
        std::vector<size_t>{2});  // no gradient goes to the batch, so not by the ReLU
  CHECK(saved.tensors[0].owner == 0);
  CHECK(SavedElements(saved) == 8);
}

TEST_CASE("Autocast copies a float32 input to half, and saves the copy") {
  const SavedTensors saved = FindSavedTensors(Chain("8", Join({kA, kRelu, kB}), 8), Precision::kFloat16);
  REQUIRE(saved.tensors.size() == 4);
  CHECK(saved.tensors[0].what == What::kInputCopy);
  CHECK(saved.tensors[0].savers == std::vector<size_t>{0});
  for (const SavedTensor& tensor : saved.tensors) CHECK(tensor.bytes_per_element == 2);
}

TEST_CASE("Under autocast a ReLU of the batch keeps float32, and the next layer half") {
  const SavedTensors saved = FindSavedTensors(Chain("8", Join({kRelu, kA}), 8), Precision::kBfloat16);
  CHECK(saved.tensors[0].bytes_per_element == 4);
  CHECK(saved.tensors[0].savers.empty());  // no gradient goes to the batch
  CHECK(saved.tensors[1].what == What::kInputCopy);
  CHECK(saved.tensors[1].bytes_per_element == 2);
}

namespace {

// What is saved, as "name of its saver: bytes for a batch of 2".
std::vector<std::string> Kept(const Network& network, Precision amp) {
  std::vector<std::string> lines;
  for (const SavedTensor& tensor : FindSavedTensors(network, amp).tensors) {
    if (!tensor.savers.empty())
      lines.push_back(network.layers[tensor.savers.front()].name + ": " + std::to_string(tensor.Bytes(2)));
  }
  return lines;
}

using Lines = std::vector<std::string>;
constexpr const char* kFlat = R"({"name": "f", "kind": "flatten"})";
constexpr const char* kConv = R"({"name": "c", "kind": "conv2d", "in": 1, "out": 2, "kernel": 1})";

}  // namespace

TEST_CASE("A pool keeps its input and where its maxima were") {
  const Network network =
      Chain("1, 4, 4", Join({kConv, R"({"name": "p", "kind": "max_pool2d", "kernel": 2})", kFlat}), 8);
  CHECK(Kept(network, Precision::kFloat32) == Lines{"p: 256", "p: 128"});  // 2·2·4·4·4 B and 2·2·2·2·8 B
}

TEST_CASE("A mean over the image keeps nothing, any other adaptive pool its input") {
  const auto pooled = [](const char* size) {
    return Chain(
        "1, 4, 4",
        Join({kConv,
              (R"({"name": "p", "kind": "adaptive_avg_pool2d", "size": )" + std::string(size) + "}").c_str(),
              kFlat}),
        size[0] == '1' ? 2 : 8);
  };
  CHECK(Kept(pooled("1"), Precision::kFloat32).empty());
  CHECK(Kept(pooled("2"), Precision::kFloat32) == Lines{"p: 256"});
}

TEST_CASE("Batch norm keeps its input, and its statistics once for a batch") {
  const Network network =
      Chain("1, 4, 4", Join({kConv, R"({"name": "n", "kind": "batch_norm2d"})", kFlat}), 32);
  CHECK(Kept(network, Precision::kFloat32) == Lines{"n: 256", "n: 16"});
  CHECK(Kept(network, Precision::kFloat16) == Lines{"c: 64", "n: 128", "n: 16"});
  CHECK(network.buffer_bytes() == 2 * 2 * 4 + 8);
}

TEST_CASE("Layer norm works in float32 under autocast, and keeps a copy of a half input") {
  const Network network = Chain("8", Join({kA, R"({"name": "n", "kind": "layer_norm"})"}), 8);
  CHECK(Kept(network, Precision::kFloat32) == Lines{"n: 64", "n: 16"});
  CHECK(Kept(network, Precision::kBfloat16) == Lines{"a: 32", "n: 64", "n: 16"});
}

TEST_CASE("Dropout keeps a mask, GELU and ReLU6 their input, tanh and sigmoid their result") {
  CHECK(Kept(Chain("8", Join({kA, R"({"name": "d", "kind": "dropout", "p": 0.5})"}), 8),
             Precision::kFloat32) == Lines{"d: 16"});
  for (const char* kind : {"gelu", "relu6", "leaky_relu", "tanh", "sigmoid"}) {
    const std::string layer = R"({"name": "r", "kind": ")" + std::string(kind) + R"("})";
    const Network network = Chain("8", Join({kA, layer.c_str()}), 8);
    CHECK(Kept(network, Precision::kFloat32) == Lines{"r: 64"});
    const bool keeps_result = kind[0] == 't' || kind[0] == 's';
    CHECK(FindSavedTensors(network, Precision::kFloat32).tensors[0].savers.empty() == keeps_result);
  }
}

TEST_CASE("Attention keeps queries, keys and values as one memory, its result and its log-sum-exps") {
  const Network network = Chain("4, 2, 5",
                                Join({R"({"name": "s", "kind": "to_sequence"})",
                                      R"({"name": "q", "kind": "linear", "in": 4, "out": 12})",
                                      R"({"name": "t", "kind": "attention", "heads": 2})"}),
                                4);
  // The sequence laid out anew; queries, keys and values; 2 heads of 10 rows, of 32 in float32; the result.
  CHECK(Kept(network, Precision::kFloat32) == Lines{"q: 320", "t: 960", "t: 512", "t: 320"});
  CHECK(Kept(network, Precision::kFloat16) == Lines{"q: 160", "t: 480", "t: 160", "t: 160"});
}

TEST_CASE("Each of three layers that take one float32 input under autocast keeps a half copy of its own") {
  const std::string layers = Join({kA, R"({"name": "n", "kind": "layer_norm"})",
                                   R"({"name": "x", "kind": "linear", "inputs": ["n"], "in": 8, "out": 8})",
                                   R"({"name": "y", "kind": "linear", "inputs": ["n"], "in": 8, "out": 8})",
                                   R"({"name": "s", "kind": "add", "inputs": ["x", "y"]})"});
  CHECK(Kept(Chain("8", layers, 8), Precision::kFloat16) ==
        Lines{"a: 32", "n: 64", "n: 16", "x: 32", "y: 32"});
  CHECK(Kept(Chain("8", layers, 8), Precision::kFloat32) == Lines{"n: 64", "n: 16", "x: 64"});
}
