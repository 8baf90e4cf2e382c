// One layer of LibTorch for each kind of layer of a specification. One thread.
#pragma once

#include <torch/nn/module.h>

#include <functional>
#include <memory>
#include <vector>

#include "profiler/networks/layer.h"

namespace tidemark::training {

struct BuiltLayer {
  std::shared_ptr<torch::nn::Module>
      module;  // null where it has neither parameters nor a way of its own to evaluate
  std::function<at::Tensor(const std::vector<at::Tensor>&)> run;
  std::function<at::Tensor(const std::vector<at::Tensor>&)> run_in_place{};  // over its input; of some kinds
};

// `before`: the layers that it may share its weights with. The random generator decides the values of
// parameters.
BuiltLayer Build(const networks::Layer& layer, const std::vector<BuiltLayer>& before);

// What a layer saves beside its inputs and its result, for people: "mask" of dropout.
const char* NameOfSaved(networks::LayerKind kind);

}  // namespace tidemark::training
