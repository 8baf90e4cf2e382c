// A network as data: a chain of layers with their sizes, read from assets/networks/NAME.json. No Torch here:
// the textbook computes from it, and the trainer builds its modules from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::networks {

// No tensor of one sample, no layer's parameters, and no sum of either over a network has more elements: a
// batch of 4096 of them still counts its bytes without overflow.
inline constexpr int64_t kMaxElements = int64_t{1} << 40;

enum class LayerKind : uint8_t { kConv2d, kRelu, kFlatten, kLinear };

// Shape of one sample, without the batch: {3, 32, 32}, or {100352}.
using SampleShape = std::vector<int64_t>;
int64_t ElementCount(const SampleShape& shape);
std::string TextOf(const SampleShape& shape);  // "3×32×32"

struct Layer {
  std::string name;  // "conv1"
  LayerKind kind = LayerKind::kRelu;
  int64_t in_features = 0;  // channels or features, of kConv2d and kLinear
  int64_t out_features = 0;
  int64_t kernel = 0;  // kConv2d: square, stride 1
  int64_t padding = 0;
  // Derived when the network is read:
  SampleShape input;
  SampleShape output;
  int64_t weight_elements = 0;
  int64_t bias_elements = 0;

  int64_t parameters() const { return weight_elements + bias_elements; }
};

struct Network {
  std::string name;         // "simple-conv-net": what the command line calls it
  std::string title;        // "SimpleConvNet"
  std::string description;  // one sentence
  SampleShape input;        // {3, 32, 32}
  int64_t classes = 0;
  std::vector<Layer> layers;

  int64_t parameters() const;
};

// Where the pieces that checkpointing runs again begin, as indices into `layers`, with the number of layers
// at the end: {0, 2, 5, 6}. Empty without checkpointing. A piece is one or more whole groups; a group is a
// layer with parameters and the layers without any that follow it (conv1 with relu1). So a piece starts from
// a tensor that backward keeps anyway, and checkpointing never keeps more than training without it does. By
// layer: each group is a piece. K segments: the groups in K runs of equal length, the first ones a group
// longer where K does not divide; no piece is without a group.
std::vector<size_t> CheckpointBoundaries(const Network& network, const Checkpointing& checkpointing);

// Reads one network's JSON text; checks kinds and that shapes fit from layer to layer. "padding" may be left
// out, every other key must be there, and there are no others:
//   {"title": "SimpleConvNet", "description": "…", "input": [3, 32, 32], "classes": 10,
//    "layers": [{"name": "conv1", "kind": "conv2d", "in": 3, "out": 64, "kernel": 3, "padding": 0},
//               {"name": "relu1", "kind": "relu"}, {"name": "flatten", "kind": "flatten"},
//               {"name": "fc", "kind": "linear", "in": 57600, "out": 10}]}
Result<Network> NetworkFromJson(std::string_view json);

// All networks in a folder (AssetsFolder() / "networks"), ordered by file name, which is the network's name;
// a file that cannot be read is an error that names it.
Result<std::vector<Network>> LoadNetworks();
Result<std::vector<Network>> LoadNetworksFrom(const std::filesystem::path& folder);
// One by its name; unknown names list the known ones. The other files are not read.
Result<Network> FindNetwork(std::string_view name);
Result<Network> FindNetworkIn(const std::filesystem::path& folder, std::string_view name);

}  // namespace tidemark::networks
