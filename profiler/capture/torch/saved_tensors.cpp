#include "profiler/capture/torch/saved_tensors.h"

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/variable.h>

#include <unordered_map>
#include <utility>

#include "profiler/base/thread_annotations.h"
#include "profiler/capture/operators/context.h"
#include "profiler/capture/torch/autocast_copies.h"
#include "profiler/capture/torch/layer_scope.h"
#include "profiler/capture/torch/library_workspaces.h"
#include "profiler/capture/torch/tensor_tags.h"

namespace tidemark::capture {
namespace {

using events::Category;
using events::NameId;

// How often each block is saved, and what layers' outputs are called. Entries live as long as a tensor that
// they stand for, so an address is never somebody else's.
class SavedBlocks {
 public:
  // True if it was not saved yet.
  bool Add(const c10::StorageImpl* storage) {
    const MutexLock lock(mutex_);
    return ++counts_[storage] == 1;
  }
  // True if nobody saves it any more.
  bool Remove(const c10::StorageImpl* storage) {
    const MutexLock lock(mutex_);
    const auto found = counts_.find(storage);
    if (--found->second > 0) return false;
    counts_.erase(found);
    return true;
  }

 private:
  Mutex mutex_;
  std::unordered_map<const c10::StorageImpl*, int> counts_ TIDEMARK_GUARDED_BY(mutex_);
};

SavedBlocks& Blocks() {
  static auto& blocks = *new SavedBlocks;  // threads of LibTorch outlive main
  return blocks;
}

// Outputs of this thread's layers; the tensors are weak, so that nothing lives longer than without us.
struct NamedOutput {
  c10::weak_intrusive_ptr<c10::StorageImpl> storage;
  NameId name;
};
thread_local std::vector<NamedOutput> named_outputs;

NameId OutputName(const at::Tensor& tensor) {
  const c10::StorageImpl* storage = StorageOf(tensor);
  for (auto output = named_outputs.rbegin(); output != named_outputs.rend(); ++output) {
    if (output->storage._unsafe_get_target() == storage) return output->name;
  }
  return 0;
}

NameId NameOfSaved(const at::Tensor& tensor) {
  if (const NameId output = OutputName(tensor)) return output;
  const LayerScope* scope = LayerScope::Current();
  return scope == nullptr ? 0 : scope->SavedName(tensor.dim() == 0);
}

class NotingHooks final : public torch::autograd::SavedVariableHooks {
 public:
  void call_pack_hook(const at::Tensor& tensor) override { saved_ = std::make_unique<SavedTensor>(tensor); }
  at::Tensor call_unpack_hook() override { return saved_->tensor(); }

 private:
  std::unique_ptr<SavedTensor> saved_;
};

thread_local SavedTensorRedirection::Target* redirection = nullptr;

class NotingEngine final : public torch::autograd::Engine {
 public:
  std::unique_ptr<torch::autograd::SavedVariableHooks> get_default_saved_variable_hooks() override {
    if (redirection != nullptr) return redirection->MakeHooks();
    return std::make_unique<NotingHooks>();
  }
};

}  // namespace

void InstallSavedTensorHooks() {
  torch::autograd::set_default_engine_stub([]() -> torch::autograd::Engine& {
    static auto& engine = *new NotingEngine;  // its threads outlive main
    return engine;
  });
}

SavedTensor::SavedTensor(const at::Tensor& tensor)
    : tensor_(tensor.defined() ? tensor.variable_data() : tensor) {
  if (!tensor.defined() || StorageOf(tensor) == nullptr) return;
  if (KeptTag::CoversBlockOf(tensor) || IsAutocastCopy(tensor)) return;
  if (IsKeptWorkspace(reinterpret_cast<uint64_t>(tensor.storage().data()))) return;
  counted_ = true;
  if (Blocks().Add(StorageOf(tensor))) Tag(tensor, Category::kActivation, NameOfSaved(tensor));
}

SavedTensor::~SavedTensor() {
  if (!counted_ || !Blocks().Remove(StorageOf(tensor_))) return;
  const bool held_elsewhere = tensor_.use_count() > 1 || tensor_.storage().use_count() > 1;
  if (held_elsewhere) Tag(tensor_, Category::kTemporary, 0);
}

void NameOutput(const at::Tensor& output, NameId name) {
  if (StorageOf(output) == nullptr) return;
  named_outputs.push_back({output.storage().getWeakStorageImpl(), name});
}

void ForgetOutputs() { named_outputs.clear(); }

SavedTensorRedirection::SavedTensorRedirection(Target& target)
    : outer_(std::exchange(redirection, &target)) {}

SavedTensorRedirection::~SavedTensorRedirection() { redirection = outer_; }

}  // namespace tidemark::capture
