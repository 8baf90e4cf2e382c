#include "profiler/textbook/operations.h"

namespace tidemark::textbook {

using networks::ElementCount;
using networks::LayerKind;

int64_t ForwardOperations(const networks::Layer& layer) {
  const int64_t weights = layer.weight_elements + layer.shared_elements;
  switch (layer.kind) {
    case LayerKind::kConv2d:  // conv_flop_count: each output is a sum over the kernel and its group's
                              // channels
      return 2 * ElementCount(layer.output) * (weights / layer.out_features);
    case LayerKind::kConvTranspose2d:  // the same, seen from the input
      return 2 * ElementCount(layer.input) * (weights / layer.in_features);
    case LayerKind::kLinear:  // mm_flop
      return 2 * ElementCount(layer.input) * layer.out_features;
    case LayerKind::kAttention:  // sdpa_flop_count: queries · keys and weights · values, masked or not
      return 4 * layer.output[0] * layer.output[0] * layer.output[1];
    case LayerKind::kLstm:  // every weight takes part in each step once, mm_flop
      return 2 * layer.output[0] * weights;
    default:
      return 0;
  }
}

}  // namespace tidemark::textbook
