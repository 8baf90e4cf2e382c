#include "profiler/training/training_run.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <deque>
#include <utility>
#include <vector>

#include "profiler/capture/operators/context.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/torch/autocast_copies.h"
#include "profiler/capture/torch/layer_scope.h"
#include "profiler/capture/torch/saved_tensors.h"
#include "profiler/networks/pipeline_stages.h"
#include "profiler/textbook/pipeline.h"
#include "profiler/training/optimizer.h"
#include "profiler/training/structure_events.h"

namespace tidemark::training {

using capture::Intern;
using events::Category;
using events::Phase;
using networks::EffectiveLearningRate;
using networks::Pass;
using networks::Precision;
using networks::TrainingSettings;

struct TrainingRun::Batch {
  at::Tensor samples;
  at::Tensor labels;
  capture::KeptTag samples_tag{samples, Category::kInput, Intern("input")};
  capture::KeptTag labels_tag{labels, Category::kInput, Intern("labels")};
};

namespace {

Model::Form FormOf(const TrainingSettings& settings) {
  return {settings.amp == Precision::kPureFloat16, settings.channels_last};
}

at::ScalarType SampleType(const TrainingSettings& settings) {
  return settings.amp == Precision::kPureFloat16 ? at::kHalf : at::kFloat;
}

// Stages of ZeRO in which parameters lie otherwise; the first stage is one of their optimizer alone.
networks::ZeroStage SharingOf(const TrainingSettings& settings) {
  return networks::SharesGradients(settings) ? settings.zero : networks::ZeroStage::kOff;
}

// What decides where a pipeline cuts; nothing without one. Its schedule may change from step to step.
std::optional<networks::StageBalance> SplitOf(const TrainingSettings& settings) {
  if (!networks::UsesPipeline(settings)) return std::nullopt;
  return settings.split;
}

int RankOf(const RankGroup* ranks) { return ranks == nullptr ? 0 : ranks->rank(); }

}  // namespace

TrainingRun::TrainingRun(const networks::Network& network, const TrainingSettings& settings, Samples& samples,
                         c10::Device device, const RankGroup* ranks)
    : settings_(settings),
      device_(device),
      network_(textbook::StageOf(network, settings, RankOf(ranks)).value_or(network)),
      samples_(samples),
      ranks_(ranks) {
  at::manual_seed(settings.seed);
  const bool in_stages = networks::UsesPipeline(settings);
  if (in_stages && samples.filled())
    PassOver(network, networks::StagesOf(network, settings)[static_cast<size_t>(RankOf(ranks))].first);
  if (networks::SharesGradients(settings)) sharded_.emplace(*ranks_, networks::SharesParameters(settings));
  model_ = std::make_unique<Model>(network_, device, FormOf(settings), samples.filled(),
                                   sharded_ ? &*sharded_ : nullptr);
  if (in_stages) {
    JoinStages();
  } else {
    JoinRanks();
  }
  MakeLearners();
  ChooseKernels();
  MakeScaler();
  ArrangeModel();
}

TrainingRun::~TrainingRun() = default;

// As DistributedDataParallel begins: rank 0's parameters and buffers are everyone's.
void TrainingRun::JoinRanks() {
  if (ranks_ == nullptr) return;
  std::vector<at::Tensor> shared = model_->buffers();
  if (!sharded_) shared.insert(shared.begin(), model_->parameters().begin(), model_->parameters().end());
  ranks_->ShareFromRank0(shared);
  if (!sharded_) reducer_ = std::make_unique<GradientReducer>(*ranks_, model_->parameters());
}

void TrainingRun::JoinStages() {
  pipeline_.emplace(*ranks_, network_, device_);
  if (const at::Tensor shared = WeightShared(); shared.defined()) pipeline_->ShareValues(shared);
}

// The one that another stage has, too; undefined if there is none.
at::Tensor TrainingRun::WeightShared() const {
  const size_t layer = network_.passage.shared_layer;
  if (layer == networks::kNetworkInput) return {};
  return model_->ParametersOf(layer, layer + 1).front();
}

void TrainingRun::MakeLearners() {
  const size_t discriminator = network_.discriminator;
  const size_t end = network_.layers.size();
  if (discriminator == 0) {
    learners_.push_back({nullptr, {Aim::kClassify}, sharded_ ? sharded_->shards() : model_->parameters()});
  } else {
    learners_.push_back(
        {"discriminator's loss", {Aim::kTellReal, Aim::kTellMade}, model_->ParametersOf(discriminator, end)});
    learners_.push_back({"generator's loss", {Aim::kDeceive}, model_->ParametersOf(0, discriminator)});
  }
  GiveOptimizers();
}

// oneDNN computes float16 convolutions' gradients on the CPU by reference code, LibTorch's own code is 20
// times as fast (2.11, measured on a CPU that has float16 instructions).
void TrainingRun::ChooseKernels() const {
  const bool half = settings_.amp == Precision::kFloat16 || settings_.amp == Precision::kPureFloat16;
  if (device_.is_cpu()) at::globalContext().setUserEnabledMkldnn(!half);
}

void TrainingRun::ArrangeModel() {
  pieces_ = textbook::PlanCheckpoints(network_, settings_).pieces;
  model_->SetTraining(settings_.pass == Pass::kTrain);
  model_->SetInPlace(settings_.in_place_relu);
  if (!settings_.keep_losses) kept_losses_.reset();
  if (settings_.pass == Pass::kTrain) return;
  for (const Learner& learner : learners_) ForgetGradients(learner, /*set_to_none=*/true);
}

bool TrainingRun::NeedsNewRun(const TrainingSettings& settings) const {
  return settings.network != settings_.network || settings.ranks != settings_.ranks ||
         SplitOf(settings) != SplitOf(settings_) || SharingOf(settings) != SharingOf(settings_) ||
         settings.seed != settings_.seed || settings.data != settings_.data ||
         FormOf(settings) != FormOf(settings_);
}

void TrainingRun::Change(const TrainingSettings& settings) {
  const TrainingSettings before = std::exchange(settings_, settings);
  const double learning_rate = EffectiveLearningRate(settings);
  if (before.optimizer != settings.optimizer || before.zero != settings.zero ||
      before.optimizer_implementation != settings.optimizer_implementation) {
    GiveOptimizers();
  } else if (EffectiveLearningRate(before) != learning_rate) {
    for (const Learner& learner : learners_) SetLearningRate(*learner.optimizer, learning_rate);
  }
  ChooseKernels();
  MakeScaler();
  ArrangeModel();
}

// Copies even where the device is the CPU.
at::Tensor TrainingRun::CopyToDevice(void* values, const networks::SampleShape& shape, at::ScalarType from,
                                     at::ScalarType to) const {
  std::vector<int64_t> sizes{settings_.batch};
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  const bool channels_last = settings_.channels_last && sizes.size() == 4;
  const auto format = channels_last ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
  at::Tensor host_copy = at::from_blob(values, sizes, at::dtype(from));
  // A GPU would turn it around, and into another type, in a second copy.
  if (device_.is_cuda()) host_copy = host_copy.to(to).contiguous(format);
  const capture::BirthScope birth(Category::kInput, 0);
  at::Tensor copied = at::empty(sizes, at::dtype(to).device(device_), format);
  copied.copy_(host_copy);
  return copied;
}

TrainingRun::Batch TrainingRun::SamplesFor(Aim aim) {
  const auto use = settings_.pass == Pass::kTrain ? Samples::Use::kTraining : Samples::Use::kEvaluation;
  const Samples::Batch host = ranks_ == nullptr || pipeline_
                                  ? samples_.Next(settings_.batch, use)
                                  : samples_.NextShare(settings_.batch, ranks_->rank(), ranks_->world(), use);
  const bool tokens = network_.vocabulary > 0;
  at::Tensor samples;  // of a pipeline the first stage needs them, and the last one the labels
  if (!network_.passage.receives) {
    samples = CopyToDevice(host.values, network_.sample(), tokens ? at::kLong : at::kFloat,
                           tokens ? at::kLong : SampleType(settings_));
  }
  if (network_.passage.sends) return {std::move(samples), {}};
  at::Tensor labels = aim == Aim::kTellReal
                          ? Verdicts(1)
                          : CopyToDevice(host.labels, network_.labels(), at::kLong, at::kLong);
  return {std::move(samples), std::move(labels)};
}

at::Tensor TrainingRun::Verdicts(double real) const {
  const capture::BirthScope birth(Category::kInput, 0);
  return at::full({settings_.batch, 1}, real, at::dtype(SampleType(settings_)).device(device_));
}

// What a generator makes samples of, and what the discriminator is to say of them.
TrainingRun::Batch TrainingRun::Noise(double real) const {
  std::vector<int64_t> sizes{settings_.batch};
  sizes.insert(sizes.end(), network_.input.begin(), network_.input.end());
  const capture::BirthScope birth(Category::kInput, 0);
  at::Tensor noise = at::randn(sizes, at::dtype(SampleType(settings_)).device(device_));
  return {std::move(noise), Verdicts(real)};
}

TrainingRun::Batch TrainingRun::BatchFor(Aim aim) {
  switch (aim) {
    case Aim::kTellMade:
      return Noise(0);
    case Aim::kDeceive:
      return Noise(1);
    case Aim::kClassify:
    case Aim::kTellReal:
      break;
  }
  return SamplesFor(aim);
}

at::Tensor TrainingRun::Scores(Aim aim, const at::Tensor& samples) {
  switch (aim) {
    case Aim::kTellReal:
      return model_->Judge(samples, pieces_);
    case Aim::kTellMade: {
      const at::Tensor made = model_->Generate(samples);
      capture::ForgetOutputs();
      return model_->Judge(made, pieces_);
    }
    case Aim::kClassify:
    case Aim::kDeceive:
      break;
  }
  return model_->Forward(samples, pieces_);
}

// Of a pipeline's stage what goes on; only the last one has a loss.
at::Tensor TrainingRun::Loss(Aim aim, const Batch& batch, const at::Tensor& samples) {
  static const events::NameId layer = Intern("loss");
  static const events::NameId saved = Intern("log-probabilities");
  static const events::NameId saved_scalar = Intern("total weight of the classes");
  std::optional<capture::AutocastScope> autocast;
  if (networks::UsesAutocast(settings_)) {
    autocast.emplace(device_.type(), settings_.amp == Precision::kFloat16 ? at::kHalf : at::kBFloat16);
  }
  at::Tensor scores = Scores(aim, samples);
  if (network_.passage.sends) return scores;
  const capture::LayerScope scope(layer, saved, saved_scalar);
  if (aim != Aim::kClassify) {
    return at::binary_cross_entropy_with_logits(scores, batch.labels).div(settings_.accumulate);
  }
  // A sequence's scores are [batch, tokens, classes]: each token is a sample to the loss.
  const bool by_token = network_.labels().size() == 1;
  if (by_token) scores = scores.flatten(0, 1);
  return at::cross_entropy_loss(scores, by_token ? batch.labels.flatten() : batch.labels)
      .div(settings_.accumulate);
}

// The bug: the sum holds every loss that went into it, and each of those its graph.
void TrainingRun::Keep(const at::Tensor& loss) {
  if (settings_.keep_losses) kept_losses_ = kept_losses_.defined() ? kept_losses_ + loss : loss;
}

void TrainingRun::Count(const at::Tensor& loss) {
  Keep(loss);
  last_loss_ += loss.item<float>();
}

// Gradients add up on each rank until the last micro-batch (DistributedDataParallel.no_sync).
bool TrainingRun::Reduces(int64_t micro_batch) const {
  return reducer_ && micro_batch == settings_.accumulate - 1;
}

void TrainingRun::TrainMicroBatch(const Learner& learner, int64_t number) {
  EmitNumbered(events::EventKind::kMicroBatchBegin, number);
  for (const Aim aim : learner.aims) {
    EmitPhase(Phase::kForward);
    const Batch batch = BatchFor(aim);
    if (Reduces(number)) reducer_->BeginForward();
    const at::Tensor loss = Loss(aim, batch, batch.samples);
    if (Reduces(number)) reducer_->EndForward();
    capture::ForgetOutputs();
    EmitPhase(Phase::kBackward);
    (scaler_ ? scaler_->Scale(loss) : loss).backward();
    if (sharded_) sharded_->EndBackward();
    Count(loss);
  }
}

void TrainingRun::EvaluateMicroBatch(int64_t number) {
  EmitNumbered(events::EventKind::kMicroBatchBegin, number);
  const Aim aim = learners_.back().aims.back();
  const Batch batch = BatchFor(aim);
  const at::Tensor loss = Loss(aim, batch, batch.samples);
  capture::ForgetOutputs();
  Count(loss);
}

void TrainingRun::PassThroughStage() {
  const bool trains = settings_.pass == Pass::kTrain;
  if (scaler_) scaler_->Prepare(device_);
  std::deque<std::unique_ptr<const Batch>> batches;  // in flight
  int64_t number = 0;
  const auto forward = [&](const at::Tensor& received) {
    EmitNumbered(events::EventKind::kMicroBatchBegin, number++);
    EmitPhase(trains ? Phase::kForward : Phase::kEvaluation);
    const Batch& batch = *batches.emplace_back(new Batch(SamplesFor(Aim::kClassify)));
    at::Tensor result = Loss(Aim::kClassify, batch, received.defined() ? received : batch.samples);
    capture::ForgetOutputs();
    if (!trains) batches.pop_front();
    if (!trains && !network_.passage.sends) Count(result);
    return result;
  };
  const auto backward = [&](const at::Tensor& result, const at::Tensor& gradient) {
    EmitPhase(Phase::kBackward);
    (scaler_ && !gradient.defined() ? scaler_->Scale(result) : result).backward(gradient);
    if (!gradient.defined()) Count(result);
    batches.pop_front();
  };
  pipeline_->Run(settings_, {forward, backward});
  if (const at::Tensor shared = WeightShared(); trains && shared.defined()) pipeline_->ShareGradient(shared);
  last_loss_ = pipeline_->Sum(last_loss_);
}

void TrainingRun::Step(int64_t number) {
  EmitNumbered(events::EventKind::kStepBegin, number);
  last_loss_ = 0;
  if (settings_.pass == Pass::kTrain) {
    for (Learner& learner : learners_) TakeTurn(learner, number);
  } else {
    Evaluate();
  }
  EmitMetric("loss", last_loss_, number);
  EmitNumbered(events::EventKind::kStepEnd, number);
  EmitPhase(Phase::kIdle);
  if (settings_.empty_cache && device_.is_cuda()) c10::cuda::CUDACachingAllocator::emptyCache();
}

void TrainingRun::TakeTurn(Learner& learner, int64_t step) {
  EmitPhase(Phase::kIdle);  // until a micro-batch's forward begins
  ForgetGradients(learner, /*set_to_none=*/!settings_.zeroed_gradients);
  const double loss_before = last_loss_;
  if (pipeline_) {
    PassThroughStage();
  } else {
    for (int micro_batch = 0; micro_batch < settings_.accumulate; ++micro_batch)
      TrainMicroBatch(learner, micro_batch);
  }
  if (learner.metric != nullptr) EmitMetric(learner.metric, last_loss_ - loss_before, step);
  EmitPhase(Phase::kOptimizer);
  if (settings_.amp == Precision::kPureFloat16) TellVanishedGradients(learner, step);
  Update(learner, step);
}

void TrainingRun::Evaluate() {
  EmitPhase(Phase::kEvaluation);
  const at::AutoGradMode builds_graph(settings_.pass == Pass::kForward);
  if (pipeline_) return PassThroughStage();
  for (int micro_batch = 0; micro_batch < settings_.accumulate; ++micro_batch)
    EvaluateMicroBatch(micro_batch);
}

void ReleaseDeviceMemory(c10::Device device) {
  if (!device.is_cuda()) return;
  at::cuda::clearCublasWorkspaces();
  c10::cuda::CUDACachingAllocator::emptyCache();
}

}  // namespace tidemark::training
