// The kinds of layers: what each is called in a file, which keys it has, and which shape it makes of which.
// Pure functions.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/networks/layer.h"

namespace tidemark::networks {

// What a kind is called in a file: "conv2d".
std::string_view TextOf(LayerKind kind);
std::optional<LayerKind> KindNamed(std::string_view text);

// Reads "kind" and the keys that belong to it ("name", "inputs" and "weights_of" may be there, too); whatever
// else is there, or is missing, is an error that names the key.
Status ReadKindAndSizes(const nlohmann::json& json, Layer& layer);

// Derives the shape of the output and the number of parameters from the shapes that come in, one for each of
// the layer's inputs; `tokens`: they are the network's whole numbers, which only an embedding takes. Errors
// tell both what is there and what is wanted.
Status FitLayer(Layer& layer, const std::vector<SampleShape>& incoming, bool tokens);

// The elements of the weights and biases that autocast copies to low precision: those of convolutions and
// linear layers (ATen/autocast_mode.h, AT_FORALL_LOWER_PRECISION_FP), a tied one's among them.
int64_t AutocastElements(const Layer& layer);

// The elements of each of its parameters' tensors, in their order.
std::vector<int64_t> ParameterSizes(const Layer& layer);

// Whether its result is its input's memory, seen in another way.
bool IsView(const Layer& layer);

}  // namespace tidemark::networks
