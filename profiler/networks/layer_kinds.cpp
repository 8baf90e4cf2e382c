#include "profiler/networks/layer_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

#include "profiler/base/choices.h"
#include "profiler/networks/layer_shapes.h"
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
