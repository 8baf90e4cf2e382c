// A network as LibTorch modules, built from its specification, with its memory tagged. One thread builds and
// runs it; checkpointed pieces also run on the backward thread, while the first waits.
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
  // Parameters are made on the CPU and moved, as model.to(device) does. The random generator decides their
  // values.
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
  void TagParameters();
  at::Tensor RunLayers(size_t first, size_t end, at::Tensor input);

  networks::Network network_;
  std::vector<Layer> layers_;  // as in network_
  std::vector<at::Tensor> parameters_;
  std::deque<capture::ParameterTag> tags_;
};

}  // namespace tidemark::training
