// Optimizers of torch::optim, and the names of their state. One thread.
#pragma once

#include <torch/optim/optimizer.h>

#include <deque>
#include <memory>
#include <vector>

#include "profiler/capture/torch/tensor_tags.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::training {

// PyTorch's defaults but for the learning rate, which the settings' rule adapts; momentum is SGD with 0.9.
std::unique_ptr<torch::optim::Optimizer> MakeOptimizer(const networks::TrainingSettings& settings,
                                                       const std::vector<at::Tensor>& parameters);
void SetLearningRate(torch::optim::Optimizer& optimizer, double learning_rate);

// Tags the state of each parameter ("conv1.weight exp_avg"). Due after the step that created it.
void TagOptimizerState(torch::optim::Optimizer& optimizer,
                       const std::deque<capture::ParameterTag>& parameters);

}  // namespace tidemark::training
