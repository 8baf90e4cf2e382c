#include "profiler/phantom/workspaces/oracle/shared_tiles.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "profiler/phantom/workspaces/backend.h"

namespace tidemark::phantom::workspaces {
namespace {

// cudnnBackendKnobType_t
enum Knob : int { kTileSize = 2, kWorkspaceKnob = 25, kClusterRows = 27, kClusterColumns = 28 };

// By the value of kTileSize: what the sizes of workspaces are multiples of.
struct Tile {
  int64_t knob;
  int64_t rows;
  int64_t columns;
};
constexpr std::array kTiles = {Tile{0, 128, 128}, Tile{1, 128, 64}, Tile{3, 256, 128}, Tile{4, 256, 64},
                               Tile{5, 64, 64},   Tile{7, 64, 128}, Tile{9, 64, 256}};

// Clusters of so many thread blocks that run at once; cuOccupancyMaxActiveClusters with one block a
// multiprocessor, of which there are 132.
struct Clusters {
  int64_t blocks;
  int64_t at_once;
};
constexpr std::array kClusters = {Clusters{1, 132}, Clusters{2, 66}, Clusters{3, 39},
                                  Clusters{4, 30},  Clusters{5, 22}, Clusters{6, 17},
                                  Clusters{7, 15},  Clusters{8, 15}, Clusters{16, 7}};

// Of how many elements along the inner dimension a part is at least: where no wave of tiles is whole, and
// else.
constexpr int64_t kLeastInnerInOneWave = 576;
constexpr int64_t kLeastInner = 256;
constexpr int64_t kAccumulatorBytes = 4;
constexpr int64_t kBarrierBytes = 4;
constexpr int64_t kAlignmentOfParts = 159;
constexpr int64_t kAlignmentOfWaves = 4;         // beside parts, from two whole waves on
constexpr int64_t kAlignmentOfWavesAlone = 131;  // without parts
constexpr int64_t kConvertedAlignment = 16;

struct Tensor {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int64_t element_bytes = 0;

