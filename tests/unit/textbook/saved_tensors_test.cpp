#include "profiler/textbook/saved_tensors.h"

#include <string>

#include "tests/support/catch.h"

using namespace tidemark;
using namespace tidemark::textbook;
using networks::Network;
using networks::Precision;

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
  for (const SavedTensor& tensor : saved.tensors) elements += tensor.savers.empty() ? 0 : tensor.elements;
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
  CHECK(saved.inputs == std::vector<size_t>{kBatch, 0});
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
  CHECK(saved.tensors[0].savers == std::vector<size_t>{0, 2});
  CHECK(saved.tensors[0].owner == 0);
  CHECK(SavedElements(saved) == 8);
}

TEST_CASE("Autocast copies a float32 input to half, and saves the copy") {
  const SavedTensors saved = FindSavedTensors(Chain("8", Join({kA, kRelu, kB}), 8), Precision::kFloat16);
  REQUIRE(saved.tensors.size() == 4);
  CHECK(saved.tensors[0].is_half_copy);
  CHECK(saved.tensors[0].savers == std::vector<size_t>{0});
  for (const SavedTensor& tensor : saved.tensors) CHECK(tensor.bytes_per_element == 2);
}

TEST_CASE("Under autocast a ReLU of the batch keeps float32, and the next layer half") {
  const SavedTensors saved = FindSavedTensors(Chain("8", Join({kRelu, kA}), 8), Precision::kBfloat16);
  CHECK(saved.tensors[0].bytes_per_element == 4);
  CHECK(saved.tensors[0].savers == std::vector<size_t>{0});
  CHECK(saved.tensors[1].is_half_copy);
  CHECK(saved.tensors[1].bytes_per_element == 2);
}
