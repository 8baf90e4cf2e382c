// A network in training on one device: everything that a step needs and everything that takes memory. One
// thread runs it; LibTorch's backward thread takes part.
//
// A generator and its discriminator take turns in a step, each with an optimizer of its own (Goodfellow et
// al., Generative Adversarial Nets, 2014): the discriminator learns from real samples, then from made ones,
// the generator then from what the discriminator says of what it makes. The graph through both is there in
// the generator's turn only: the samples that the discriminator learns from are made under no_grad.
//
// Where ranks are the stages of a pipeline (pipeline.h), this is one of them, with its layers only.
#pragma once

#include <torch/optim/optimizer.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"
#include "profiler/training/distributed/gradient_reducer.h"
#include "profiler/training/distributed/parameter_shards.h"
#include "profiler/training/distributed/rank_group.h"
#include "profiler/training/distributed/sharded_layers.h"
#include "profiler/training/gradient_scaler.h"
#include "profiler/training/model.h"
#include "profiler/training/pipeline.h"
#include "profiler/training/samples.h"

namespace tidemark::training {

class TrainingRun {
 public:
  // `settings` are valid; `network` is the one that they name, `samples` are made for it and outlive this,
  // and so does the group of as many ranks as they say; null of a single one. Ranks train no two networks
  // against each other.
  TrainingRun(const networks::Network& network, const networks::TrainingSettings& settings, Samples& samples,
              c10::Device device, const RankGroup* ranks);
  ~TrainingRun();
  TrainingRun(const TrainingRun&) = delete;
  TrainingRun& operator=(const TrainingRun&) = delete;

  const networks::TrainingSettings& settings() const { return settings_; }

  // Whether only a new run can take them: another network, data or seed, or a model whose memory lies
  // otherwise.
  bool NeedsNewRun(const networks::TrainingSettings& settings) const;
  // Between steps, of settings that need no new run; another optimizer starts without state.
  void Change(const networks::TrainingSettings& settings);

  // One optimizer step: the micro-batches' forward and backward passes, then the update. Events tell of all
  // of it.
  void Step(int64_t number);

  const Model& model() const { return *model_; }

 private:
  struct Batch;
  // What a pass through the network is to make better.
  enum class Aim : uint8_t { kClassify, kTellReal, kTellMade, kDeceive };
  // Who takes a turn in a step: the network as a whole, or one of two.
  struct Learner {
    const char* metric = nullptr;        // what its own loss is called; null where it is the only one
    std::vector<Aim> aims;               // of a micro-batch, each with a backward of its own
    std::vector<at::Tensor> parameters;  // or this rank's shards of them: what has gradients after backward
    std::unique_ptr<torch::optim::Optimizer> optimizer{};
    bool state_tagged = false;
  };
  void JoinRanks();
  void JoinStages();
  void MakeLearners();
  void GiveOptimizers();
  Batch BatchFor(Aim aim);
  at::Tensor CopyToDevice(void* values, const networks::SampleShape& shape, at::ScalarType from,
                          at::ScalarType to) const;
  Batch SamplesFor(Aim aim);
  at::Tensor Verdicts(double real) const;
  Batch Noise(double real) const;
  at::Tensor Scores(Aim aim, const at::Tensor& samples);
  at::Tensor Loss(Aim aim, const Batch& batch, const at::Tensor& samples);
  bool Reduces(int64_t micro_batch) const;
  void TrainMicroBatch(const Learner& learner, int64_t number);
  void EvaluateMicroBatch(int64_t number);
  void PassThroughStage();
  void Count(const at::Tensor& loss);
  at::Tensor WeightShared() const;
  void Keep(const at::Tensor& loss);
  void TakeTurn(Learner& learner, int64_t step);
  void Evaluate();
  void Update(Learner& learner, int64_t step);
  void MakeScaler();
  double Clip(const Learner& learner) const;
  std::vector<at::Tensor> ShareState(const Learner& learner);
  static void ForgetGradients(const Learner& learner, bool set_to_none);
  void ArrangeModel();
  void TellVanishedGradients(const Learner& learner, int64_t step) const;
  void ChooseKernels() const;

  networks::TrainingSettings settings_;
  c10::Device device_;
  networks::Network network_;  // of a pipeline this rank's stage
  Samples& samples_;
  const RankGroup* ranks_;
  std::optional<ShardedLayers> sharded_;  // where ranks share gradients, too
  std::unique_ptr<Model> model_;
  std::optional<Pipeline> pipeline_;          // where ranks are stages
  std::unique_ptr<GradientReducer> reducer_;  // where there are other ranks, and each has all gradients
  std::optional<ParameterShards> shards_;     // where they share the optimizer's state
  std::vector<Learner> learners_;             // in the order of their turns
  std::optional<GradientScaler> scaler_;
  std::vector<textbook::CheckpointPiece> pieces_;
  at::Tensor kept_losses_;  // of all steps, with their graphs
  // The mean of the last step's samples; 0 where values read back mean nothing (a phantom).
  double last_loss_ = 0;
};

// Frees what LibTorch keeps on the device beyond tensors: cuBLAS workspaces and cached blocks. No TrainingRun
// is alive.
void ReleaseDeviceMemory(c10::Device device);

}  // namespace tidemark::training
