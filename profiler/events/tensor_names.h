// What the tensors of a program's modules are called, for whoever names them (capture/, and the program's
// Python: phantom/programs/python/tidemark_tensors.py) and whoever reads layers out of it (timeline/):
//
//   layer1.conv2.weight            a parameter or buffer: the layer's path, and its own name there
//   layer1.conv2.weight exp_avg    what there is of it beside: an optimizer's state, by its key; "gathered"
//   layer1.conv2.weight copy       what the program copied of it, and keeps
//   layer1.conv2.weight.grad       its gradient
//   layer1.shard.grad              the shard of several gradients in the layer
//   Linear 2.weight                of the second model of a class
//   AdamW state                    what an optimizer keeps, where nobody knows of what: of no layer
//   parameter 768×3072             of no module that was called so far
//
// Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "profiler/events/torch_ranges.h"

namespace tidemark::events {

inline constexpr std::string_view kGradientEnding = ".grad";  // as in PyTorch
inline constexpr std::string_view kShardEnding = "shard.grad";
inline constexpr std::string_view kNamelessParameter = "parameter";  // and its shape

// Without what there is beside it: up to the first space, but for that in a model's number.
inline std::string_view ParameterOf(std::string_view name) {
  size_t space = name.find(' ');
  while (space != std::string_view::npos) {
    const size_t behind = name.find_first_not_of("0123456789", space + 1);
    const bool is_number = behind != space + 1 && behind != std::string_view::npos && name[behind] == '.';
    if (!is_number) break;
    space = name.find(' ', behind);
  }
  return name.substr(0, space);
}

// The parameter's own, of what there is beside it, too. Empty for a nameless one's.
inline std::string GradientName(std::string_view name) {
  if (ParameterOf(name) == kNamelessParameter) return "";
  return std::string(ParameterOf(name)).append(kGradientEnding);
}

// What a copy of the parameter is called whose gradient is called so: "layer1.conv2.weight copy". Of one
// whose gradient has no name: "parameter copy".
inline std::string CopyName(std::string_view gradient_name) {
  if (gradient_name.ends_with(kGradientEnding)) gradient_name.remove_suffix(kGradientEnding.size());
  return std::string(gradient_name.empty() ? kNamelessParameter : gradient_name).append(" copy");
}

// What the optimizer of such a range leaves: "Optimizer.step#AdamW.step" → "AdamW state".
inline std::string OptimizerStateName(std::string_view range) {
  range.remove_prefix(kOptimizerRangePrefix.size());
  return std::string(range.substr(0, range.find('.'))) + " state";
}

// "layer1.conv2" of the first four; "" = of none.
inline std::string_view LayerOfTensor(std::string_view name) {
  name = ParameterOf(name);
  if (name.ends_with(kGradientEnding)) name.remove_suffix(kGradientEnding.size());
  const size_t point = name.rfind('.');
  return point == std::string_view::npos ? "" : name.substr(0, point);
}

// As a sentence calls a layer: "conv1", and "layer 4" of a Sequential's own child, which has a number only.
inline std::string LayerInWords(std::string_view layer) {
  const bool is_number = !layer.empty() && layer.find_first_not_of("0123456789") == std::string_view::npos;
  return std::string(is_number ? "layer " : "").append(layer);
}

}  // namespace tidemark::events
