// Says what tensors are, exactly: because the trainer made them for that purpose, or because autograd or
// autocast took them. Each tag is a kCategorize event for the tensor's block.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>

#include "profiler/events/event.h"

namespace tidemark::capture {

// The storage under a tensor, its identity as memory; null if it has none.
inline const c10::StorageImpl* StorageOf(const at::Tensor& tensor) {
  return tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
}

// The block under this tensor is `category` from here on. Tensors that are not on the traced device are none
// of ours.
void Tag(const at::Tensor& tensor, events::Category category, events::NameId name);

// Tags a tensor and lets that tag stand above being saved for backward, until this dies: for parameters, the
// batch and the state of a scaler. Thread safe.
class KeptTag {
 public:
  KeptTag(const at::Tensor& tensor, events::Category category, events::NameId name);
  ~KeptTag();
  KeptTag(const KeptTag&) = delete;
  KeptTag& operator=(const KeptTag&) = delete;

  // Whether any KeptTag stands on the tensor's block.
  static bool CoversBlockOf(const at::Tensor& tensor);

 private:
  at::Tensor tensor_;
};

// Tags a parameter, its gradient whenever a new block becomes .grad, and autocast's copies of it, until this
// dies.
class ParameterTag {
 public:
  // `name` is the parameter's within its layer: "weight".
  ParameterTag(const at::Tensor& parameter, std::string_view layer, std::string_view name);
  ~ParameterTag();
  ParameterTag(const ParameterTag&) = delete;
  ParameterTag& operator=(const ParameterTag&) = delete;

  const at::Tensor& parameter() const { return parameter_; }
  const std::string& full_name() const { return full_name_; }  // "conv1.weight"
  events::NameId layer() const { return layer_; }

  // What autocast's copy of this tensor is called; 0 if no ParameterTag stands on it.
  static events::NameId CopyName(const at::Tensor& tensor);

 private:
  at::Tensor parameter_;
  std::string full_name_;
  events::NameId layer_;
  KeptTag tag_;
};

}  // namespace tidemark::capture
