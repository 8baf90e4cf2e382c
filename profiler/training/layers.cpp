#include "profiler/training/layers.h"

#include <ATen/Functions.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/modules/rnn.h>

#include <utility>

namespace tidemark::training {
namespace {

using networks::Layer;
using networks::LayerKind;
using Inputs = std::vector<at::Tensor>;

// Rows that are learned: embeddings, positions, class tokens. Normal with deviation 0.02, as GPT-2, BERT and
// ViT begin.
class Table final : public torch::nn::Module {
 public:
  explicit Table(at::IntArrayRef sizes) {
    constexpr double kDeviation = 0.02;
    weight = register_parameter("weight", torch::nn::init::normal_(torch::empty(sizes), 0, kDeviation));
  }
  at::Tensor weight;
};

BuiltLayer BuildConvolution(const Layer& layer) {
  torch::nn::Conv2d module(torch::nn::Conv2dOptions(layer.in_features, layer.out_features, layer.kernel)
                               .stride(layer.stride)
                               .padding(layer.padding)
                               .groups(layer.groups)
                               .bias(layer.has_bias));
  return {module.ptr(), [impl = module.ptr()](const Inputs& inputs) { return impl->forward(inputs[0]); }};
}

BuiltLayer BuildConvTranspose(const Layer& layer) {
  torch::nn::ConvTranspose2d module(
      torch::nn::ConvTranspose2dOptions(layer.in_features, layer.out_features, layer.kernel)
          .stride(layer.stride)
          .padding(layer.padding)
          .bias(layer.has_bias));
  return {module.ptr(), [impl = module.ptr()](const Inputs& inputs) { return impl->forward(inputs[0]); }};
}

// As Python does. Linear::forward multiplies by a transposed view of the weight, which autocast does not
// cache.
BuiltLayer BuildLinear(const Layer& layer, const std::vector<BuiltLayer>& before) {
  if (layer.weights_of != networks::kNetworkInput) {
    const auto table = std::dynamic_pointer_cast<Table>(before[layer.weights_of].module);
    return {nullptr, [table](const Inputs& inputs) { return at::linear(inputs[0], table->weight); }};
  }
  torch::nn::Linear module(
      torch::nn::LinearOptions(layer.in_features, layer.out_features).bias(layer.has_bias));
  return {module.ptr(), [impl = module.ptr()](const Inputs& inputs) {
            return at::linear(inputs[0], impl->weight, impl->bias);
          }};
}

BuiltLayer BuildNorm(const Layer& layer) {
  if (layer.kind == LayerKind::kBatchNorm2d) {
    torch::nn::BatchNorm2d module(layer.input[0]);
    return {module.ptr(), [impl = module.ptr()](const Inputs& inputs) { return impl->forward(inputs[0]); }};
  }
  torch::nn::LayerNorm module(torch::nn::LayerNormOptions({layer.input.back()}));
  return {module.ptr(), [impl = module.ptr()](const Inputs& inputs) { return impl->forward(inputs[0]); }};
}

BuiltLayer BuildTable(const Layer& layer) {
  if (layer.kind == LayerKind::kEmbedding) {
    const auto table = std::make_shared<Table>(at::IntArrayRef{layer.in_features, layer.out_features});
    return {table, [table](const Inputs& inputs) { return at::embedding(table->weight, inputs[0]); }};
  }
  const int64_t rows = layer.kind == LayerKind::kClassToken ? 1 : layer.size;
  const auto table = std::make_shared<Table>(at::IntArrayRef{rows, layer.input[1]});
  if (layer.kind == LayerKind::kPositionEmbedding) {
    return {table, [table](const Inputs& inputs) {
              return inputs[0] + table->weight.narrow(0, 0, inputs[0].size(1));
            }};
  }
  if (layer.kind == LayerKind::kSegmentEmbedding) {  // all tokens are of the first segment
    return {table, [table](const Inputs& inputs) { return inputs[0] + table->weight.select(0, 0); }};
  }
  return {table, [table](const Inputs& inputs) {
            return at::cat({table->weight.expand({inputs[0].size(0), 1, -1}), inputs[0]}, 1);
          }};
}

// [batch, tokens, heads · width] → [batch, heads, tokens, width], a view.
at::Tensor InHeads(const at::Tensor& tensor, int64_t heads) {
  return tensor.unflatten(2, {heads, -1}).transpose(1, 2);
}

BuiltLayer BuildAttention(const Layer& layer) {
  return {nullptr, [heads = layer.heads, causal = layer.causal](const Inputs& inputs) {
            const Inputs parts = inputs.size() == 1 ? inputs[0].chunk(3, 2) : inputs;
            const at::Tensor result = at::scaled_dot_product_attention(
                InHeads(parts[0], heads), InHeads(parts[1], heads), InHeads(parts[2], heads),
                /*attn_mask=*/{}, /*dropout_p=*/0, causal);
            return result.transpose(1, 2).flatten(2);
          }};
}

BuiltLayer BuildLstm(const Layer& layer) {
  torch::nn::LSTM module(torch::nn::LSTMOptions(layer.in_features, layer.out_features)
                             .num_layers(layer.layers)
                             .dropout(layer.probability)
                             .batch_first(true));
  return {module.ptr(),
          [impl = module.ptr()](const Inputs& inputs) { return std::get<0>(impl->forward(inputs[0])); }};
}

BuiltLayer BuildPool(const Layer& layer) {
  const int64_t kernel = layer.kernel;
  const int64_t stride = layer.stride;
  const int64_t padding = layer.padding;
  if (layer.kind == LayerKind::kMaxPool2d) {
    return {nullptr,
            [=](const Inputs& inputs) { return at::max_pool2d(inputs[0], kernel, stride, padding); }};
  }
  return {nullptr, [=](const Inputs& inputs) { return at::avg_pool2d(inputs[0], kernel, stride, padding); }};
}

BuiltLayer BuildPointwise(LayerKind kind) {
  constexpr double kLeak = 0.2;  // as in DCGAN (Radford et al. 2015)
  switch (kind) {
    case LayerKind::kRelu:
      return {nullptr, [](const Inputs& inputs) { return at::relu(inputs[0]); },
              [](Inputs inputs) { return at::relu_(inputs[0]); }};
    case LayerKind::kRelu6:
      return {nullptr, [](const Inputs& inputs) { return at::hardtanh(inputs[0], 0, 6); }};
    case LayerKind::kLeakyRelu:
      return {nullptr, [](const Inputs& inputs) { return at::leaky_relu(inputs[0], kLeak); },
              [](Inputs inputs) { return at::leaky_relu_(inputs[0], kLeak); }};
    case LayerKind::kGelu:
      return {nullptr, [](const Inputs& inputs) { return at::gelu(inputs[0]); }};
    case LayerKind::kSigmoid:
      return {nullptr, [](const Inputs& inputs) { return at::sigmoid(inputs[0]); }};
    default:
      return {nullptr, [](const Inputs& inputs) { return at::tanh(inputs[0]); }};
  }
}

BuiltLayer BuildShaping(const Layer& layer) {
  switch (layer.kind) {
    case LayerKind::kAdaptiveAvgPool2d:
      return {nullptr, [size = layer.size](const Inputs& inputs) {
                return at::adaptive_avg_pool2d(inputs[0], {size, size});
              }};
    case LayerKind::kDropout: {
      torch::nn::Dropout module(layer.probability);
      return {module.ptr(), [impl = module.ptr()](const Inputs& inputs) { return impl->forward(inputs[0]); }};
    }
    case LayerKind::kAdd:
      return {nullptr, [](const Inputs& inputs) { return inputs[0] + inputs[1]; }};
    case LayerKind::kConcat:
      return {nullptr, [](const Inputs& inputs) { return at::cat(inputs, 1); }};
    case LayerKind::kUpsample:
      return {nullptr, [size = layer.output](const Inputs& inputs) {
                return at::upsample_nearest2d(inputs[0], {size[1], size[2]});
              }};
    case LayerKind::kToSequence:
      return {nullptr,
              [](const Inputs& inputs) { return inputs[0].flatten(2).transpose(1, 2).contiguous(); }};
    case LayerKind::kFirstToken:
      return {nullptr, [](const Inputs& inputs) { return inputs[0].select(1, 0); }};
    default:
      return {nullptr, [](const Inputs& inputs) { return inputs[0].flatten(1); }};
  }
}

}  // namespace

BuiltLayer Build(const Layer& layer, const std::vector<BuiltLayer>& before) {
  switch (layer.kind) {
    case LayerKind::kConv2d:
      return BuildConvolution(layer);
    case LayerKind::kConvTranspose2d:
      return BuildConvTranspose(layer);
    case LayerKind::kLinear:
      return BuildLinear(layer, before);
    case LayerKind::kBatchNorm2d:
    case LayerKind::kLayerNorm:
      return BuildNorm(layer);
    case LayerKind::kEmbedding:
    case LayerKind::kPositionEmbedding:
    case LayerKind::kSegmentEmbedding:
    case LayerKind::kClassToken:
      return BuildTable(layer);
    case LayerKind::kAttention:
      return BuildAttention(layer);
    case LayerKind::kLstm:
      return BuildLstm(layer);
    case LayerKind::kMaxPool2d:
    case LayerKind::kAvgPool2d:
      return BuildPool(layer);
    case LayerKind::kRelu:
    case LayerKind::kRelu6:
    case LayerKind::kLeakyRelu:
    case LayerKind::kGelu:
    case LayerKind::kSigmoid:
    case LayerKind::kTanh:
      return BuildPointwise(layer.kind);
    case LayerKind::kAdaptiveAvgPool2d:
    case LayerKind::kDropout:
    case LayerKind::kFlatten:
    case LayerKind::kAdd:
    case LayerKind::kConcat:
    case LayerKind::kUpsample:
    case LayerKind::kToSequence:
    case LayerKind::kFirstToken:
      return BuildShaping(layer);
    case LayerKind::kOperator:  // of a TorchScript file, which runs as a whole
      break;
  }
  return {};
}

const char* NameOfSaved(LayerKind kind) {
  switch (kind) {
    case LayerKind::kConv2d:
    case LayerKind::kConvTranspose2d:
    case LayerKind::kLinear:
      return "input in low precision";
    case LayerKind::kMaxPool2d:
      return "indices";
    case LayerKind::kBatchNorm2d:
    case LayerKind::kLayerNorm:
      return "statistics";
    case LayerKind::kDropout:
      return "mask";
    case LayerKind::kAttention:
      return "log-sum-exp";
    case LayerKind::kLstm:
      return "gates and cells";
    default:
      return "output";
  }
}

}  // namespace tidemark::training
