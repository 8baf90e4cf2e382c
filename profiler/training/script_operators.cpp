#include "profiler/training/script_operators.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <map>
#include <string>

namespace tidemark::training {
namespace {

using networks::Layer;
using networks::LayerKind;
using Arguments = std::vector<c10::IValue>;

// conv2d(input, weight, …), and what tracing makes of it, _convolution(…, transposed at 6, …).
void Convolve(const Arguments& arguments, Layer& layer) {
  constexpr size_t kTransposed = 6;
  const at::Tensor weight = arguments[1].toTensor();
  const bool transposed = layer.op.starts_with("conv_transpose") ||
                          (layer.op == "convolution" && arguments[kTransposed].toBool());
  layer.kind = transposed ? LayerKind::kConvTranspose2d : LayerKind::kConv2d;
  layer.in_features = transposed ? weight.size(0) : layer.input[1];
  layer.out_features = layer.output[1];
  layer.kernel = weight.size(-1);
}

void Multiply(const Arguments& arguments, Layer& layer) {
  const at::Tensor weight = arguments[1].toTensor();
  layer.kind = LayerKind::kLinear;
  layer.in_features = weight.size(-1);
  layer.out_features = weight.size(0);
  layer.has_bias = !arguments[2].isNone();
}

// batch_norm(input, weight, bias, mean, variance, training, …). One that never trains keeps other things.
void Normalize(const Arguments& arguments, Layer& layer) {
  constexpr size_t kMean = 3;
  constexpr size_t kTraining = 5;
  if (arguments[kTraining].toBool()) layer.kind = LayerKind::kBatchNorm2d;
  if (!arguments[kMean].isNone()) layer.buffer_elements = 2 * arguments[kMean].toTensor().numel();
}

// scaled_dot_product_attention(query, key, value, mask, p, causal, …) over [batch, heads, tokens, width].
void Attend(const Arguments& arguments, Layer& layer) {
  constexpr int64_t kDimensions = 4;
  const at::Tensor query = arguments[0].toTensor();
  const bool plain = query.dim() == kDimensions && query.sizes() == arguments[1].toTensor().sizes() &&
                     arguments[3].isNone() && arguments[4].toDouble() == 0;
  if (!plain) return;
  layer.kind = LayerKind::kAttention;
  layer.heads = query.size(1);
  layer.causal = arguments[5].toBool();
}

// lstm(input, states, weights, biases, layers, p, training, bidirectional, batch first).
void Remember(const Arguments& arguments, Layer& layer) {
  constexpr size_t kLayers = 4;
  constexpr size_t kBidirectional = 7;
  constexpr size_t kBatchFirst = 8;
  if (arguments.size() <= kBatchFirst || !arguments[2].isTensorList() || arguments[kBidirectional].toBool() ||
      !arguments[kBatchFirst].toBool() || arguments[kLayers + 1].toDouble() > 0) {
    return;
  }
  layer.kind = LayerKind::kLstm;
  layer.in_features = layer.input.back();
  layer.out_features = layer.output.back();
  layer.layers = arguments[kLayers].toInt();
}

void Adapt(const Arguments& arguments, Layer& layer) {
  layer.kind = LayerKind::kAdaptiveAvgPool2d;
  layer.size = std::ranges::max(arguments[1].toIntVector());
}

}  // namespace

void Classify(const std::vector<c10::IValue>& arguments, Layer& layer) {
  static const std::map<std::string, LayerKind> kPlain = {
      {"relu", LayerKind::kRelu},
      {"relu6", LayerKind::kRelu6},
      {"leaky_relu", LayerKind::kLeakyRelu},
      {"gelu", LayerKind::kGelu},
      {"sigmoid", LayerKind::kSigmoid},
      {"tanh", LayerKind::kTanh},
      {"max_pool2d", LayerKind::kMaxPool2d},
      {"avg_pool2d", LayerKind::kAvgPool2d},
      {"flatten", LayerKind::kFlatten},
  };
  layer.kind = LayerKind::kOperator;
  if (const auto plain = kPlain.find(layer.op); plain != kPlain.end()) layer.kind = plain->second;
  if (layer.op.starts_with("conv")) Convolve(arguments, layer);
  if (layer.op == "linear") Multiply(arguments, layer);
  if (layer.op == "batch_norm") Normalize(arguments, layer);
  if (layer.op == "layer_norm" && arguments[1].toIntVector().size() == 1) layer.kind = LayerKind::kLayerNorm;
  if (layer.op == "scaled_dot_product_attention") Attend(arguments, layer);
  if (layer.op == "lstm") Remember(arguments, layer);
  if (layer.op == "adaptive_avg_pool2d") Adapt(arguments, layer);
  if (layer.op == "embedding") {
    layer.kind = LayerKind::kEmbedding;
    layer.in_features = arguments[0].toTensor().size(0);
    layer.out_features = layer.output.back();
  }
  if (layer.op == "dropout" && arguments[2].toBool()) {
    layer.kind = LayerKind::kDropout;
    layer.probability = arguments[1].toDouble();
  }
}

void Settle(Layer& layer) {
  if (layer.kind == LayerKind::kAttention && layer.output.size() == 3)
    layer.output = {layer.output[1], layer.output[0] * layer.output[2]};
}

}  // namespace tidemark::training
