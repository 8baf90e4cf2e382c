#include "profiler/textbook/layer_rows.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/networks/layer_kinds.h"
#include "profiler/networks/operators.h"

namespace tidemark::textbook {
namespace {

using networks::Network;

// What a tensor that counts with `layer` is to it.
std::string WhatItIs(const Network& network, const SavedTensor& tensor, size_t layer) {
  switch (tensor.what) {
    case SavedTensor::What::kInputCopy:
      return tensor.bytes_per_element == kHalfBytes ? "its input copied to half precision"
                                                    : "its input copied to float32";
    case SavedTensor::What::kTurnedInput:
      return "its input copied, sample by sample";
    case SavedTensor::What::kMask:
      return "its mask";
    case SavedTensor::What::kIndices:
      return "where its maxima were";
    case SavedTensor::What::kLogSumExp:
      return "its log-sum-exps";
    case SavedTensor::What::kStatistics:
      return "its means and deviations";
    case SavedTensor::What::kStates:
      return "the states it begins with";
    case SavedTensor::What::kReserve:
      return tensor.once_for_batch ? "and cuDNN's head of them" : "its gates and cells, kept by cuDNN";
    case SavedTensor::What::kWeights:
      return "its weights in half precision";
    case SavedTensor::What::kReceived:
      return "what it receives";
    case SavedTensor::What::kAttentionCopy:
      return "its queries, keys, values or result, for its heads";
    case SavedTensor::What::kAttentionWeights:
      return "the weights that tokens give each other";
    case SavedTensor::What::kOutput:
      break;
  }
  return tensor.maker == layer ? "its output"
                               : fmt::format("the result of {}", network.layers[tensor.maker].name);
}

// What the tensors of a list that count with one layer are, in numbers; "" if there are none.
std::string OwnedBy(const Subject& of, size_t layer, const std::vector<size_t>& tensors) {
  std::vector<std::string> parts;
  for (const size_t index : tensors) {
    const SavedTensor& tensor = of.saved.tensors[index];
    if (tensor.owner != layer) continue;
    parts.push_back(fmt::format("{}: {} = {}", WhatItIs(of.network, tensor, layer),
                                ProductOf(tensor, of.batch), FormatExactBytes(tensor.Bytes(of.batch))));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

// The layer that one of those tensors counts with, which `layer` makes; "" if none does.
std::string CountsWith(const Subject& of, size_t layer, const std::vector<size_t>& tensors) {
  for (const size_t index : tensors) {
    const SavedTensor& tensor = of.saved.tensors[index];
    if (tensor.maker == layer && tensor.owner != layer) return of.network.layers[tensor.owner].name;
  }
  return "";
}

std::string LayerFormula(const Subject& of, size_t layer, const SavedOverall& overall) {
  std::string kept = OwnedBy(of, layer, overall.kept);
  const std::string made_again = OwnedBy(of, layer, overall.made_again);
  const networks::Layer& row = of.network.layers[layer];
  if (networks::LacksRule(row)) {
    const std::string unknown = fmt::format("unknown: there is no rule for what {} saves", row.op);
    return kept.empty() ? unknown : kept + "; beside it " + unknown;
  }
  if (!kept.empty() && made_again.empty()) return kept;
  if (!made_again.empty())
    return (kept.empty() ? kept : kept + "; ") + "made again in backward: " + made_again;
  if (networks::IsView(of.network.layers[layer])) return "a view of its input, without memory of its own";
  std::string counts_with = CountsWith(of, layer, overall.kept);
  if (counts_with.empty()) counts_with = CountsWith(of, layer, overall.made_again);
  return counts_with.empty() ? "nothing keeps its output" : "its result counts with " + counts_with;
}

}  // namespace

void AddLayerRows(const Subject& of, Estimate& estimate) {
  const SavedOverall overall = FindKeptAndMadeAgain(of.network, of.saved, of.plan.pieces);
  for (size_t index = 0; index < of.network.layers.size(); ++index) {
    const networks::Layer& layer = of.network.layers[index];
    LayerEstimate row;
    row.name = layer.name;
    row.output = fmt::format("{}×{}", of.batch, networks::TextOf(layer.output));
    row.parameters = layer.parameters();
    row.parameters_bytes = layer.parameters() * of.value_bytes;
    row.formula = LayerFormula(of, index, overall);
    row.counts_with = CountsWith(of, index, overall.kept);
    if (of.in_flight > 1 && !OwnedBy(of, index, overall.kept).empty())
      row.formula = fmt::format("of each of {} micro-batches in flight: {}", of.in_flight, row.formula);
    estimate.layers.push_back(std::move(row));
  }
  for (const size_t tensor : overall.kept) {
    estimate.layers[of.saved.tensors[tensor].owner].activations_bytes +=
        of.in_flight * of.saved.tensors[tensor].Bytes(of.batch);
  }
  for (const size_t tensor : overall.made_again) {
    estimate.layers[of.saved.tensors[tensor].owner].recomputed_bytes +=
        of.saved.tensors[tensor].Bytes(of.batch);
  }
}

}  // namespace tidemark::textbook
