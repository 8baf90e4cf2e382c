#include "profiler/timeline/block_layer.h"

namespace tidemark::timeline {
namespace {

// "layer1.conv2" of "layer1.conv2.weight", "layer1.conv2.weight.grad" and "layer1.conv2.weight exp_avg".
std::string_view LayerOfParameter(std::string_view name) {
  constexpr std::string_view kGradient = ".grad";
  if (name.ends_with(kGradient)) name.remove_suffix(kGradient.size());
  const size_t point = name.rfind('.');
  return point == std::string_view::npos ? "" : name.substr(0, point);
}

}  // namespace

bool IsOfParameter(events::Category category) {
  return category == events::Category::kParameter || category == events::Category::kGradient ||
         category == events::Category::kOptimizerState;
}

std::string_view LayerOf(const View& view, const LiveBlock& block) {
  const std::string_view own = view.name(block.layer);
  return own.empty() && IsOfParameter(block.category) ? LayerOfParameter(view.name(block.name)) : own;
}

}  // namespace tidemark::timeline
