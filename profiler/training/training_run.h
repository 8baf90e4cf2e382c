// A network in training on one device: everything that a step needs and everything that takes memory. One
// thread runs it; LibTorch's backward thread takes part.
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
#include "profiler/training/gradient_scaler.h"
#include "profiler/training/model.h"
#include "profiler/training/synthetic_samples.h"

namespace tidemark::training {

class TrainingRun {
 public:
  // `settings` are valid; `network` is the one that they name, `samples` are made for it and outlive this,
  // and so does the group of as many ranks as they say; null of a single one.
  TrainingRun(const networks::Network& network, const networks::TrainingSettings& settings,
              SyntheticSamples& samples, c10::Device device, const RankGroup* ranks);
  ~TrainingRun();
  TrainingRun(const TrainingRun&) = delete;
  TrainingRun& operator=(const TrainingRun&) = delete;

  const networks::TrainingSettings& settings() const { return settings_; }

  // Whether only a new run can take them: another network or seed, or a model whose memory lies otherwise.
  bool NeedsNewRun(const networks::TrainingSettings& settings) const;
  // Between steps, of settings that need no new run; another optimizer starts without state.
  void Change(const networks::TrainingSettings& settings);

  // One optimizer step: the micro-batches' forward and backward passes, then the update. Events tell of all
  // of it.
  void Step(int64_t number);

  // The mean loss of the last step's samples; 0 where values read back mean nothing (a phantom).
  double last_loss() const { return last_loss_; }
  const Model& model() const { return *model_; }

 private:
  struct Batch;
  Batch CopyToDevice();
  at::Tensor Loss(const Batch& batch);
  bool Reduces(int64_t micro_batch) const;
  void TrainMicroBatch(int64_t number);
  void EvaluateMicroBatch(int64_t number);
  void Keep(const at::Tensor& loss);
  void Train(int64_t number);
  void Evaluate();
  void Update(int64_t step);
  void MakeScaler();
  void MakeOptimizerOfRank();
  void ForgetGradients(bool set_to_none);
  void ArrangeModel();
  void TellVanishedGradients(int64_t step) const;
  void ChooseKernels() const;

  networks::TrainingSettings settings_;
  c10::Device device_;
  networks::Network network_;
  SyntheticSamples& samples_;
  const RankGroup* ranks_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<GradientReducer> reducer_;  // where there are other ranks
  std::optional<ParameterShards> shards_;     // where they share the optimizer's state
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  std::optional<GradientScaler> scaler_;
  std::vector<textbook::CheckpointPiece> pieces_;
  at::Tensor kept_losses_;  // of all steps, with their graphs
  bool optimizer_state_tagged_ = false;
  double last_loss_ = 0;
};

// Frees what LibTorch keeps on the device beyond tensors: cuBLAS workspaces and cached blocks. No TrainingRun
// is alive.
void ReleaseDeviceMemory(c10::Device device);

}  // namespace tidemark::training
