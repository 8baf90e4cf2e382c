#include "profiler/training/training_run.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <torch/nn/utils/clip_grad.h>

#include <utility>
#include <vector>

#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/torch/autocast_copies.h"
#include "profiler/capture/torch/context.h"
#include "profiler/capture/torch/saved_tensors.h"
#include "profiler/training/optimizer.h"
#include "profiler/training/structure_events.h"

namespace tidemark::training {

using capture::Intern;
using events::Category;
using events::Phase;
using networks::Precision;
using networks::TrainingSettings;

struct TrainingRun::Batch {
  at::Tensor samples;
  at::Tensor labels;
  capture::KeptTag samples_tag{samples, Category::kInput, Intern("input")};
  capture::KeptTag labels_tag{labels, Category::kInput, Intern("labels")};
};

TrainingRun::TrainingRun(const networks::Network& network, const TrainingSettings& settings,
                         SyntheticSamples& samples, c10::Device device)
    : settings_(settings),
      device_(device),
      sample_shape_(network.input),
      label_shape_(network.labels()),
      takes_tokens_(network.vocabulary > 0),
      samples_(samples) {
  at::manual_seed(settings.seed);
  model_ = std::make_unique<Model>(network, device);
  optimizer_ = MakeOptimizer(settings.optimizer, model_->parameters(), settings.learning_rate);
  ChooseKernels();
  MakeScaler();
}

TrainingRun::~TrainingRun() = default;

// oneDNN computes float16 convolutions' gradients on the CPU by reference code, LibTorch's own code is 20
// times as fast (2.11, measured on a CPU that has float16 instructions).
void TrainingRun::ChooseKernels() const {
  if (device_.is_cpu()) at::globalContext().setUserEnabledMkldnn(settings_.amp != Precision::kFloat16);
}

void TrainingRun::MakeScaler() {
  const bool wanted = settings_.amp == Precision::kFloat16;
  if (wanted == scaler_.has_value()) return;
  scaler_.reset();
  if (wanted) scaler_.emplace();
}

void TrainingRun::Change(const TrainingSettings& settings) {
  const TrainingSettings before = std::exchange(settings_, settings);
  if (before.optimizer != settings.optimizer) {
    optimizer_.reset();
    optimizer_ = MakeOptimizer(settings.optimizer, model_->parameters(), settings.learning_rate);
    optimizer_state_tagged_ = false;
  } else if (before.learning_rate != settings.learning_rate) {
    SetLearningRate(*optimizer_, settings.learning_rate);
  }
  ChooseKernels();
  MakeScaler();
}

TrainingRun::Batch TrainingRun::CopyToDevice() {
  const SyntheticSamples::Batch host = samples_.Next(settings_.batch);
  // Copies even where the device is the CPU.
  const capture::BirthScope birth(Category::kInput, 0);
  const auto copy = [&](void* values, const networks::SampleShape& shape, at::ScalarType type) {
    std::vector<int64_t> sizes{settings_.batch};
    sizes.insert(sizes.end(), shape.begin(), shape.end());
    at::Tensor copied = at::empty(sizes, at::dtype(type).device(device_));
    copied.copy_(at::from_blob(values, sizes, at::dtype(type)));
    return copied;
  };
  at::Tensor samples = copy(host.values, sample_shape_, takes_tokens_ ? at::kLong : at::kFloat);
  at::Tensor labels = copy(host.labels, label_shape_, at::kLong);
  return {std::move(samples), std::move(labels)};
}

at::Tensor TrainingRun::Loss(const Batch& batch) {
  static const events::NameId layer = Intern("loss");
  static const events::NameId saved = Intern("log-probabilities");
  static const events::NameId saved_scalar = Intern("total weight of the classes");
  std::optional<capture::AutocastScope> autocast;
  if (settings_.amp != Precision::kFloat32) {
    autocast.emplace(device_.type(), settings_.amp == Precision::kFloat16 ? at::kHalf : at::kBFloat16);
  }
  at::Tensor scores = model_->Forward(batch.samples, settings_.checkpoint);
  const capture::LayerScope scope(layer, saved, saved_scalar);
  // A sequence's scores are [batch, tokens, classes]: each token is a sample to the loss.
  const bool by_token = label_shape_.size() == 1;
  if (by_token) scores = scores.flatten(0, 1);
  return at::cross_entropy_loss(scores, by_token ? batch.labels.flatten() : batch.labels)
      .div(settings_.accumulate);
}

void TrainingRun::RunMicroBatch(int64_t number) {
  EmitNumbered(events::EventKind::kMicroBatchBegin, number);
  EmitPhase(Phase::kForward);
  const Batch batch = CopyToDevice();
  const at::Tensor loss = Loss(batch);
  capture::ForgetOutputs();
  EmitPhase(Phase::kBackward);
  (scaler_ ? scaler_->Scale(loss) : loss).backward();
  capture::ForgetNodes();
  last_loss_ += loss.item<float>();
}

void TrainingRun::Step(int64_t number) {
  EmitNumbered(events::EventKind::kStepBegin, number);
  EmitPhase(Phase::kForward);
  last_loss_ = 0;
  optimizer_->zero_grad(/*set_to_none=*/true);
  for (int micro_batch = 0; micro_batch < settings_.accumulate; ++micro_batch) RunMicroBatch(micro_batch);
  EmitPhase(Phase::kOptimizer);
  Update(number);
  EmitMetric("loss", last_loss_, number);
  EmitNumbered(events::EventKind::kStepEnd, number);
  EmitPhase(Phase::kIdle);
}

void TrainingRun::Update(int64_t step) {
  if (scaler_) scaler_->Unscale(model_->parameters());
  if (settings_.clip_norm > 0) {
    const double norm = torch::nn::utils::clip_grad_norm_(model_->parameters(), settings_.clip_norm);
    EmitMetric("gradient norm", norm, step);
  }
  const bool skip = scaler_ && scaler_->FoundInfinity();
  if (!skip) optimizer_->step();
  if (!skip && !std::exchange(optimizer_state_tagged_, true)) TagOptimizerState(*optimizer_, model_->tags());
  if (!scaler_) return;
  scaler_->Update();
  EmitMetric("loss scale", scaler_->scale(), step);
  if (skip) EmitMetric("skipped", 1, step);
}

void ReleaseDeviceMemory(c10::Device device) {
  if (!device.is_cuda()) return;
  at::cuda::clearCublasWorkspaces();
  c10::cuda::CUDACachingAllocator::emptyCache();
}

}  // namespace tidemark::training
