#include "profiler/textbook/on_paper.h"

#include <fmt/format.h>

#include <utility>

namespace tidemark::textbook {
namespace {

constexpr int64_t kBlockValues = 2048;
constexpr int64_t kFewestValues = 4096;

// Of one moment of a tensor.
int64_t EightBitBytes(int64_t values, int64_t value_bytes) {
  if (values < kFewestValues) return values * value_bytes;
  return values + (values + kBlockValues - 1) / kBlockValues * kFloat32Bytes;
}

int64_t EightBitState(const networks::Network& network, int64_t moments, int64_t value_bytes) {
  int64_t bytes = 0;
  for (const networks::Layer& layer : network.layers) {
    bytes +=
        EightBitBytes(layer.weight_elements, value_bytes) + EightBitBytes(layer.bias_elements, value_bytes);
  }
  return moments * bytes;
}

// An N-th, of which the last rank may have less.
int64_t Share(int64_t bytes, int64_t ranks) { return (bytes + ranks - 1) / ranks; }

}  // namespace

std::vector<PaperLine> EstimateOnPaper(const networks::Network& network, const Estimate& estimate,
                                       const networks::TrainingSettings& settings, int64_t ranks) {
  const int64_t parameters = estimate.parameters_bytes;
  const int64_t gradients = estimate.gradients_bytes;
  const int64_t state = estimate.optimizer_bytes;
  const int64_t rest = estimate.total_bytes - parameters - gradients - state;
  const int64_t moments = parameters == 0 ? 0 : state / parameters;
  std::vector<PaperLine> lines;
  const auto add = [&](std::string title, int64_t p, int64_t g, int64_t o, std::string formula) {
    lines.push_back({std::move(title), p, g, o, p + g + o + rest, std::move(formula)});
  };
  add("as it is", parameters, gradients, state, "p + g + o");
  add("8-bit state", parameters, gradients, EightBitState(network, moments, ValueBytes(settings)),
      fmt::format("p + g + {} · Σ (n · 1 B + ⌈n / {}⌉ · 4 B)", moments, kBlockValues));
  add("data parallel", parameters, 2 * gradients, state, "p + g + buckets (g) + o");
  const std::string n = fmt::format("{}", ranks);
  add("ZeRO stage 1", parameters, gradients, Share(state, ranks), "p + g + o / " + n);
  add("ZeRO stage 2", parameters, Share(gradients, ranks), Share(state, ranks), "p + (g + o) / " + n);
  add("ZeRO stage 3", Share(parameters, ranks), Share(gradients, ranks), Share(state, ranks),
      "(p + g + o) / " + n);
  return lines;
}

}  // namespace tidemark::textbook
