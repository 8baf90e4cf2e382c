#include "profiler/training/checkpoint.h"

#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/grad_mode.h>

#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "profiler/base/check.h"
#include "profiler/capture/operators/context.h"
#include "profiler/capture/torch/autocast_copies.h"
#include "profiler/capture/torch/saved_tensors.h"
#include "profiler/training/random_state.h"

namespace tidemark::training {
namespace {

using capture::SavedTensor;
using torch::autograd::SavedVariableHooks;

// Ends the second run early; caught in Recompute and nowhere else.
struct NothingMoreIsNeeded {};

struct AutocastState {
  bool enabled = false;
  c10::ScalarType dtype = c10::ScalarType::Float;

  static AutocastState Current(c10::DeviceType device) {
    return {at::autocast::is_autocast_enabled(device), at::autocast::get_autocast_dtype(device)};
  }
};

class RestoredRandomState {
 public:
  RestoredRandomState(const RandomState& state, c10::Device device) : outer_(RandomState::Current(device)) {
    state.Restore();
  }
  ~RestoredRandomState() { outer_.Restore(); }
  RestoredRandomState(const RestoredRandomState&) = delete;
  RestoredRandomState& operator=(const RestoredRandomState&) = delete;

 private:
  RandomState outer_;
};

// What a piece starts from, again.
struct KeptInput {
  explicit KeptInput(const at::Tensor& input) : kept(input), requires_grad(input.requires_grad()) {}

  SavedTensor kept;
  bool requires_grad;
};

// One checkpointed run. It lives as long as one of its dropped tensors: until backward has passed.
class Checkpoint final : public capture::SavedTensorRedirection::Target,
                         public std::enable_shared_from_this<Checkpoint> {
 public:
  Checkpoint(Piece piece, const std::vector<at::Tensor>& inputs)
      : piece_(std::move(piece)),
        device_(inputs.front().device()),
        random_(RandomState::Current(device_)),
        autocast_(AutocastState::Current(device_.type())) {
    for (const at::Tensor& input : inputs) inputs_.emplace_back(input);
  }

  std::vector<at::Tensor> Run(const std::vector<at::Tensor>& inputs) {
    const capture::SavedTensorRedirection redirection(*this);
    return piece_(inputs);
  }

  std::unique_ptr<SavedVariableHooks> MakeHooks() override;

  size_t Drop() { return dropped_++; }

  void Keep(const at::Tensor& tensor) {
    remade_.push_back(std::make_unique<SavedTensor>(tensor));
    if (remade_.size() == dropped_) throw NothingMoreIsNeeded{};
  }

  at::Tensor Take(size_t slot) {
    if (!recomputed_) Recompute();
    TIDEMARK_CHECK(slot < remade_.size() && remade_[slot] != nullptr);
    at::Tensor tensor = remade_[slot]->tensor();
    return tensor;
  }

  void Forget(size_t slot) {
    if (slot < remade_.size()) remade_[slot].reset();
  }

 private:
  void Recompute();

  Piece piece_;
  std::deque<KeptInput> inputs_;
  c10::Device device_;
  RandomState random_;
  AutocastState autocast_;
  size_t dropped_ = 0;
  bool recomputed_ = false;
  std::vector<std::unique_ptr<SavedTensor>> remade_;  // by slot
};

// In place of a tensor that the first run would have saved.
class DroppedTensor final : public SavedVariableHooks {
 public:
  explicit DroppedTensor(std::shared_ptr<Checkpoint> checkpoint) : checkpoint_(std::move(checkpoint)) {}
  ~DroppedTensor() override { checkpoint_->Forget(slot_); }
  DroppedTensor(const DroppedTensor&) = delete;
  DroppedTensor& operator=(const DroppedTensor&) = delete;

  void call_pack_hook(const at::Tensor& /*tensor*/) override { slot_ = checkpoint_->Drop(); }
  at::Tensor call_unpack_hook() override { return checkpoint_->Take(slot_); }

 private:
  std::shared_ptr<Checkpoint> checkpoint_;
  size_t slot_ = 0;
};

// The second run saves the same tensors in the same order; its own graph is never used.
class RemadeTensor final : public SavedVariableHooks {
 public:
  explicit RemadeTensor(Checkpoint& checkpoint) : checkpoint_(checkpoint) {}
  void call_pack_hook(const at::Tensor& tensor) override { checkpoint_.Keep(tensor); }
  at::Tensor call_unpack_hook() override {
    TIDEMARK_CHECK(false);
    return {};
  }

 private:
  Checkpoint& checkpoint_;
};

class RemadeTensors final : public capture::SavedTensorRedirection::Target {
 public:
  explicit RemadeTensors(Checkpoint& checkpoint) : checkpoint_(checkpoint) {}
  std::unique_ptr<SavedVariableHooks> MakeHooks() override {
    return std::make_unique<RemadeTensor>(checkpoint_);
  }

 private:
  Checkpoint& checkpoint_;
};

std::unique_ptr<SavedVariableHooks> Checkpoint::MakeHooks() {
  return std::make_unique<DroppedTensor>(shared_from_this());
}

void Checkpoint::Recompute() {
  recomputed_ = true;
  const capture::RecomputeScope scope;
  const RestoredRandomState random(random_, device_);
  std::optional<capture::AutocastScope> autocast;
  if (autocast_.enabled) autocast.emplace(device_.type(), autocast_.dtype);
  const torch::autograd::AutoGradMode with_gradients(true);
  RemadeTensors remade(*this);
  const capture::SavedTensorRedirection redirection(remade);
  std::vector<at::Tensor> inputs;
  for (const KeptInput& input : inputs_) {
    inputs.push_back(input.kept.tensor().detach());
    inputs.back().requires_grad_(input.requires_grad);
  }
  try {
    piece_(inputs);
  } catch (const NothingMoreIsNeeded&) {  // as it should be
  }
  capture::ForgetOutputs();
  TIDEMARK_CHECK(remade_.size() == dropped_);
}

}  // namespace

std::vector<at::Tensor> RunCheckpointed(Piece piece, const std::vector<at::Tensor>& inputs) {
  const auto checkpoint = std::make_shared<Checkpoint>(std::move(piece), inputs);
  return checkpoint->Run(inputs);
}

}  // namespace tidemark::training
