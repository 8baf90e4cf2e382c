#include "profiler/networks/layer_shapes.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/base/saturating.h"

namespace tidemark::networks {
namespace {

Error NeedsImage(const SampleShape& shape) {
  return Error{fmt::format("it needs an image, not {}.", TextOf(shape))};
}
Error NeedsSequence(const SampleShape& shape) {
  return Error{fmt::format("it needs a sequence (tokens × features), not {}.", TextOf(shape))};
}

void CountWeights(Layer& layer, std::initializer_list<int64_t> factors) {
  layer.weight_elements = 1;
  for (const int64_t factor : factors) {
    layer.weight_elements = SaturatingProduct(layer.weight_elements, factor);
  }
}

Status CheckChannels(const Layer& layer) {
  if (layer.input.size() != 3) return NeedsImage(layer.input);
  if (layer.input[0] == layer.in_features) return Done{};
  return Error{fmt::format("'in' is {}, but {} channels come in.", layer.in_features, layer.input[0])};
}

// Slides a window over the image; the output has `channels`.
Status Slide(Layer& layer, int64_t channels) {
  if (layer.stride == 0) layer.stride = layer.kernel;
  layer.output = {channels};
  for (const size_t side : {1, 2}) {
    const int64_t room = layer.input[side] + 2 * layer.padding - layer.kernel;
    if (room < 0)
      return Error{fmt::format("a kernel of {} does not fit into {}.", layer.kernel, TextOf(layer.input))};
    layer.output.push_back(room / layer.stride + 1);
  }
  return Done{};
}

}  // namespace

Status FitConvolution(Layer& layer, const std::vector<SampleShape>& /*incoming*/) {
  if (Status channels = CheckChannels(layer); !channels) return channels;
  if (layer.in_features % layer.groups != 0 || layer.out_features % layer.groups != 0) {
    return Error{fmt::format("{} groups do not divide {} channels in and {} out.", layer.groups,
                             layer.in_features, layer.out_features)};
  }
  CountWeights(layer, {layer.out_features, layer.in_features / layer.groups, layer.kernel, layer.kernel});
  layer.bias_elements = layer.has_bias ? layer.out_features : 0;
  return Slide(layer, layer.out_features);
}

Status FitConvTranspose(Layer& layer, const std::vector<SampleShape>& /*incoming*/) {
  if (Status channels = CheckChannels(layer); !channels) return channels;
  CountWeights(layer, {layer.in_features, layer.out_features, layer.kernel, layer.kernel});
  layer.bias_elements = layer.has_bias ? layer.out_features : 0;
  layer.output = {layer.out_features};
  for (const size_t side : {1, 2}) {
    const int64_t size = (layer.input[side] - 1) * layer.stride - 2 * layer.padding + layer.kernel;
    if (size < 1)
      return Error{fmt::format("a padding of {} leaves nothing of {}.", layer.padding, TextOf(layer.input))};
    layer.output.push_back(size);
  }
  return Done{};
}

Status FitLinear(Layer& layer, const std::vector<SampleShape>& /*incoming*/) {
  if (layer.input.size() > 2) {
    return Error{
        fmt::format("it needs one row of features, or a sequence of them, not {}; put a flatten before it.",
                    TextOf(layer.input))};
  }
  if (layer.input.back() != layer.in_features) {
    return Error{fmt::format("'in' is {}, but {} features come in.", layer.in_features, layer.input.back())};
  }
  if (layer.weights_of != kNetworkInput && layer.has_bias) {
    return Error{"it shares the weights of a table, which has no bias; write \"bias\": false."};
  }
  layer.output.back() = layer.out_features;
  layer.weight_elements = layer.weights_of == kNetworkInput ? layer.in_features * layer.out_features : 0;
  layer.bias_elements = layer.has_bias ? layer.out_features : 0;
  return Done{};
}

Status FitSame(Layer& /*layer*/, const std::vector<SampleShape>& /*incoming*/) { return Done{}; }

Status FitPool(Layer& layer, const std::vector<SampleShape>& /*incoming*/) {
  if (layer.input.size() != 3) return NeedsImage(layer.input);
  if (2 * layer.padding > layer.kernel) {
    return Error{
        fmt::format("a padding of {} is more than half of the kernel, {}.", layer.padding, layer.kernel)};
  }
  return Slide(layer, layer.input[0]);
}

Status FitAdaptivePool(Layer& layer, const std::vector<SampleShape>& /*incoming*/) {
  if (layer.input.size() != 3) return NeedsImage(layer.input);
  layer.output = {layer.input[0], layer.size, layer.size};
  return Done{};
}

Status FitBatchNorm(Layer& layer, const std::vector<SampleShape>& /*incoming*/) {
  if (layer.input.size() != 3) return NeedsImage(layer.input);
  layer.weight_elements = layer.bias_elements = layer.input[0];
  layer.buffer_elements = 2 * layer.input[0];
  return Done{};
}

Status FitLayerNorm(Layer& layer, const std::vector<SampleShape>& /*incoming*/) {
  if (layer.input.size() > 2) return NeedsSequence(layer.input);
  layer.weight_elements = layer.bias_elements = layer.input.back();
  return Done{};
}

Status FitDropout(Layer& layer, const std::vector<SampleShape>& /*incoming*/) {
  if (layer.probability > 0 && layer.probability < 1) return Done{};
  return Error{fmt::format("'p' must be above 0 and below 1, not {}.", layer.probability)};
}

Status FitFlatten(Layer& layer, const std::vector<SampleShape>& /*incoming*/) {
  layer.output = {ElementCount(layer.input)};
  return Done{};
}

Status FitAdd(Layer& layer, const std::vector<SampleShape>& incoming) {
  for (const SampleShape& shape : incoming) {
    if (shape != layer.input)
      return Error{
          fmt::format("it adds {} and {}; both must have one shape.", TextOf(layer.input), TextOf(shape))};
  }
  return Done{};
}

Status FitConcat(Layer& layer, const std::vector<SampleShape>& incoming) {
  layer.output[0] = 0;
  for (const SampleShape& shape : incoming) {
    if (shape.size() != layer.input.size() ||
        !std::equal(shape.begin() + 1, shape.end(), layer.input.begin() + 1)) {
      return Error{fmt::format("it joins {} and {}; only the first size may differ.", TextOf(layer.input),
                               TextOf(shape))};
    }
    layer.output[0] += shape[0];
  }
  return Done{};
}

Status FitUpsample(Layer& layer, const std::vector<SampleShape>& /*incoming*/) {
  if (layer.input.size() != 3) return NeedsImage(layer.input);
  layer.output = {layer.input[0], layer.input[1] * layer.size, layer.input[2] * layer.size};
  return Done{};
}

Status FitEmbedding(Layer& layer, const std::vector<SampleShape>& /*incoming*/) {
  layer.output = {layer.input[0], layer.out_features};
  CountWeights(layer, {layer.in_features, layer.out_features});
  return Done{};
}

Status FitTable(Layer& layer, const std::vector<SampleShape>& /*incoming*/) {
  if (layer.input.size() != 2) return NeedsSequence(layer.input);
  if (layer.kind == LayerKind::kPositionEmbedding && layer.input[0] > layer.size) {
    return Error{fmt::format("it has {} positions, but {} comes in.", layer.size, TextOf(layer.input))};
  }
  CountWeights(layer, {layer.size, layer.input[1]});
  return Done{};
}

Status FitClassToken(Layer& layer, const std::vector<SampleShape>& /*incoming*/) {
  if (layer.input.size() != 2) return NeedsSequence(layer.input);
  layer.output[0] += 1;
  layer.weight_elements = layer.input[1];
  return Done{};
}

Status FitToSequence(Layer& layer, const std::vector<SampleShape>& /*incoming*/) {
  if (layer.input.size() != 3) return NeedsImage(layer.input);
  layer.output = {layer.input[1] * layer.input[2], layer.input[0]};
  return Done{};
}

Status FitFirstToken(Layer& layer, const std::vector<SampleShape>& /*incoming*/) {
  if (layer.input.size() != 2) return NeedsSequence(layer.input);
  layer.output = {layer.input[1]};
  return Done{};
}

// Queries, keys and values as three inputs, or side by side in one.
Status FitAttention(Layer& layer, const std::vector<SampleShape>& incoming) {
  if (layer.input.size() != 2) return NeedsSequence(layer.input);
  if (incoming.size() == 2)
    return Error{"it takes one input (queries, keys and values side by side) or three."};
  const int64_t parts = incoming.size() == 1 ? 3 : 1;
  for (const SampleShape& shape : incoming) {
    if (shape != layer.input) {
      return Error{fmt::format("its queries are {}, its keys or values {}; they must have one shape.",
                               TextOf(layer.input), TextOf(shape))};
    }
  }
  if (layer.input[1] % (parts * layer.heads) != 0) {
    return Error{fmt::format("{} features cannot be shared out among {} heads{}.", layer.input[1],
                             layer.heads, parts == 3 ? " of queries, keys and values" : "")};
  }
  layer.output[1] = layer.input[1] / parts;
  return Done{};
}

// For each gate, four of them, a matrix for what comes in, one for what the step before gave, and a bias for
// either.
Status FitLstm(Layer& layer, const std::vector<SampleShape>& /*incoming*/) {
  constexpr int64_t kGates = 4;
  if (layer.input.size() != 2) return NeedsSequence(layer.input);
  if (layer.input[1] != layer.in_features) {
    return Error{fmt::format("'in' is {}, but {} features come in.", layer.in_features, layer.input[1])};
  }
  if (!(layer.probability >= 0 && layer.probability < 1)) {
    return Error{fmt::format("'dropout' must be at least 0 and below 1, not {}.", layer.probability)};
  }
  if (layer.probability > 0 && layer.layers == 1) {
    return Error{"its 'dropout' is between layers, and it has one; leave it out, or give it more 'layers'."};
  }
  const int64_t hidden = layer.out_features;
  layer.output[1] = hidden;
  CountWeights(layer, {kGates * hidden, layer.in_features + hidden + (layer.layers - 1) * 2 * hidden});
  layer.bias_elements = 2 * kGates * hidden * layer.layers;
  return Done{};
}

}  // namespace tidemark::networks
