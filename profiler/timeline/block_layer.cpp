#include "profiler/timeline/block_layer.h"

#include "profiler/events/tensor_names.h"

namespace tidemark::timeline {

bool IsOfParameter(events::Category category) {
  return category == events::Category::kParameter || category == events::Category::kGradient ||
         category == events::Category::kOptimizerState;
}

std::string_view LayerOf(const View& view, const LiveBlock& block) {
  const std::string_view own = view.name(block.layer);
  return own.empty() && IsOfParameter(block.category) ? events::LayerOfTensor(view.name(block.name)) : own;
}

}  // namespace tidemark::timeline
