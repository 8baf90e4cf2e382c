#include "profiler/textbook/saved_tensors.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/catch.h"

using namespace tidemark;
using namespace tidemark::textbook;
using networks::Network;
using networks::Precision;
using What = SavedTensor::What;

namespace {

SavedTensors Saved(const Network& network, Precision amp) {
  networks::TrainingSettings settings;
  settings.amp = amp;
  return FindSavedTensors(network, settings);
}

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
  const SavedTensors saved = Saved(Chain("8", Join({kA, kB}), 8), Precision::kFloat32);
  REQUIRE(saved.tensors.size() == 2);
  CHECK(saved.tensors[0].savers == std::vector<size_t>{1});
  CHECK(saved.tensors[0].owner == 0);
  CHECK(saved.tensors[1].savers.empty());
  CHECK(saved.outputs == std::vector<size_t>{0, 1});
}

TEST_CASE("A ReLU's result is one memory with the next layer's input, and counts with the layer before") {
  const SavedTensors saved = Saved(Chain("8", Join({kA, kRelu, kB}), 8), Precision::kFloat32);
  REQUIRE(saved.tensors.size() == 3);
  CHECK(saved.tensors[0].savers.empty());  // a's own output
  CHECK(saved.tensors[1].savers == std::vector<size_t>{1, 2});
  CHECK(saved.tensors[1].maker == 1);
  CHECK(saved.tensors[1].owner == 0);
  CHECK(SavedElements(saved) == 8);
}

TEST_CASE("A ReLU at the end, and a ReLU behind a ReLU, each keep their result") {
  const SavedTensors saved = Saved(Chain("8", Join({kA, kRelu, kRelu2}), 8), Precision::kFloat32);
  CHECK(SavedElements(saved) == 16);
  CHECK(saved.tensors[1].owner == 0);
  CHECK(saved.tensors[2].owner == 2);
}

TEST_CASE("Flatten adds nothing, and what it passes on is still the same memory") {
  const Network network = Chain("2, 2, 2", Join({kRelu, R"({"name": "f", "kind": "flatten"})", kA}), 8);
  const SavedTensors saved = Saved(network, Precision::kFloat32);
  CHECK(saved.tensors[0].savers ==
        std::vector<size_t>{2});  // no gradient goes to the batch, so not by the ReLU
  CHECK(saved.tensors[0].owner == 0);
  CHECK(SavedElements(saved) == 8);
}

TEST_CASE("Autocast copies a float32 input to half, and saves the copy") {
  const SavedTensors saved = Saved(Chain("8", Join({kA, kRelu, kB}), 8), Precision::kFloat16);
  REQUIRE(saved.tensors.size() == 4);
  CHECK(saved.tensors[0].what == What::kInputCopy);
  CHECK(saved.tensors[0].savers == std::vector<size_t>{0});
  for (const SavedTensor& tensor : saved.tensors) CHECK(tensor.bytes_per_element == 2);
}

TEST_CASE("Under autocast a ReLU of the batch keeps float32, and the next layer half") {
  const SavedTensors saved = Saved(Chain("8", Join({kRelu, kA}), 8), Precision::kBfloat16);
  CHECK(saved.tensors[0].bytes_per_element == 4);
  CHECK(saved.tensors[0].savers.empty());  // no gradient goes to the batch
  CHECK(saved.tensors[1].what == What::kInputCopy);
  CHECK(saved.tensors[1].bytes_per_element == 2);
}

