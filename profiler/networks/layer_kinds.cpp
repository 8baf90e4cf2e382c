#include "profiler/networks/layer_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

#include "profiler/base/choices.h"
#include "profiler/networks/operators.h"

namespace tidemark::networks {
namespace {

using Json = nlohmann::json;
using Shapes = std::vector<SampleShape>;

using Member = std::variant<int64_t Layer::*, double Layer::*, bool Layer::*>;
struct Field {
  const char* key;
  Member member;
  int64_t least = 1;
  bool required = true;  // otherwise the layer's default holds
};

struct Kind {
  std::string_view text;
  LayerKind kind;
  std::vector<Field> fields;
  size_t least_inputs = 1;
  size_t most_inputs = 1;
  Status (*fit)(Layer&, const Shapes&);
};

Error NeedsImage(const SampleShape& shape) {
  return Error{fmt::format("it needs an image, not {}.", TextOf(shape))};
}
Error NeedsSequence(const SampleShape& shape) {
  return Error{fmt::format("it needs a sequence (tokens × features), not {}.", TextOf(shape))};
}

void CountWeights(Layer& layer, std::initializer_list<int64_t> factors) {
  layer.weight_elements = 1;
  for (const int64_t factor : factors) {
    layer.weight_elements = std::min(layer.weight_elements, kMaxElements + 1) * factor;
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

Status FitConvolution(Layer& layer, const Shapes& /*incoming*/) {
  if (Status channels = CheckChannels(layer); !channels) return channels;
  if (layer.in_features % layer.groups != 0 || layer.out_features % layer.groups != 0) {
    return Error{fmt::format("{} groups do not divide {} channels in and {} out.", layer.groups,
                             layer.in_features, layer.out_features)};
  }
  CountWeights(layer, {layer.out_features, layer.in_features / layer.groups, layer.kernel, layer.kernel});
  layer.bias_elements = layer.has_bias ? layer.out_features : 0;
  return Slide(layer, layer.out_features);
}

Status FitConvTranspose(Layer& layer, const Shapes& /*incoming*/) {
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

Status FitLinear(Layer& layer, const Shapes& /*incoming*/) {
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

Status FitSame(Layer& /*layer*/, const Shapes& /*incoming*/) { return Done{}; }

Status FitPool(Layer& layer, const Shapes& /*incoming*/) {
  if (layer.input.size() != 3) return NeedsImage(layer.input);
  if (2 * layer.padding > layer.kernel) {
    return Error{
        fmt::format("a padding of {} is more than half of the kernel, {}.", layer.padding, layer.kernel)};
  }
  return Slide(layer, layer.input[0]);
}

Status FitAdaptivePool(Layer& layer, const Shapes& /*incoming*/) {
  if (layer.input.size() != 3) return NeedsImage(layer.input);
  layer.output = {layer.input[0], layer.size, layer.size};
  return Done{};
}

Status FitBatchNorm(Layer& layer, const Shapes& /*incoming*/) {
  if (layer.input.size() != 3) return NeedsImage(layer.input);
  layer.weight_elements = layer.bias_elements = layer.input[0];
  layer.buffer_elements = 2 * layer.input[0];
  return Done{};
}

Status FitLayerNorm(Layer& layer, const Shapes& /*incoming*/) {
  if (layer.input.size() > 2) return NeedsSequence(layer.input);
  layer.weight_elements = layer.bias_elements = layer.input.back();
  return Done{};
}

Status FitDropout(Layer& layer, const Shapes& /*incoming*/) {
  if (layer.probability > 0 && layer.probability < 1) return Done{};
  return Error{fmt::format("'p' must be above 0 and below 1, not {}.", layer.probability)};
}

Status FitFlatten(Layer& layer, const Shapes& /*incoming*/) {
  layer.output = {ElementCount(layer.input)};
  return Done{};
}

Status FitAdd(Layer& layer, const Shapes& incoming) {
  for (const SampleShape& shape : incoming) {
    if (shape != layer.input)
      return Error{
          fmt::format("it adds {} and {}; both must have one shape.", TextOf(layer.input), TextOf(shape))};
  }
  return Done{};
}

Status FitConcat(Layer& layer, const Shapes& incoming) {
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

Status FitUpsample(Layer& layer, const Shapes& /*incoming*/) {
  if (layer.input.size() != 3) return NeedsImage(layer.input);
  layer.output = {layer.input[0], layer.input[1] * layer.size, layer.input[2] * layer.size};
  return Done{};
}

Status FitEmbedding(Layer& layer, const Shapes& /*incoming*/) {
  layer.output = {layer.input[0], layer.out_features};
  CountWeights(layer, {layer.in_features, layer.out_features});
  return Done{};
}

Status FitTable(Layer& layer, const Shapes& /*incoming*/) {
  if (layer.input.size() != 2) return NeedsSequence(layer.input);
  if (layer.kind == LayerKind::kPositionEmbedding && layer.input[0] > layer.size) {
    return Error{fmt::format("it has {} positions, but {} comes in.", layer.size, TextOf(layer.input))};
  }
  CountWeights(layer, {layer.size, layer.input[1]});
  return Done{};
}

Status FitClassToken(Layer& layer, const Shapes& /*incoming*/) {
  if (layer.input.size() != 2) return NeedsSequence(layer.input);
  layer.output[0] += 1;
  layer.weight_elements = layer.input[1];
  return Done{};
}

Status FitToSequence(Layer& layer, const Shapes& /*incoming*/) {
  if (layer.input.size() != 3) return NeedsImage(layer.input);
  layer.output = {layer.input[1] * layer.input[2], layer.input[0]};
  return Done{};
}

Status FitFirstToken(Layer& layer, const Shapes& /*incoming*/) {
  if (layer.input.size() != 2) return NeedsSequence(layer.input);
  layer.output = {layer.input[1]};
  return Done{};
}

// Queries, keys and values as three inputs, or side by side in one.
Status FitAttention(Layer& layer, const Shapes& incoming) {
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
Status FitLstm(Layer& layer, const Shapes& /*incoming*/) {
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

const std::vector<Kind>& Kinds() {
  static const auto& kinds = *new std::vector<Kind>([] {
    const Field in{"in", &Layer::in_features};
    const Field out{"out", &Layer::out_features};
    const Field kernel{"kernel", &Layer::kernel};
    const Field stride{"stride", &Layer::stride, 1, false};
    const Field padding{"padding", &Layer::padding, 0, false};
    const Field groups{"groups", &Layer::groups, 1, false};
    const Field bias{"bias", &Layer::has_bias, 0, false};
    const Field p{"p", &Layer::probability};
    const std::vector<Field> pool{kernel, stride, padding};
    constexpr size_t kMany = 64;
    return std::vector<Kind>{
        {"conv2d",
         LayerKind::kConv2d,
         {in, out, kernel, stride, padding, groups, bias},
         1,
         1,
         FitConvolution},
        {"relu", LayerKind::kRelu, {}, 1, 1, FitSame},
        {"flatten", LayerKind::kFlatten, {}, 1, 1, FitFlatten},
        {"linear", LayerKind::kLinear, {in, out, bias}, 1, 1, FitLinear},
        {"conv_transpose2d",
         LayerKind::kConvTranspose2d,
         {in, out, kernel, stride, padding, bias},
         1,
         1,
         FitConvTranspose},
        {"relu6", LayerKind::kRelu6, {}, 1, 1, FitSame},
        {"leaky_relu", LayerKind::kLeakyRelu, {}, 1, 1, FitSame},
        {"gelu", LayerKind::kGelu, {}, 1, 1, FitSame},
        {"sigmoid", LayerKind::kSigmoid, {}, 1, 1, FitSame},
        {"tanh", LayerKind::kTanh, {}, 1, 1, FitSame},
        {"max_pool2d", LayerKind::kMaxPool2d, pool, 1, 1, FitPool},
        {"avg_pool2d", LayerKind::kAvgPool2d, pool, 1, 1, FitPool},
        {"adaptive_avg_pool2d",
         LayerKind::kAdaptiveAvgPool2d,
         {{"size", &Layer::size}},
         1,
         1,
         FitAdaptivePool},
        {"batch_norm2d", LayerKind::kBatchNorm2d, {}, 1, 1, FitBatchNorm},
        {"layer_norm", LayerKind::kLayerNorm, {}, 1, 1, FitLayerNorm},
        {"dropout", LayerKind::kDropout, {p}, 1, 1, FitDropout},
        {"add", LayerKind::kAdd, {}, 2, 2, FitAdd},
        {"concat", LayerKind::kConcat, {}, 2, kMany, FitConcat},
        {"upsample", LayerKind::kUpsample, {{"factor", &Layer::size, 2}}, 1, 1, FitUpsample},
        {"embedding", LayerKind::kEmbedding, {in, out}, 1, 1, FitEmbedding},
        {"position_embedding", LayerKind::kPositionEmbedding, {{"length", &Layer::size}}, 1, 1, FitTable},
        {"segment_embedding", LayerKind::kSegmentEmbedding, {{"segments", &Layer::size}}, 1, 1, FitTable},
        {"class_token", LayerKind::kClassToken, {}, 1, 1, FitClassToken},
        {"to_sequence", LayerKind::kToSequence, {}, 1, 1, FitToSequence},
        {"first_token", LayerKind::kFirstToken, {}, 1, 1, FitFirstToken},
        {"attention",
         LayerKind::kAttention,
         {{"heads", &Layer::heads}, {"causal", &Layer::causal, 0, false}},
         1,
         3,
         FitAttention},
        {"lstm",
         LayerKind::kLstm,
         {in,
          {"hidden", &Layer::out_features},
          {"layers", &Layer::layers, 1, false},
          {"dropout", &Layer::probability, 0, false}},
         1,
         1,
         FitLstm},
    };
  }());
  return kinds;
}

const Kind& RowOf(LayerKind kind) {
  return *std::find_if(Kinds().begin(), Kinds().end(), [kind](const Kind& row) { return row.kind == kind; });
}

Status Take(const Json& value, const Field& field, int64_t& size) {
  if (!value.is_number_integer() || value < field.least || value > kMostFeatures) {
    return Error{
        fmt::format("'{}' must be a whole number from {} to {}.", field.key, field.least, kMostFeatures)};
  }
  size = value.get<int64_t>();
  return Done{};
}
Status Take(const Json& value, const Field& field, double& number) {
  if (!value.is_number()) return Error{fmt::format("'{}' must be a number.", field.key)};
  number = value.get<double>();
  return Done{};
}
Status Take(const Json& value, const Field& field, bool& flag) {
  if (!value.is_boolean()) return Error{fmt::format("'{}' must be true or false.", field.key)};
  flag = value.get<bool>();
  return Done{};
}

Status ReadField(const Json& json, const Field& field, Layer& layer) {
  const auto found = json.find(field.key);
  if (found == json.end() && !field.required) return Done{};
  const Json nothing;
  const Json& value = found == json.end() ? nothing : *found;
  return std::visit([&](auto member) { return Take(value, field, layer.*member); }, field.member);
}

Status OnlyKeysOf(const Kind& kind, const Json& json) {
  std::vector<std::string> known{"name", "kind", "inputs"};
  for (const Field& field : kind.fields) known.emplace_back(field.key);
  if (kind.kind == LayerKind::kLinear) known.emplace_back("weights_of");
  // A misspelt key would leave its default in force without a word.
  for (const auto& [key, value] : json.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end())
      return Error{UnknownChoice("key", key, known)};
  }
  return Done{};
}

}  // namespace

std::string_view TextOf(LayerKind kind) {
  return kind == LayerKind::kOperator ? "operator" : RowOf(kind).text;
}

std::optional<LayerKind> KindNamed(std::string_view text) {
  const auto row = std::ranges::find(Kinds(), text, &Kind::text);
  if (row == Kinds().end()) return std::nullopt;
  return row->kind;
}

Status ReadKindAndSizes(const Json& json, Layer& layer) {
  const auto found = json.find("kind");
  if (found == json.end() || !found->is_string()) return Error{"'kind' must be a text."};
  const auto& text = found->get_ref<const std::string&>();
  const auto kind =
      std::find_if(Kinds().begin(), Kinds().end(), [&text](const Kind& row) { return row.text == text; });
  if (kind == Kinds().end()) {
    std::vector<std::string> known;
    for (const Kind& row : Kinds()) known.emplace_back(row.text);
    return Error{UnknownChoice("kind of layer", text, known)};
  }
  layer.kind = kind->kind;
  const bool pools = layer.kind == LayerKind::kMaxPool2d || layer.kind == LayerKind::kAvgPool2d;
  layer.stride = pools ? 0 : 1;  // a pool's is its kernel, where none is given
  if (Status known = OnlyKeysOf(*kind, json); !known) return known;
  for (const Field& field : kind->fields) {
    if (Status read = ReadField(json, field, layer); !read) return read;
  }
  return Done{};
}

Status FitLayer(Layer& layer, const Shapes& incoming, bool tokens) {
  const Kind& kind = RowOf(layer.kind);
  if (incoming.size() < kind.least_inputs || incoming.size() > kind.most_inputs) {
    const std::string wanted = kind.least_inputs == kind.most_inputs
                                   ? fmt::format("{}", kind.least_inputs)
                                   : fmt::format("{} to {}", kind.least_inputs, kind.most_inputs);
    return Error{fmt::format("it takes {} inputs, not {}; name them in 'inputs'.", wanted, incoming.size())};
  }
  if (tokens != (layer.kind == LayerKind::kEmbedding)) {
    return tokens
               ? Error{"the network's input are tokens, which only an embedding takes; put one before it."}
               : Error{fmt::format("it takes the network's tokens (give the network a 'vocabulary'), not {}.",
                                   TextOf(incoming.front()))};
  }
  layer.input = incoming.front();
  layer.output = layer.input;
  if (Status fits = kind.fit(layer, incoming); !fits) return fits;
  if (ElementCount(layer.output) > kMaxElements || layer.weight_elements > kMaxElements) {
    return Error{fmt::format("it is too large: more than {} elements.", kMaxElements)};
  }
  return Done{};
}

int64_t AutocastElements(const Layer& layer) {
  switch (layer.kind) {
    case LayerKind::kConv2d:
    case LayerKind::kConvTranspose2d:
      return layer.parameters();
    case LayerKind::kLinear:
      return layer.in_features * layer.out_features + layer.bias_elements;
    case LayerKind::kOperator: {
      const OperatorRule* rule = FindOperatorRule(layer.op);
      const bool is_low = rule != nullptr && rule->precision == OperatorRule::Precision::kLow;
      return is_low ? layer.parameters() : 0;
    }
    default:
      return 0;
  }
}

std::vector<int64_t> ParameterSizes(const Layer& layer) {
  std::vector<int64_t> sizes;
  if (layer.kind != LayerKind::kLstm) {
    for (const int64_t elements : {layer.weight_elements, layer.bias_elements}) {
      if (elements > 0) sizes.push_back(elements);
    }
    return sizes;
  }
  // Of each layer the four gates' matrices, for what comes in and for what the step before gave, and their
  // biases.
  for (int64_t level = 0; level < layer.layers; ++level) {
    const int64_t gates = 4 * layer.out_features;
    const int64_t in = level == 0 ? layer.in_features : layer.out_features;
    sizes.insert(sizes.end(), {gates * in, gates * layer.out_features, gates, gates});
  }
  return sizes;
}

bool IsView(const Layer& layer) {
  return layer.kind == LayerKind::kFlatten || layer.kind == LayerKind::kFirstToken;
}

}  // namespace tidemark::networks
