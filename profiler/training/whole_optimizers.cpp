#include "profiler/training/whole_optimizers.h"

#include <ATen/Functions.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include <cmath>
#include <utility>

#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/torch/tensor_tags.h"

namespace tidemark::training {
namespace {

using networks::OptimizerKind;
using Tensors = std::vector<at::Tensor>;
using torch::optim::Optimizer;

// The parameters that have a gradient, these, and their states, made where there are none yet.
template <typename State>
struct Due {
  Tensors parameters;
  Tensors gradients;
  std::vector<State*> states;

  template <typename Choose>
  Tensors Of(Choose choose) const {
    Tensors tensors;
    for (State* state : states) tensors.push_back(choose(*state));
    return tensors;
  }
};

template <typename State>
Due<State> DueOf(Optimizer& optimizer) {
  Due<State> due;
  for (const at::Tensor& parameter : optimizer.param_groups().front().params()) {
    if (!parameter.grad().defined()) continue;
    due.parameters.push_back(parameter);
    due.gradients.push_back(parameter.grad());
    auto& state = optimizer.state()[parameter.unsafeGetTensorImpl()];
    if (state == nullptr) state = std::make_unique<State>();
    due.states.push_back(static_cast<State*>(state.get()));
  }
  return due;
}

// What fused kernels want: the steps that were done, on the device.
class StepCounters {
 public:
  const Tensors& Advance(const Tensors& parameters) {
    if (counters_.size() != parameters.size()) {
      counters_.clear();
      for (const at::Tensor& parameter : parameters) {
        counters_.push_back(at::zeros({}, at::dtype(at::kFloat).device(parameter.device())));
        capture::Tag(counters_.back(), events::Category::kOptimizerState, capture::Intern("steps done"));
      }
    }
    at::_foreach_add_(counters_, 1);
    return counters_;
  }

 private:
  Tensors counters_;
};

// Adam, and AdamW, which shrinks the weights themselves.
template <typename Base, typename State, typename Options, bool kShrinks>
class Moments final : public Base {
 public:
  Moments(const Tensors& parameters, const Options& options, bool fused)
      : Base(parameters, options), fused_(fused) {}

  at::Tensor step(Optimizer::LossClosure /*closure*/ = nullptr) override {
    const at::NoGradGuard no_grad;
    const Due<State> due = DueOf<State>(*this);
    for (size_t index = 0; index < due.states.size(); ++index) {
      State& state = *due.states[index];
      state.step(state.step() + 1);
      if (state.exp_avg().defined()) continue;
      state.exp_avg(at::zeros_like(due.parameters[index]));
      state.exp_avg_sq(at::zeros_like(due.parameters[index]));
    }
    if (due.states.empty()) return {};
    const Tensors means = due.Of([](State& state) { return state.exp_avg(); });
    const Tensors squares = due.Of([](State& state) { return state.exp_avg_sq(); });
    const auto& options = static_cast<const Options&>(this->param_groups().front().options());
    if (fused_) {
      StepFused(due, means, squares, options);
    } else {
      StepForeach(due, means, squares, options);
    }
    return {};
  }

 private:
  static void StepForeach(const Due<State>& due, const Tensors& means, const Tensors& squares,
                          const Options& options) {
    const auto [beta1, beta2] = options.betas();
    const auto step = static_cast<double>(due.states.front()->step());
    if (kShrinks) at::_foreach_mul_(due.parameters, 1 - options.lr() * options.weight_decay());
    at::_foreach_lerp_(means, due.gradients, 1 - beta1);
    at::_foreach_mul_(squares, beta2);
    at::_foreach_addcmul_(squares, due.gradients, due.gradients, 1 - beta2);
    const Tensors roots = at::_foreach_sqrt(squares);
    at::_foreach_div_(roots, std::sqrt(1 - std::pow(beta2, step)));
    at::_foreach_add_(roots, options.eps());
    at::_foreach_addcdiv_(due.parameters, means, roots, -options.lr() / (1 - std::pow(beta1, step)));
  }

  void StepFused(const Due<State>& due, const Tensors& means, const Tensors& squares,
                 const Options& options) {
    const auto [beta1, beta2] = options.betas();
    const auto fused = [&](auto* kernel) {
      kernel(due.parameters, due.gradients, means, squares, {}, counters_.Advance(due.parameters),
             options.lr(), beta1, beta2, options.weight_decay(), options.eps(), /*amsgrad=*/false,
             /*maximize=*/false, {}, {});
    };
    using Kernel = void(at::TensorList, at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                        at::TensorList, double, double, double, double, double, bool, bool,
                        const std::optional<at::Tensor>&, const std::optional<at::Tensor>&);
    fused(kShrinks ? static_cast<Kernel*>(at::_fused_adamw_) : static_cast<Kernel*>(at::_fused_adam_));
  }

  bool fused_;
  StepCounters counters_;
};

class Descent final : public torch::optim::SGD {
 public:
  Descent(const Tensors& parameters, const torch::optim::SGDOptions& options, bool fused)
      : SGD(parameters, options), fused_(fused) {}

