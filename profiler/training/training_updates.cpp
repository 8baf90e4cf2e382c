// The second half of a training step: gradients that are let go, unscaled, clipped and told of, the
// optimizers that use them, and how ranks share those.
#include <ATen/Functions.h>
#include <torch/nn/utils/clip_grad.h>

#include <utility>
#include <vector>

#include "profiler/capture/operators/context.h"
#include "profiler/textbook/data_parallel.h"
#include "profiler/training/distributed/clip_norm.h"
#include "profiler/training/optimizer.h"
#include "profiler/training/structure_events.h"
#include "profiler/training/training_run.h"

namespace tidemark::training {

// The learner's parameters that this rank updates: all, unless ranks share the optimizer's state.
std::vector<at::Tensor> TrainingRun::ShareState(const Learner& learner) {
  shards_.reset();
  if (sharded_ || !networks::SharesState(settings_)) return learner.parameters;
  std::vector<int64_t> sizes;
  for (const at::Tensor& parameter : learner.parameters) sizes.push_back(parameter.numel());
  shards_.emplace(*ranks_, learner.parameters, textbook::OwnersOf(sizes, ranks_->world()));
  return shards_->own();
}

// Without state.
void TrainingRun::GiveOptimizers() {
  for (Learner& learner : learners_) {
    learner.optimizer.reset();
    learner.optimizer = MakeOptimizer(settings_, ShareState(learner));
    learner.state_tagged = false;
  }
}

// Of all parameters, whoever updates them: torch::optim::Optimizer::zero_grad knows its own only.
void TrainingRun::ForgetGradients(const Learner& learner, bool set_to_none) {
  for (at::Tensor parameter : learner.parameters) {
    if (!parameter.mutable_grad().defined()) continue;
    if (set_to_none) {
      parameter.mutable_grad().reset();
    } else {
      parameter.mutable_grad().detach_().zero_();
    }
  }
}

void TrainingRun::MakeScaler() {
  if (!networks::ScalesLoss(settings_)) return scaler_.reset();
  if (!scaler_ || scaler_->scaling() != settings_.loss_scaling) scaler_.emplace(settings_.loss_scaling);
}

// The L0 norm counts what is not 0, without a tensor as large as the gradient.
void TrainingRun::TellVanishedGradients(const Learner& learner, int64_t step) const {
  at::Tensor alive = at::zeros({}, at::dtype(at::kFloat).device(device_));
  int64_t values = 0;
  for (const at::Tensor& parameter : learner.parameters) {
    if (!parameter.grad().defined()) continue;
    alive += at::linalg_vector_norm(parameter.grad(), 0, {}, false, at::kFloat);
    values += parameter.numel();
  }
  if (sharded_) {
    ranks_->Sum(alive);
    values = network_.parameters();  // without what pads shards
  }
  if (pipeline_) {
    ranks_->Sum(alive);
    values = static_cast<int64_t>(pipeline_->Sum(static_cast<double>(values)));
  }
  if (values > 0)
    EmitMetric("vanished gradients", 1 - alive.item<float>() / static_cast<double>(values), step);
}

double TrainingRun::Clip(const Learner& learner) const {
  if (sharded_) return ClipNormOfAll(*ranks_, learner.parameters, {}, settings_.clip_norm);
  if (pipeline_) {
    const bool counts_elsewhere = network_.passage.shared_with < ranks_->rank();
    return ClipNormOfAll(*ranks_, learner.parameters, counts_elsewhere ? WeightShared() : at::Tensor(),
                         settings_.clip_norm);
  }
  return torch::nn::utils::clip_grad_norm_(learner.parameters, settings_.clip_norm);
}

void TrainingRun::Update(Learner& learner, int64_t step) {
  if (scaler_) scaler_->Unscale(learner.parameters);
  if (scaler_ && (sharded_ || pipeline_)) scaler_->ShareWith(*ranks_);
  if (settings_.clip_norm > 0) EmitMetric("gradient norm", Clip(learner), step);
  const bool skip = scaler_ && scaler_->FoundInfinity();
  if (!skip) {
    const capture::OptimizerStepScope scope;
    learner.optimizer->step();
  }
  if (!skip && shards_) shards_->Share();
  if (!skip && sharded_) sharded_->ShareUpdates();
  if (!skip && !std::exchange(learner.state_tagged, true))
    TagOptimizerState(*learner.optimizer, sharded_ ? sharded_->tags() : model_->tags());
  if (skip) EmitMetric("skipped", 1, step);
  if (!scaler_ || &learner != &learners_.back()) return;
  // Of two against each other, one scale for both.
  scaler_->Update();
  EmitMetric("loss scale", scaler_->scale(), step);
}

}  // namespace tidemark::training
