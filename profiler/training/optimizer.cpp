#include "profiler/training/optimizer.h"

#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include <string>

#include "profiler/capture/stream/event_stream.h"
#include "profiler/training/whole_optimizers.h"

namespace tidemark::training {
namespace {

using networks::OptimizerKind;

constexpr double kMomentum = 0.9;

void TagState(const at::Tensor& state, const capture::ParameterTag& parameter, const char* role) {
  if (!state.defined()) return;
  capture::Tag(state, events::Category::kOptimizerState, capture::Intern(parameter.full_name() + " " + role));
}

template <typename State>
void TagMoments(const torch::optim::OptimizerParamState& generic, const capture::ParameterTag& parameter) {
  const auto& state = dynamic_cast<const State&>(generic);
  TagState(state.exp_avg(), parameter, "exp_avg");
  TagState(state.exp_avg_sq(), parameter, "exp_avg_sq");
}

void TagOne(const torch::optim::OptimizerParamState& state, const capture::ParameterTag& parameter) {
  if (const auto* momentum = dynamic_cast<const torch::optim::SGDParamState*>(&state)) {
    TagState(momentum->momentum_buffer(), parameter, "momentum_buffer");
  } else if (dynamic_cast<const torch::optim::AdamParamState*>(&state) != nullptr) {
    TagMoments<torch::optim::AdamParamState>(state, parameter);
  } else if (const auto* adagrad = dynamic_cast<const torch::optim::AdagradParamState*>(&state)) {
    TagState(adagrad->sum(), parameter, "sum");
  } else if (const auto* rmsprop = dynamic_cast<const torch::optim::RMSpropParamState*>(&state)) {
    TagState(rmsprop->square_avg(), parameter, "square_avg");
  } else {
    TagMoments<torch::optim::AdamWParamState>(state, parameter);
  }
}

}  // namespace

std::unique_ptr<torch::optim::Optimizer> MakeOptimizer(const networks::TrainingSettings& settings,
                                                       const std::vector<at::Tensor>& parameters) {
  const double learning_rate = networks::EffectiveLearningRate(settings);
  if (settings.optimizer_implementation != networks::OptimizerImplementation::kForLoop) {
    return MakeWholeOptimizer(settings.optimizer, settings.optimizer_implementation, parameters,
                              learning_rate, kMomentum);
  }
  switch (settings.optimizer) {
    case OptimizerKind::kSgd:
      return std::make_unique<torch::optim::SGD>(parameters, torch::optim::SGDOptions(learning_rate));
    case OptimizerKind::kMomentum:
      return std::make_unique<torch::optim::SGD>(parameters,
                                                 torch::optim::SGDOptions(learning_rate).momentum(kMomentum));
    case OptimizerKind::kAdam:
      return std::make_unique<torch::optim::Adam>(parameters, torch::optim::AdamOptions(learning_rate));
    case OptimizerKind::kAdamW:
      return std::make_unique<torch::optim::AdamW>(parameters, torch::optim::AdamWOptions(learning_rate));
    case OptimizerKind::kAdagrad:
      return std::make_unique<torch::optim::Adagrad>(parameters, torch::optim::AdagradOptions(learning_rate));
    case OptimizerKind::kRmsprop:
      return std::make_unique<torch::optim::RMSprop>(parameters, torch::optim::RMSpropOptions(learning_rate));
  }
  return nullptr;
}

void SetLearningRate(torch::optim::Optimizer& optimizer, double learning_rate) {
  for (auto& group : optimizer.param_groups()) group.options().set_lr(learning_rate);
}

void TagOptimizerState(torch::optim::Optimizer& optimizer,
                       const std::deque<capture::ParameterTag>& parameters) {
  for (const capture::ParameterTag& parameter : parameters) {
    const auto state = optimizer.state().find(parameter.parameter().unsafeGetTensorImpl());
    if (state != optimizer.state().end()) TagOne(*state->second, parameter);
  }
}

}  // namespace tidemark::training