  int64_t Elements() const {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  }
  int64_t Pixels() const {
    return std::accumulate(sizes.begin() + 2, sizes.end(), int64_t{1}, std::multiplies<>());
  }
  // The only order that these kernels read.
  bool HasChannelsLast() const { return Pixels() == 1 || (strides[1] == 1 && sizes[1] > 1); }
};

// Of int64, or positions of descriptors, which lead back (question.h).
std::vector<int64_t> Numbers(const DescriptorNode& node, int name, int element = kInt64) {
  for (const Attribute& attribute : node.attributes) {
    if (attribute.name != name || attribute.element != element) continue;
    if (attribute.bytes.size() % sizeof(int64_t) != 0) continue;
    std::vector<int64_t> numbers(attribute.bytes.size() / sizeof(int64_t));
    std::memcpy(numbers.data(), attribute.bytes.data(), attribute.bytes.size());
    return numbers;
  }
  return {};
}

// cudnnDataType_t: floats of 32 bits are 0, those of 16 bits 2 and 9; nothing of another.
int64_t ElementBytes(const DescriptorNode& node) {
  for (const Attribute& attribute : node.attributes) {
    int type = 0;
    if (attribute.name != kTensorElementType || attribute.bytes.size() != sizeof type) continue;
    std::memcpy(&type, attribute.bytes.data(), sizeof type);
    if (type == 0) return 4;
    if (type == 2 || type == 9) return 2;
  }
  return 0;
}

std::optional<Tensor> TensorOf(const DescriptorTree& tree, const DescriptorNode& operation, int name) {
  const std::vector<int64_t> positions = Numbers(operation, name, kDescriptor);
  if (positions.size() != 1) return std::nullopt;
  const DescriptorNode& node = tree[static_cast<size_t>(positions.front())];
  Tensor tensor{Numbers(node, kTensorSizes), Numbers(node, kTensorStrides), ElementBytes(node)};
  const bool whole = tensor.sizes.size() > 2 && tensor.strides.size() == tensor.sizes.size();
  return whole && tensor.element_bytes > 0 ? std::optional(std::move(tensor)) : std::nullopt;
}

// As a product of matrices: rows × inner by inner × columns.
struct Product {
  int64_t rows;
  int64_t columns;
  int64_t inner;
};

struct Convolution {
  Product product;
  int64_t converted_bytes = 0;  // of tensors in another order, which are brought into this one first
};

int64_t RoundedUp(int64_t number, int64_t multiple) { return (number + multiple - 1) / multiple * multiple; }

std::optional<Convolution> ConvolutionOf(const DescriptorTree& tree, const DescriptorNode& operation,
                                         const ConvolutionNumbers& pass) {
  const std::optional<Tensor> input = TensorOf(tree, operation, pass.input);
  const std::optional<Tensor> weights = TensorOf(tree, operation, pass.weights);
  const std::optional<Tensor> output = TensorOf(tree, operation, pass.output);
  if (!input || !weights || !output || weights->sizes[1] != input->sizes[1]) return std::nullopt;
  Convolution convolution;
  const int64_t in = weights->sizes[1];
  const int64_t out = weights->sizes[0];
  const int64_t window = weights->Pixels();
  const int64_t input_places = input->sizes[0] * input->Pixels();
  const int64_t output_places = output->sizes[0] * output->Pixels();
  if (pass.type == kForward.type) convolution.product = {output_places, out, in * window};
  if (pass.type == kInputGradient.type) convolution.product = {input_places, in, out * window};
  if (pass.type == kWeightsGradient.type) convolution.product = {out, in * window, output_places};
  for (const Tensor* const tensor : {&*input, &*weights, &*output}) {
    if (tensor->HasChannelsLast()) continue;
    if (convolution.converted_bytes == 0) convolution.converted_bytes = kConvertedAlignment;
    convolution.converted_bytes += RoundedUp(tensor->Elements() * tensor->element_bytes, kConvertedAlignment);
  }
  return convolution;
}

// Of a graph with nothing else in it.
std::optional<Convolution> ConvolutionIn(const DescriptorTree& tree) {
  const auto graph = std::ranges::find(tree, kOperationGraph, &DescriptorNode::type);
  if (graph == tree.end()) return std::nullopt;
  const std::vector<int64_t> operations = Numbers(*graph, kGraphOperations, kDescriptor);
  if (operations.size() != 1) return std::nullopt;
  const DescriptorNode& operation = tree[static_cast<size_t>(operations.front())];
  for (const ConvolutionNumbers& pass : {kForward, kWeightsGradient, kInputGradient}) {
    if (operation.type == pass.type) return ConvolutionOf(tree, operation, pass);
  }
  return std::nullopt;
}

std::optional<int64_t> ValueOf(const std::vector<KnobChoice>& knobs, int type) {
  const auto found = std::ranges::find(knobs, type, &KnobChoice::type);
  return found == knobs.end() ? std::nullopt : std::optional(found->value);
}

struct Wave {
  Tile tile;
  int64_t cluster_rows = 0;
  int64_t cluster_columns = 0;
  int64_t tiles = 0;  // that the card computes at once
};

std::optional<Wave> WaveOf(const std::vector<KnobChoice>& knobs) {
  const auto* const tile = std::ranges::find(kTiles, ValueOf(knobs, kTileSize).value_or(-1), &Tile::knob);
  const int64_t rows = ValueOf(knobs, kClusterRows).value_or(0);
  const int64_t columns = ValueOf(knobs, kClusterColumns).value_or(0);
  const auto* const clusters = std::ranges::find(kClusters, rows * columns, &Clusters::blocks);
  if (tile == kTiles.end() || clusters == kClusters.end() || rows < 1) return std::nullopt;
  return Wave{*tile, rows, columns, clusters->at_once * clusters->blocks};
}

// Whole clusters of them.
int64_t Tiles(int64_t length, int64_t tile, int64_t cluster) {
  return RoundedUp(RoundedUp(length, tile) / tile, cluster);
}

// The parts of a tile are added up two by two, in as many rounds as that takes.
int64_t Additions(int64_t parts) {
  int64_t additions = 0;
  while (parts > 1) additions += parts = (parts + 1) / 2;
  return additions;
}

}  // namespace

bool KnowsClusters(const std::string& device_properties) {
  const nlohmann::json json = nlohmann::json::parse(device_properties, nullptr, false);
  return json.is_object() && json.value("deviceVer", 0) == 900 && json.value("multiProcessorCount", 0) == 132;
}

std::optional<int64_t> WorkspaceOfSharedTiles(const DescriptorTree& tree,
                                              const std::vector<KnobChoice>& knobs) {
  const std::optional<int64_t> shares_none = ValueOf(knobs, kWorkspaceKnob);
  const std::optional<Wave> wave = WaveOf(knobs);
  const std::optional<Convolution> convolution = ConvolutionIn(tree);
  if (!shares_none || !wave || !convolution) return std::nullopt;
  const Product& product = convolution->product;
  const int64_t tiles = Tiles(product.rows, wave->tile.rows, wave->cluster_rows) *
                        Tiles(product.columns, wave->tile.columns, wave->cluster_columns);
  const bool has_two_waves = tiles >= 2 * wave->tiles;
  const int64_t last_tiles = tiles % wave->tiles;
  const int64_t least_inner = tiles < wave->tiles ? kLeastInnerInOneWave : kLeastInner;
  int64_t parts = 1;
  if (*shares_none == 0 && last_tiles > 0) {
    parts = std::min(wave->tiles / last_tiles, product.inner / least_inner);
  }
  if (parts < 2) return convolution->converted_bytes + (has_two_waves ? kAlignmentOfWavesAlone : 0);
  const int64_t part_bytes = wave->tile.rows * wave->tile.columns * kAccumulatorBytes;
  return convolution->converted_bytes + last_tiles * (parts * part_bytes + Additions(parts) * kBarrierBytes) +
         kAlignmentOfParts + (has_two_waves ? kAlignmentOfWaves : 0);
}

}  // namespace tidemark::phantom::workspaces
