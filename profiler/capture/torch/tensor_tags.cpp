#include "profiler/capture/torch/tensor_tags.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>
#include <unordered_map>
#include <utility>

#include "profiler/base/thread_annotations.h"
#include "profiler/capture/operators/context.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/torch/allocator_events.h"

namespace tidemark::capture {
namespace {

using events::Category;
using events::NameId;

// By storage, which the tag keeps alive.
template <typename Value>
class ByStorage {
 public:
  void Set(const at::Tensor& tensor, Value value) {
    const MutexLock lock(mutex_);
    values_[StorageOf(tensor)] = value;
  }
  void Erase(const at::Tensor& tensor) {
    const MutexLock lock(mutex_);
    values_.erase(StorageOf(tensor));
  }
  Value Get(const at::Tensor& tensor) {
    const MutexLock lock(mutex_);
    const auto found = values_.find(StorageOf(tensor));
    return found == values_.end() ? Value{} : found->second;
  }

 private:
  Mutex mutex_;
  std::unordered_map<const c10::StorageImpl*, Value> values_ TIDEMARK_GUARDED_BY(mutex_);
};

// Both outlive main, as threads of LibTorch do.
ByStorage<bool>& KeptBlocks() {
  static auto& blocks = *new ByStorage<bool>;
  return blocks;
}
ByStorage<NameId>& CopyNames() {
  static auto& names = *new ByStorage<NameId>;
  return names;
}

// Called by AccumulateGrad right after .grad has its value.
class GradientHook final : public torch::autograd::PostAccumulateGradHook {
 public:
  explicit GradientHook(NameId name) : name_(name) {}

  void operator()(const at::Tensor& parameter) override {
    const at::Tensor& gradient = parameter.grad();
    if (!gradient.defined() || StorageOf(gradient) == tagged_._unsafe_get_target()) return;
    tagged_ = gradient.storage().getWeakStorageImpl();
    Tag(gradient, Category::kGradient, name_);
  }

 private:
  NameId name_;
  // A weak reference keeps the address from being used again, and the memory from nothing.
  c10::weak_intrusive_ptr<c10::StorageImpl> tagged_{c10::intrusive_ptr<c10::StorageImpl>{}};
};

std::string FullName(std::string_view layer, std::string_view name) {
  return std::string(layer).append(".").append(name);
}

}  // namespace

void Tag(const at::Tensor& tensor, Category category, NameId name) {
  if (StorageOf(tensor) == nullptr || tensor.storage().data() == nullptr) return;
  if (!Traces(tensor.device().type())) return;
  EmitCategory(reinterpret_cast<uint64_t>(tensor.storage().data()),
               static_cast<int64_t>(tensor.storage().nbytes()), category, name);
}

KeptTag::KeptTag(const at::Tensor& tensor, Category category, NameId name) : tensor_(tensor) {
  KeptBlocks().Set(tensor_, true);
  Tag(tensor_, category, name);
}

KeptTag::~KeptTag() { KeptBlocks().Erase(tensor_); }

bool KeptTag::CoversBlockOf(const at::Tensor& tensor) { return KeptBlocks().Get(tensor); }

ParameterTag::ParameterTag(const at::Tensor& parameter, std::string_view layer, std::string_view name)
    : parameter_(parameter),
      full_name_(FullName(layer, name)),
      layer_(Intern(layer)),
      tag_(parameter, Category::kParameter, Intern(full_name_)) {
  CopyNames().Set(parameter_, Intern(full_name_ + " in low precision"));
  torch::autograd::impl::set_post_acc_grad_hooks(
      parameter_, std::make_unique<GradientHook>(Intern(full_name_ + ".grad")));
}

ParameterTag::~ParameterTag() {
  CopyNames().Erase(parameter_);
  torch::autograd::impl::set_post_acc_grad_hooks(parameter_, nullptr);
}

NameId ParameterTag::CopyName(const at::Tensor& tensor) { return CopyNames().Get(tensor); }

}  // namespace tidemark::capture
