#include "profiler/training/model.h"

#include <ATen/Functions.h>

#include <string>
#include <utility>

#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/torch/context.h"
#include "profiler/capture/torch/saved_tensors.h"
#include "profiler/training/checkpoint.h"

namespace tidemark::training {
namespace {

using networks::LayerKind;

class Root final : public torch::nn::Module {};

at::Tensor Apply(LayerKind kind, torch::nn::Conv2d& convolution, torch::nn::Linear& linear,
                 const at::Tensor& input) {
  switch (kind) {
    case LayerKind::kConv2d:
      return convolution(input);
    case LayerKind::kLinear:
      // As Python does. Linear::forward multiplies by a transposed view of the weight, which autocast does
      // not cache.
      return at::linear(input, linear->weight, linear->bias);
    case LayerKind::kRelu:
      return at::relu(input);
    case LayerKind::kFlatten:
      return input.flatten(1);
  }
  return {};
}

}  // namespace

Model::Model(const networks::Network& network, c10::Device device) : network_(network) {
  const auto root = std::make_shared<Root>();
  for (const networks::Layer& layer : network.layers) AddLayer(layer, *root);
  root->to(device);
  parameters_ = root->parameters();
  TagParameters();
}

void Model::AddLayer(const networks::Layer& specification, torch::nn::Module& root) {
  Layer layer{specification.kind};
  const std::string& name = specification.name;
  layer.name = capture::Intern(name);
  layer.output_name = capture::Intern(name + " output");
  switch (specification.kind) {
    case LayerKind::kConv2d:
      layer.convolution = root.register_module(
          name, torch::nn::Conv2d(torch::nn::Conv2dOptions(specification.in_features,
                                                           specification.out_features, specification.kernel)
                                      .padding(specification.padding)));
      layer.saved_name = capture::Intern(name + " input in low precision");
      break;
    case LayerKind::kLinear:
      layer.linear = root.register_module(
          name, torch::nn::Linear(specification.in_features, specification.out_features));
      layer.saved_name = capture::Intern(name + " input in low precision");
      break;
    case LayerKind::kRelu:
    case LayerKind::kFlatten:
      layer.saved_name = layer.output_name;
      break;
  }
  layers_.push_back(std::move(layer));
}

void Model::TagParameters() {
  for (size_t index = 0; index < layers_.size(); ++index) {
    const std::string& name = network_.layers[index].name;
    Layer& layer = layers_[index];
    torch::nn::Module* module = nullptr;
    if (layer.convolution) module = layer.convolution.get();
    if (layer.linear) module = layer.linear.get();
    if (module == nullptr) continue;
    for (const auto& parameter : module->named_parameters(/*recurse=*/false)) {
      tags_.emplace_back(parameter.value(), name, parameter.key());
    }
  }
}

at::Tensor Model::RunLayers(size_t first, size_t end, at::Tensor input) {
  for (size_t index = first; index < end; ++index) {
    Layer& layer = layers_[index];
    const capture::LayerScope scope(layer.name, layer.saved_name);
    at::Tensor output = Apply(layer.kind, layer.convolution, layer.linear, input);
    // A flattened tensor is its input seen in another way; the memory keeps the name of who made it.
    if (layer.kind != LayerKind::kFlatten) capture::NameOutput(output, layer.output_name);
    input = std::move(output);
  }
  return input;
}

at::Tensor Model::Forward(const at::Tensor& input, const networks::Checkpointing& checkpointing) {
  const std::vector<size_t> boundaries = networks::CheckpointBoundaries(network_, checkpointing);
  if (boundaries.empty()) return RunLayers(0, layers_.size(), input);
  at::Tensor activation = input;
  for (size_t piece = 0; piece + 1 < boundaries.size(); ++piece) {
    const size_t first = boundaries[piece];
    const size_t end = boundaries[piece + 1];
    activation = RunCheckpointed(
        [this, first, end](const at::Tensor& start) { return RunLayers(first, end, start); }, activation);
  }
  return activation;
}

}  // namespace tidemark::training
