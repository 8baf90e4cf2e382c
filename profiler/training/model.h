// A network as LibTorch modules, built from its specification, with its memory tagged. One thread builds and runs it;
// checkpointed pieces also run on the backward thread, while the first waits.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <deque>
#include <vector>

#include "profiler/capture/torch/tensor_tags.h"
#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::training {

class Model {
 public:
  // Parameters are made on the CPU and moved, as model.to(device) does. The random generator decides their values.
  Model(const networks::Network& network, c10::Device device);

  at::Tensor Forward(const at::Tensor& input, const networks::Checkpointing& checkpointing);

  // In the order of registration, as optimizers take them.
  const std::vector<at::Tensor>& parameters() const { return parameters_; }
  const std::deque<capture::ParameterTag>& tags() const { return tags_; }  // in the same order

 private:
  struct Layer {
    networks::LayerKind kind;
    events::NameId name = 0;
    events::NameId output_name = 0;  // "conv1 output"
    events::NameId saved_name = 0;   // what its operators save that is not its input
    torch::nn::Conv2d convolution{nullptr};
    torch::nn::Linear linear{nullptr};
  };
  void AddLayer(const networks::Layer& specification, torch::nn::Module& root);
  void TagParameters(const networks::Network& network);
  at::Tensor RunLayers(size_t first, size_t end, at::Tensor input);

  std::vector<Layer> layers_;
  std::vector<at::Tensor> parameters_;
  std::deque<capture::ParameterTag> tags_;
};

// Where the checkpointed pieces of `layers` layers begin, and the end: {0, 3, 6}. Empty without checkpointing. K segments
// have equal numbers of layers, as far as they divide; the earlier ones get the rest.
std::vector<size_t> PieceBoundaries(size_t layers, const networks::Checkpointing& checkpointing);

}  // namespace tidemark::training
