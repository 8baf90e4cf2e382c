// What autograd keeps for backward. LibTorch asks its engine for hooks on every tensor that it saves
// (SavedVariable::get_default_hooks, Engine::get_default_saved_variable_hooks); ours notes the tensor and
// hands it back as it was. It changes no allocation.
//
// A block that is saved, once or more, is an activation, unless it is a parameter, the batch or one of
// autocast's copies; when its last saver lets go and somebody else still holds it, it is temporary again.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

#include <memory>

#include "profiler/events/event.h"

namespace tidemark::capture {

// Before the first backward and the first saved tensor of the process.
void InstallSavedTensorHooks();

// Holds a tensor as something that backward needs: an activation as long as this lives.
class SavedTensor {
 public:
  explicit SavedTensor(const at::Tensor& tensor);
  ~SavedTensor();
  SavedTensor(const SavedTensor&) = delete;
  SavedTensor& operator=(const SavedTensor&) = delete;
  const at::Tensor& tensor() const { return tensor_; }

 private:
  at::Tensor tensor_;  // detached: a reference to the tensor itself would be a cycle through its own graph
  bool counted_ = false;
};

// The output of a layer, so that whoever saves it later calls it by that name. Valid until the next
// ForgetOutputs.
void NameOutput(const at::Tensor& output, events::NameId name);
void ForgetOutputs();

// While it lives, this thread's saved tensors go to `make` instead. Checkpointing's way in.
class SavedTensorRedirection {
 public:
  class Target {
   public:
    virtual std::unique_ptr<torch::autograd::SavedVariableHooks> MakeHooks() = 0;

   protected:
    ~Target() = default;
  };
  explicit SavedTensorRedirection(Target& target);
  ~SavedTensorRedirection();
  SavedTensorRedirection(const SavedTensorRedirection&) = delete;
  SavedTensorRedirection& operator=(const SavedTensorRedirection&) = delete;

 private:
  Target* outer_;
};

}  // namespace tidemark::capture
