// A network as data: a chain of layers with their sizes, read from assets/networks/NAME.json. No Torch here:
// the textbook computes from it, and the trainer builds its modules from it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::networks {

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

// Reads one network's JSON text; checks kinds and that shapes fit from layer to layer.
Result<Network> NetworkFromJson(std::string_view json);

// All networks in a folder (AssetsFolder() / "networks"), ordered by file name; a file that cannot be read is
// an error that names it.
Result<std::vector<Network>> LoadNetworks();
// One by its name; unknown names list the known ones.
Result<Network> FindNetwork(std::string_view name);

}  // namespace tidemark::networks
