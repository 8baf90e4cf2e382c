#include "profiler/textbook/model_state.h"

#include <fmt/format.h>

#include <numeric>
#include <string>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/textbook/optimizer_formulas.h"

namespace tidemark::textbook {
namespace {

using events::Category;
using networks::Pass;

constexpr int64_t kCounterBytes = 8;  // num_batches_tracked

void AddShardedParameters(const Subject& of, Estimate& estimate) {
  const int64_t own = of.shards.shards * of.value_bytes;
  const int64_t gathered = of.shards.gathered * of.value_bytes;
  estimate.parameters_bytes = own;
  estimate.gathered_parameters_bytes = gathered;
  estimate.terms.push_back(
      {Category::kParameter, "Parameters, this rank's", own,
       fmt::format("of each layer's n parameters the N-th that it updates, {}", of.value_name),
       fmt::format("Σ over layers of ⌈n / N⌉ · {1} B = {0} · {1} B", FormatNumber(of.shards.shards),
                   of.value_bytes)});
  const bool more = of.shards.gathered > of.shards.largest_layer;
  estimate.terms.push_back({Category::kParameter, "Parameters, gathered", gathered,
                            more ? "one layer at a time is whole; beside it an embedding whose table another "
                                   "layer shares, or the last layer of a piece that is made again: the most "
                                   "at once"
                                 : "one layer at a time is whole, before it runs forward and again backward: "
                                   "the largest of them",
                            fmt::format("{2} · {1} B = {0} · {1} B", FormatNumber(of.shards.gathered),
                                        of.value_bytes, more ? "gathered" : "N · ⌈n / N⌉")});
}

void AddParameters(const Subject& of, Estimate& estimate) {
  const int64_t parameters = of.network.parameters();
  estimate.parameters_bytes = parameters * of.value_bytes;
  std::string words = fmt::format("weights and biases, {}", of.value_name);
  if (networks::UsesAutocast(of.settings)) words = "weights and biases; float32, under autocast too";
  estimate.terms.push_back(
      {Category::kParameter, "Parameters", estimate.parameters_bytes, words,
       fmt::format("P · {0} B = {1} · {0} B", of.value_bytes, FormatNumber(parameters))});
}

void AddBuffers(const Subject& of, Estimate& estimate) {
  for (const networks::Layer& layer : of.network.layers) {
    if (layer.buffer_elements > 0)
      estimate.buffers_bytes += layer.buffer_elements * of.value_bytes + kCounterBytes;
  }
  if (estimate.buffers_bytes == 0) return;
  estimate.terms.push_back(
      {Category::kParameter, "Buffers", estimate.buffers_bytes,
       fmt::format("running means and variances of batch norm, {}, and a counter of each", of.value_name),
       fmt::format("Σ over batch norms of (2 · channels · {} B + {} B)", of.value_bytes, kCounterBytes)});
}

void AddOptimizerState(const Subject& of, Estimate& estimate) {
  const OptimizerFormula optimizer = FormulaOf(of.settings.optimizer);
  const bool trains = of.settings.pass == Pass::kTrain;
  const int64_t values = trains ? optimizer.values_per_parameter : 0;
  const int64_t updated = ParametersOfRank(of.network, of.settings, of.rank);
  estimate.optimizer_bytes = values * updated * of.value_bytes;
  std::string words = values > 0 ? fmt::format("{}, {}", optimizer.words, of.value_name) : optimizer.words;
  if (!trains) words = "none: it is made by the first step of training";
  const bool shared = networks::SharesState(of.settings) && values > 0;
  const bool by_layer = networks::SharesGradients(of.settings);
  if (shared && by_layer)
    words +=
        fmt::format("; only of the N-th of each layer that a rank of {} updates (P₁)", of.settings.ranks);
  if (shared && !by_layer)
    words += fmt::format("; only of the tensors that rank {} of {} updates (P₁){}", of.rank,
                         of.settings.ranks, of.rank == 0 ? ", the largest among them" : "");
  estimate.optimizer_step_bytes = OptimizerStepBytes(of.network, of.settings, of.rank);
  if (estimate.optimizer_step_bytes > 0) {
    words += fmt::format("; its step needs {} more for a moment, when the activations are gone",
                         FormatExactBytes(estimate.optimizer_step_bytes));
  }
  estimate.terms.push_back({Category::kOptimizerState,
                            fmt::format("Optimizer state ({})", networks::TitleOf(of.settings.optimizer)),
                            estimate.optimizer_bytes, words,
                            fmt::format("{0} · {3} · {2} B = {0} · {1} · {2} B", values,
                                        FormatNumber(updated), of.value_bytes, shared ? "P₁" : "P")});
}

void AddShardedGradients(const Subject& of, Estimate& estimate) {
  const int64_t own = of.shards.shards * of.value_bytes;
  const bool stay = ShardsStay(of.settings);
  estimate.gradients_bytes = own;
  estimate.whole_gradients_bytes = of.shards.gradients * of.value_bytes - own;
  estimate.terms.push_back({Category::kGradient, "Gradients, this rank's", own,
                            fmt::format("one gradient for each parameter that it updates, {}", of.value_name),
                            fmt::format("Σ over layers of ⌈n / N⌉ · {1} B = {0} · {1} B",
                                        FormatNumber(of.shards.shards), of.value_bytes)});
  estimate.terms.push_back(
      {Category::kGradient, "Gradients, whole", estimate.whole_gradients_bytes,
       "a layer's n gradients, until they are reduced, or the g that backward holds on to until its shard is "
       "made: what they add to the most that there is at once",
       fmt::format("max over layers of {} · {} B{}",
                   stay ? "max(n, g + ⌈n / N⌉)" : "(max(n, g + ⌈n / N⌉) + Σ shards by then)", of.value_bytes,
                   stay ? "" : " − all shards")});
  estimate.communication_bytes = of.shards.largest_layer * of.value_bytes;
  estimate.terms.push_back({Category::kCommunication, "Bucket of gradients", estimate.communication_bytes,
                            "the gradients of one layer once more, on their way to the ranks that keep them: "
                            "the largest of them",
                            fmt::format("N · ⌈n / N⌉ · {1} B = {0} · {1} B",
                                        FormatNumber(of.shards.largest_layer), of.value_bytes)});
}

void AddGradients(const Subject& of, Estimate& estimate) {
  if (of.settings.pass != Pass::kTrain) {
    estimate.terms.push_back({Category::kGradient, "Gradients", 0, "none: no backward runs", "0 B"});
    return;
  }
  if (networks::SharesGradients(of.settings)) return AddShardedGradients(of, estimate);
  estimate.gradients_bytes = of.network.parameters() * of.value_bytes;
  std::string words = fmt::format("one gradient per parameter, {}", of.value_name);
  if (of.settings.accumulate > 1) {
    words += fmt::format("; the {} micro-batches of a step add to the same ones", of.settings.accumulate);
  }
  if (of.settings.zeroed_gradients) words += "; zeroed, not freed, so forward has them beside it, too";
  estimate.terms.push_back(
      {Category::kGradient, "Gradients", estimate.gradients_bytes, words,
       fmt::format("P · {1} B = {0} · {1} B", FormatNumber(of.network.parameters()), of.value_bytes)});
}

void AddBuckets(const Subject& of, Estimate& estimate) {
  const std::vector<int64_t> buckets = GradientBuckets(of.network, of.settings);
  if (buckets.empty()) return;
  estimate.communication_bytes = std::accumulate(buckets.begin(), buckets.end(), int64_t{0});
  estimate.terms.push_back(
      {Category::kCommunication, "Buckets of gradients", estimate.communication_bytes,
       fmt::format("the gradients once more, as they go to the other {} in {} (the first has 1 MiB at least, "
                   "the others 25 MiB)",
                   of.settings.ranks == 2 ? "rank" : fmt::format("{} ranks", of.settings.ranks - 1),
                   buckets.size() == 1 ? "one bucket" : fmt::format("{} buckets", buckets.size())),
       fmt::format("P · {1} B = {0} · {1} B", FormatNumber(of.network.parameters()), of.value_bytes)});
}

}  // namespace

void AddModelState(const Subject& of, Estimate& estimate) {
  if (networks::SharesParameters(of.settings)) {
    AddShardedParameters(of, estimate);
  } else {
    AddParameters(of, estimate);
  }
  AddBuffers(of, estimate);
  AddOptimizerState(of, estimate);
  AddGradients(of, estimate);
  AddBuckets(of, estimate);
}

}  // namespace tidemark::textbook
