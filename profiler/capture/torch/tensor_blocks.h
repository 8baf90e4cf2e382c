// The block under a tensor, for who is told of a program's own tensors: of whatever kind, in whatever state.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace tidemark::capture {

// Null where it has none. Asks nothing that a subclass could answer with code of its own.
inline c10::StorageImpl* PlainStorageOf(const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.key_set().has(c10::DispatchKey::Python)) return nullptr;
  if (!tensor.unsafeGetTensorImpl()->has_storage()) return nullptr;
  return tensor.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl();
}

// Copies nothing that is to be copied on write.
inline uint64_t AddressOf(c10::StorageImpl& storage) {
  return reinterpret_cast<uint64_t>(storage._mutable_data_ptr_no_checks().get());
}

}  // namespace tidemark::capture
