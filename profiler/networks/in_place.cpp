#include <algorithm>

#include "profiler/networks/layer_kinds.h"
#include "profiler/networks/specification.h"

namespace tidemark::networks {
namespace {

// Of ReLU6, which is hardtanh, autograd clones the input first: in place it would save nothing.
bool Rectifies(LayerKind kind) { return kind == LayerKind::kRelu || kind == LayerKind::kLeakyRelu; }

// Whether its backward reads its result (tools/autograd/derivatives.yaml), or its result may be its input.
bool HoldsOnToResult(const Layer& layer) {
  return Rectifies(layer.kind) || layer.kind == LayerKind::kSigmoid || layer.kind == LayerKind::kTanh ||
         layer.kind == LayerKind::kAttention || layer.kind == LayerKind::kDropout ||
         layer.kind == LayerKind::kLstm || layer.kind == LayerKind::kToSequence || IsView(layer);
}

}  // namespace

bool MayRunInPlace(const Network& network, size_t index) {
  const Layer& layer = network.layers[index];
  const size_t input = layer.inputs.front();
  if (!Rectifies(layer.kind) || input == kNetworkInput || HoldsOnToResult(network.layers[input]))
    return false;
  const auto takes_it = [input](const Layer& other) {
    return std::find(other.inputs.begin(), other.inputs.end(), input) != other.inputs.end();
  };
  return std::count_if(network.layers.begin(), network.layers.end(), takes_it) == 1;
}

}  // namespace tidemark::networks