namespace {

// What is saved, as "name of its saver: bytes for a batch of 2".
std::vector<std::string> Kept(const Network& network, Precision amp) {
  std::vector<std::string> lines;
  for (const SavedTensor& tensor : Saved(network, amp).tensors) {
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
    CHECK(Saved(network, Precision::kFloat32).tensors[0].savers.empty() == keeps_result);
  }
}

TEST_CASE("Attention keeps queries, keys and values as one memory, its result and its log-sum-exps") {
  const Network network = Chain("4, 2, 5",
                                Join({R"({"name": "s", "kind": "to_sequence"})",
                                      R"({"name": "q", "kind": "linear", "in": 4, "out": 48})",
                                      R"({"name": "t", "kind": "attention", "heads": 2})"}),
                                16);
  // The sequence laid out anew; queries, keys and values; 2 heads of 10 rows, of 32 in float32; the result.
  CHECK(Kept(network, Precision::kFloat32) == Lines{"q: 320", "t: 3840", "t: 512", "t: 1280"});
  CHECK(Kept(network, Precision::kFloat16) == Lines{"q: 160", "t: 1920", "t: 160", "t: 640"});
}

TEST_CASE("Heads of a width that no fast attention takes are padded in half, and multiplied out in float32") {
  const Network network = Chain("4, 2, 5",
                                Join({R"({"name": "s", "kind": "to_sequence"})",
                                      R"({"name": "q", "kind": "linear", "in": 4, "out": 60})",
                                      R"({"name": "t", "kind": "attention", "heads": 2})",
                                      R"({"name": "o", "kind": "linear", "in": 20, "out": 3})"}),
                                3);
  // 10 tokens; heads of 10 features, of 16 padded; what goes on to o is a copy.
  CHECK(Kept(network, Precision::kFloat16) ==
        Lines{"q: 160", "t: 1280", "t: 1280", "t: 1280", "t: 1280", "t: 160", "o: 800"});
  CHECK(Kept(network, Precision::kFloat32) ==
        Lines{"q: 320", "t: 1600", "t: 1600", "t: 1600", "t: 1600", "o: 1600"});
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

namespace {

int64_t KeptBytes(const Network& network, const networks::TrainingSettings& settings) {
  int64_t bytes = 0;
  for (const SavedTensor& tensor : FindSavedTensors(network, settings).tensors)
    bytes += tensor.savers.empty() ? 0 : tensor.Bytes(settings.batch);
  return bytes;
}

constexpr const char* kPictures =
    R"({"name": "c", "kind": "conv2d", "in": 2, "out": 4, "kernel": 3, "padding": 1},
       {"name": "n", "kind": "batch_norm2d"}, {"name": "r", "kind": "leaky_relu"},
       {"name": "d", "kind": "dropout", "p": 0.5}, {"name": "f", "kind": "flatten"},
       {"name": "l", "kind": "linear", "in": 256, "out": 8})";

}  // namespace

TEST_CASE("A technique changes what is saved by what it does, and no more") {
  const Network network = Chain("2, 8, 8", kPictures, 8);
  networks::TrainingSettings settings;
  settings.batch = 1;
  constexpr int64_t kValues = 4 * 8 * 8;
  // The convolution's, batch norm's and dropout's results as inputs, statistics, the mask.
  const int64_t plain = 3 * kValues * 4 + 2 * 4 * 4 + kValues;
  CHECK(KeptBytes(network, settings) == plain);
  settings.in_place_relu = true;  // its input is its result, which nobody else takes
  CHECK(KeptBytes(network, settings) == plain);
  settings.in_place_relu = false;
  settings.channels_last = true;  // flatten has to copy, and its copy is saved in place of dropout's result
  CHECK(KeptBytes(network, settings) == plain);
  settings.channels_last = false;
  settings.amp = Precision::kPureFloat16;
  CHECK(KeptBytes(network, settings) == 3 * kValues * 2 + 2 * 4 * 4 + kValues);
  settings.amp = Precision::kFloat32;
  settings.pass = networks::Pass::kForward;  // no mask, no statistics, and dropout passes its input on
  CHECK(KeptBytes(network, settings) == 3 * kValues * 4);
  settings.pass = networks::Pass::kEvaluate;
  CHECK(KeptBytes(network, settings) == 0);
}

TEST_CASE("With channels last a flatten behind a ReLU is a second copy of it") {
  const Network network = Chain("2, 2, 2",
                                Join({R"({"name": "c", "kind": "conv2d", "in": 2, "out": 2, "kernel": 1})",
                                      kRelu, R"({"name": "f", "kind": "flatten"})", kA}),
                                8);
  networks::TrainingSettings settings;
  settings.batch = 1;
  CHECK(KeptBytes(network, settings) == 8 * 4);
  settings.channels_last = true;
  CHECK(KeptBytes(network, settings) == 2 * 8 * 4);
}

TEST_CASE("A leaky ReLU saves its input, and in place its result, which is the next layer's input") {
  const Network network = Chain("8", Join({kA, R"({"name": "r", "kind": "leaky_relu"})", kB}), 8);
  networks::TrainingSettings settings;
  settings.batch = 1;
  CHECK(KeptBytes(network, settings) == 2 * 8 * 4);
  settings.in_place_relu = true;
  CHECK(KeptBytes(network, settings) == 8 * 4);
}

TEST_CASE("An LSTM keeps its input, its first states, cuDNN's gates and cells, and what it gives") {
  const Network network = Chain("1, 2, 3",
                                Join({kConv, R"({"name": "q", "kind": "to_sequence"})",
                                      R"({"name": "l", "kind": "lstm", "in": 2, "hidden": 4, "layers": 2})"}),
                                4);
  // Two samples of six steps: 2·6·2, 2·2·2·4, 2·6·(2·5+1)·4, a head of 256 B, and 2·6·4 values.
  CHECK(Kept(network, Precision::kFloat32) == Lines{"l: 96", "l: 128", "l: 2112", "l: 256", "l: 192"});
  // Half as much, and its 288 weights and biases in half precision.
  CHECK(Kept(network, Precision::kFloat16) ==
        Lines{"c: 24", "l: 48", "l: 64", "l: 576", "l: 1056", "l: 256", "l: 96"});
}

TEST_CASE("What an LSTM gives lies step by step, so a linear layer behind it keeps a copy") {
  const auto after = [](const char* between) {
    return Chain("1, 2, 3",
                 Join({kConv, R"({"name": "q", "kind": "to_sequence"})",
                       R"({"name": "l", "kind": "lstm", "in": 2, "hidden": 4})", between,
                       R"({"name": "h", "kind": "linear", "in": 4, "out": 4})"}),
                 4);
  };
  networks::TrainingSettings settings;
  settings.batch = 2;
  const Network network = after(R"({"name": "r", "kind": "gelu"})");
  const SavedTensors turned = FindSavedTensors(network, settings);
  const auto copies = [](const SavedTensors& saved) {
    return std::count_if(saved.tensors.begin(), saved.tensors.end(),
                         [](const SavedTensor& tensor) { return tensor.what == What::kTurnedInput; });
  };
  CHECK(copies(turned) == 1);
  CHECK(copies(FindSavedTensors(after(R"({"name": "n", "kind": "layer_norm"})"), settings)) == 0);
  settings.batch = 1;
  CHECK(copies(FindSavedTensors(network, settings)) == 0);
}
