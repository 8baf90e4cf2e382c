// What the tensors of a program's modules are called, for whoever names them (capture/, and the program's
// Python: phantom/programs/python/tidemark_tensors.py) and whoever reads layers out of it (timeline/):
//
//   layer1.conv2.weight            a parameter or buffer: the layer's path, and its own name there
//   layer1.conv2.weight exp_avg    what there is of it beside: an optimizer's state, by its key; "gathered"
//   layer1.conv2.weight.grad       its gradient
//   layer1.shard.grad              the shard of several gradients in the layer
//   AdamW state                    what an optimizer keeps, where nobody knows of what: of no layer
//
// Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "profiler/events/torch_ranges.h"

namespace tidemark::events {

inline constexpr std::string_view kGradientEnding = ".grad";  // as in PyTorch

// The parameter's own, of what there is beside it, too.
inline std::string GradientName(std::string_view parameter) {
  return std::string(parameter.substr(0, parameter.find(' '))).append(kGradientEnding);
}

// What the optimizer of such a range leaves: "Optimizer.step#AdamW.step" → "AdamW state".
inline std::string OptimizerStateName(std::string_view range) {
  range.remove_prefix(kOptimizerRangePrefix.size());
  return std::string(range.substr(0, range.find('.'))) + " state";
}

// "layer1.conv2" of the first three; "" = of none.
inline std::string_view LayerOfTensor(std::string_view name) {
  name = name.substr(0, name.find(' '));
  if (name.ends_with(kGradientEnding)) name.remove_suffix(kGradientEnding.size());
  const size_t point = name.rfind('.');
  return point == std::string_view::npos ? "" : name.substr(0, point);
}

}  // namespace tidemark::events