  at::Tensor step(LossClosure /*closure*/ = nullptr) override {
    using State = torch::optim::SGDParamState;
    const at::NoGradGuard no_grad;
    const Due<State> due = DueOf<State>(*this);
    if (due.states.empty()) return {};
    const auto& options = static_cast<const torch::optim::SGDOptions&>(param_groups().front().options());
    const bool is_first = !due.states.front()->momentum_buffer().defined();
    if (options.momentum() != 0 && is_first) {
      for (size_t index = 0; index < due.states.size(); ++index) {
        // The first momentum is the gradient; the fused kernel writes it.
        const at::Tensor& gradient = due.gradients[index];
        due.states[index]->momentum_buffer(fused_ ? at::empty_like(gradient) : gradient.clone());
      }
    }
    const Tensors momenta =
        options.momentum() == 0 ? Tensors{} : due.Of([](State& state) { return state.momentum_buffer(); });
    if (fused_) {
      at::_fused_sgd_(due.parameters, due.gradients, momenta, options.weight_decay(), options.momentum(),
                      options.lr(), options.dampening(), options.nesterov(), /*maximize=*/false, is_first);
      return {};
    }
    if (!momenta.empty() && !is_first) {
      at::_foreach_mul_(momenta, options.momentum());
      at::_foreach_add_(momenta, due.gradients, 1);
    }
    at::_foreach_add_(due.parameters, momenta.empty() ? due.gradients : momenta, -options.lr());
    return {};
  }

 private:
  bool fused_;
};

class SquaresSum final : public torch::optim::Adagrad {
 public:
  SquaresSum(const Tensors& parameters, const torch::optim::AdagradOptions& options, bool fused)
      : Adagrad(parameters, options), fused_(fused) {}

  at::Tensor step(LossClosure /*closure*/ = nullptr) override {
    using State = torch::optim::AdagradParamState;
    const at::NoGradGuard no_grad;
    const Due<State> due = DueOf<State>(*this);
    if (due.states.empty()) return {};
    const auto& options = static_cast<const torch::optim::AdagradOptions&>(param_groups().front().options());
    const Tensors sums = due.Of([](State& state) { return state.sum(); });
    if (fused_) {
      at::_fused_adagrad_(due.parameters, due.gradients, sums, counters_.Advance(due.parameters),
                          options.lr(), options.lr_decay(), options.weight_decay(), options.eps(),
                          /*maximize=*/false);
      return {};
    }
    const Tensors steps = at::_foreach_mul(due.gradients, -options.lr());
    at::_foreach_addcmul_(sums, due.gradients, due.gradients, 1);
    const Tensors roots = at::_foreach_sqrt(sums);
    at::_foreach_add_(roots, options.eps());
    at::_foreach_addcdiv_(due.parameters, steps, roots);
    return {};
  }

 private:
  bool fused_;
  StepCounters counters_;
};

class SquaresMean final : public torch::optim::RMSprop {
 public:
  SquaresMean(const Tensors& parameters, const torch::optim::RMSpropOptions& options)
      : RMSprop(parameters, options) {}

  at::Tensor step(LossClosure /*closure*/ = nullptr) override {
    using State = torch::optim::RMSpropParamState;
    const at::NoGradGuard no_grad;
    const Due<State> due = DueOf<State>(*this);
    for (size_t index = 0; index < due.states.size(); ++index) {
      State& state = *due.states[index];
      if (!state.square_avg().defined()) state.square_avg(at::zeros_like(due.parameters[index]));
    }
    if (due.states.empty()) return {};
    const auto& options = static_cast<const torch::optim::RMSpropOptions&>(param_groups().front().options());
    const Tensors squares = due.Of([](State& state) { return state.square_avg(); });
    at::_foreach_mul_(squares, options.alpha());
    at::_foreach_addcmul_(squares, due.gradients, due.gradients, 1 - options.alpha());
    const Tensors roots = at::_foreach_sqrt(squares);
    at::_foreach_add_(roots, options.eps());
    at::_foreach_addcdiv_(due.parameters, due.gradients, roots, -options.lr());
    return {};
  }
};

}  // namespace

std::unique_ptr<Optimizer> MakeWholeOptimizer(OptimizerKind kind,
                                              networks::OptimizerImplementation implementation,
                                              const Tensors& parameters, double learning_rate,
                                              double momentum) {
  using namespace torch::optim;
  const bool fused = implementation == networks::OptimizerImplementation::kFused;
  switch (kind) {
    case OptimizerKind::kSgd:
      return std::make_unique<Descent>(parameters, SGDOptions(learning_rate), fused);
    case OptimizerKind::kMomentum:
      return std::make_unique<Descent>(parameters, SGDOptions(learning_rate).momentum(momentum), fused);
    case OptimizerKind::kAdam:
      return std::make_unique<Moments<Adam, AdamParamState, AdamOptions, false>>(
          parameters, AdamOptions(learning_rate), fused);
    case OptimizerKind::kAdamW:
      return std::make_unique<Moments<AdamW, AdamWParamState, AdamWOptions, true>>(
          parameters, AdamWOptions(learning_rate), fused);
    case OptimizerKind::kAdagrad:
      return std::make_unique<SquaresSum>(parameters, AdagradOptions(learning_rate), fused);
    case OptimizerKind::kRmsprop:
      return std::make_unique<SquaresMean>(parameters, RMSpropOptions(learning_rate));
  }
  return nullptr;
}

}  // namespace tidemark::training
