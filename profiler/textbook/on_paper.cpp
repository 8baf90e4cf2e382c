#include "profiler/textbook/on_paper.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "profiler/textbook/saved_tensors.h"

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

}  // namespace

std::vector<PaperLine> EstimateOnPaper(const networks::Network& network,
                                       const networks::TrainingSettings& settings) {
  networks::TrainingSettings alone = settings;
  alone.ranks = 1;
  alone.pipeline = networks::PipelineSchedule::kOff;
  const Estimate estimate = EstimateMemory(network, alone);
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
  const std::string ranks = fmt::format("{}", settings.ranks);
  const std::array formulas = {
      std::string("p + g + buckets (g) + o"),
      std::string("p + g + buckets (g) + o of its tensors"),
      fmt::format("p + (g + o) / {0} + a layer's g and bucket", ranks),
      fmt::format("(p + g + o) / {0} + a layer's p, g and bucket", ranks),
  };
  for (int stage = 0; stage <= 3; ++stage) {
    networks::TrainingSettings shared = alone;
    shared.ranks = settings.ranks;
    shared.zero = static_cast<networks::ZeroStage>(stage);
    const Estimate of_rank = EstimateMemory(network, shared);
    lines.push_back({stage == 0 ? "data parallel" : fmt::format("ZeRO stage {}", stage),
                     of_rank.parameters_bytes + of_rank.gathered_parameters_bytes,
                     of_rank.gradients_bytes + of_rank.whole_gradients_bytes + of_rank.communication_bytes,
                     of_rank.optimizer_bytes, of_rank.total_bytes, formulas[static_cast<size_t>(stage)]});
  }
  return lines;
}

}  // namespace tidemark::textbook
