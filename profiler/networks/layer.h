// One layer of a network as data: its kind, its sizes, whose outputs it takes, and what follows from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::networks {

// No tensor of one sample, no layer's parameters, and no sum of either over a network has more elements: a
// batch of 4096 of them still counts its bytes without overflow.
inline constexpr int64_t kMaxElements = int64_t{1} << 40;

// Sizes beyond this are no network but a mistake. What is within kMaxElements, times one of them, is within
// 64 bits.
inline constexpr int64_t kMostFeatures = int64_t{1} << 22;

enum class LayerKind : uint8_t {
  kConv2d,
  kConvTranspose2d,
  kLinear,
  kRelu,
  kRelu6,
  kLeakyRelu,
  kGelu,
  kSigmoid,
  kTanh,
  kMaxPool2d,
  kAvgPool2d,
  kAdaptiveAvgPool2d,
  kBatchNorm2d,
  kLayerNorm,
  kDropout,
  kFlatten,
  kAdd,
  kConcat,
  kUpsample,
  kEmbedding,
  kPositionEmbedding,
  kSegmentEmbedding,
  kClassToken,
  kToSequence,
  kFirstToken,
  kAttention,
  kLstm,
  kOperator,  // of a TorchScript file: Layer::op says which
};

// Shape of one sample, without the batch: {3, 32, 32} is an image, {128, 768} a sequence of 128 tokens,
// {100352} one row of features.
using SampleShape = std::vector<int64_t>;
int64_t ElementCount(const SampleShape& shape);  // what 64 bits cannot hold counts as the most they can
std::string TextOf(const SampleShape& shape);    // "3×32×32"

// Stands for the network's input where a layer is named by its index.
inline constexpr size_t kNetworkInput = static_cast<size_t>(-1);

struct Layer {
  std::string name;  // "conv1"
  LayerKind kind = LayerKind::kRelu;
  std::vector<size_t> inputs;  // layers before it, in the order in which it takes them; kNetworkInput
  int64_t in_features = 0;     // channels or features; of an embedding, how many tokens there are
  int64_t out_features = 0;
  int64_t kernel = 0;  // square
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t groups = 1;
  int64_t size =
      0;  // sides of an adaptive pool's output; an upsampling's factor; rows of a table of embeddings
  int64_t heads = 0;       // kAttention
  int64_t layers = 1;      // kLstm: one upon the other
  double probability = 0;  // kDropout, and between the layers of a kLstm: of a value to become 0
  bool causal = false;     // kAttention: no token sees those behind it
  bool has_bias = true;    // kConv2d, kConvTranspose2d, kLinear
  size_t weights_of =
      kNetworkInput;            // kLinear: the embedding whose table is its weight; kNetworkInput = its own
  std::string op;               // of a TorchScript file: PyTorch's operator, "silu"
  bool once_for_batch = false;  // of a TorchScript file: its output has no samples
  // Derived when the network is read:
  SampleShape input;  // the first of its inputs
  SampleShape output;
  int64_t weight_elements = 0;
  int64_t bias_elements = 0;
  int64_t shared_elements = 0;  // of a TorchScript file: of its weights that another layer has (weights_of)
  int64_t buffer_elements = 0;  // running means and variances, float32; a counter of 8 B comes with them

  int64_t parameters() const { return weight_elements + bias_elements; }
  bool operator==(const Layer&) const = default;
};

}  // namespace tidemark::networks
