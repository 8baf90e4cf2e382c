// A network as LibTorch modules, built from its specification or loaded from a TorchScript file, with its
// memory tagged. One thread builds and runs it; checkpointed pieces also run on the backward thread, while
// the first waits.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/capture/torch/tensor_tags.h"
#include "profiler/networks/specification.h"
#include "profiler/textbook/checkpoint_plan.h"
#include "profiler/training/distributed/sharded_layers.h"
#include "profiler/training/layers.h"
#include "profiler/training/scripted_module.h"

namespace tidemark::training {

class Model {
 public:
  // How its memory lies, from the beginning to the end.
  struct Form {
    bool half = false;           // model.half()
    bool channels_last = false;  // model.to(memory_format=torch.channels_last)
    bool operator==(const Form&) const = default;
  };
  // Parameters are made on the CPU and moved, as model.to(device) does. The random generator decides their
  // values; without `drawn` they are whatever lies there. `sharded` takes each layer's parameters over as
  // soon as they are moved, and outlives this; null where every rank has its own.
  Model(const networks::Network& network, c10::Device device, const Form& form, bool drawn,
        ShardedLayers* sharded = nullptr);

  // Without pieces nothing is checkpointed.
  at::Tensor Forward(const at::Tensor& input, const std::vector<textbook::CheckpointPiece>& pieces);

  // Of two networks: what the generator makes of noise, under no_grad; and what the discriminator says of
  // samples.
  at::Tensor Generate(const at::Tensor& noise);
  at::Tensor Judge(const at::Tensor& samples, const std::vector<textbook::CheckpointPiece>& pieces);

  // model.train(), model.eval().
  void SetTraining(bool training);
  // ReLUs write over their inputs where they may.
  void SetInPlace(bool in_place) { in_place_ = in_place; }

  // In the order of registration, as optimizers take them.
  const std::vector<at::Tensor>& parameters() const { return parameters_; }
  std::vector<at::Tensor> buffers() const;
  std::vector<at::Tensor> ParametersOf(size_t first_layer, size_t end_layer) const;
  const std::deque<capture::ParameterTag>& tags() const { return tags_; }  // in the same order

 private:
  struct NamesOfLayer {
    events::NameId layer = 0;
    events::NameId output = 0;  // "conv1 output"
    events::NameId saved = 0;   // what its operators save that is not its input
  };
  // Layers [first, end); what goes in and comes out is in the order of `borders`.
  struct Piece {
    size_t first = 0;
    size_t end = 0;
    networks::Borders borders;
    bool runs_again = false;
  };
  void TagScript();
  at::Tensor RunScript(const at::Tensor& input);
  void AddLayer(const networks::Layer& specification);
  void Put(c10::Device device, const Form& form);
  const std::string& OwnerOfWeights(size_t layer) const;
  void TagMemory();
  std::vector<size_t> LastUses(const Piece& piece) const;
  std::vector<at::Tensor> Run(const Piece& piece, const std::vector<at::Tensor>& inputs);
  at::Tensor RunLayer(size_t index, const std::vector<at::Tensor>& arguments);
  at::Tensor Compute(size_t index, const std::vector<at::Tensor>& arguments);
  // From a layer on to the last; `input` is what the layer before gives.
  at::Tensor RunFrom(size_t first, const at::Tensor& input,
                     const std::vector<textbook::CheckpointPiece>& pieces);
  at::Tensor RunInPieces(const std::vector<textbook::CheckpointPiece>& parts, const at::Tensor& input);

  networks::Network network_;
  ShardedLayers* sharded_;
  std::shared_ptr<torch::nn::Module> root_;
  std::optional<ScriptedModule> script_;  // in place of layers
  bool in_place_ = false;
  std::vector<BuiltLayer> layers_;  // as in network_
  std::vector<NamesOfLayer> names_;
  std::vector<at::Tensor> parameters_;
  std::deque<capture::ParameterTag> tags_;
  std::deque<capture::KeptTag> buffer_tags_;
};

// Draws what the first layers of a network begin with, and lets it go: what is drawn behind them is then the
// same as in the whole network.
void PassOver(const networks::Network& network, size_t layers);

}  // namespace tidemark::training
