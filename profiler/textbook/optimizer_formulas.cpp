#include "profiler/textbook/optimizer_formulas.h"

#include <algorithm>

#include "profiler/networks/layer_kinds.h"
#include "profiler/textbook/data_parallel.h"
#include "profiler/textbook/saved_tensors.h"

namespace tidemark::textbook {

using networks::Network;
using networks::OptimizerKind;
using networks::Pass;
using networks::TrainingSettings;

namespace {

// Tensors of temporaries at once while a step goes on.
int64_t StepTemporaries(const TrainingSettings& settings) {
  const bool foreach = settings.optimizer_implementation == networks::OptimizerImplementation::kForeach;
  switch (settings.optimizer) {
    case OptimizerKind::kSgd:
    case OptimizerKind::kMomentum:
      return 0;
    case OptimizerKind::kAdam:
    case OptimizerKind::kAdamW:
      return foreach ? 1 : 2;
    case OptimizerKind::kAdagrad:
      return foreach ? 2 : 1;
    case OptimizerKind::kRmsprop:
      return 1;
  }
  return 0;
}

// Of the largest parameter, or of all that one optimizer steps over.
int64_t StepElements(const Network& network, const TrainingSettings& settings, int rank) {
  const bool foreach = settings.optimizer_implementation == networks::OptimizerImplementation::kForeach;
  if (foreach && networks::SharesState(settings)) return ParametersOfRank(network, settings, rank);
  const size_t discriminator = network.discriminator;
  int64_t largest = 0;
  int64_t made = 0;
  int64_t judges = 0;
  for (size_t index = 0; index < network.layers.size(); ++index) {
    const networks::Layer& layer = network.layers[index];
    if (networks::SharesGradients(settings)) {
      largest = std::max(largest, ShardOf(layer, settings.ranks));
    } else {
      for (const int64_t elements : networks::ParameterSizes(layer)) largest = std::max(largest, elements);
    }
    (index < discriminator ? made : judges) += layer.parameters();
  }
  return foreach ? std::max(made, judges) : largest;
}

}  // namespace

OptimizerFormula FormulaOf(OptimizerKind optimizer) {
  switch (optimizer) {
    case OptimizerKind::kSgd:
      return {0, "plain SGD keeps nothing between steps"};
    case OptimizerKind::kMomentum:
      return {1, "one momentum per parameter"};
    case OptimizerKind::kAdam:
    case OptimizerKind::kAdamW:
      return {2, "two moments per parameter (mean and mean square of its gradients)"};
    case OptimizerKind::kAdagrad:
      return {1, "the sum of the squares of each parameter's gradients"};
    case OptimizerKind::kRmsprop:
      return {1, "the mean square of each parameter's gradients"};
  }
  return {0, ""};
}

int64_t OptimizerStepBytes(const Network& network, const TrainingSettings& settings, int rank) {
  const bool fused = settings.optimizer_implementation == networks::OptimizerImplementation::kFused;
  if (fused || settings.pass != Pass::kTrain) return 0;
  return StepTemporaries(settings) * StepElements(network, settings, rank) * ValueBytes(settings);
}

}  // namespace tidemark::textbook
