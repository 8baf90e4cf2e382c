// Autocast's cache of converted parameters, as PyTorch decides on it. Any thread.
#pragma once

#include <ATen/CachedTensorUtils.h>
#include <ATen/autocast_mode.h>

namespace tidemark::capture {

// Whether autocast, which converts `source` to `type` now, will keep the copy (at::autocast::cached_cast:
// can_try_cache). Where it is kept already, nothing is allocated.
inline bool AutocastWillKeep(const at::Tensor& source, at::ScalarType type, c10::DeviceType device) {
  return at::autocast::is_autocast_cache_enabled() && type == at::autocast::get_autocast_dtype(device) &&
         source.scalar_type() == at::kFloat && source.requires_grad() && source.is_leaf() &&
         !source.is_view() && !at::caching::is_cached_tensor(source);
}

}  // namespace tidemark::capture
