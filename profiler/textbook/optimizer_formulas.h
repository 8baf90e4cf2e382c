// What an optimizer keeps between steps, and what its step needs for a moment, on paper: torch.optim's own
// formulas (torch/optim/*.py and torch/csrc/api/src/optim). Pure; any thread.
#pragma once

#include <cstdint>

#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::textbook {

struct OptimizerFormula {
  int64_t values_per_parameter;
  const char* words;
};
OptimizerFormula FormulaOf(networks::OptimizerKind optimizer);

// The temporaries of one step of training, in bytes; a fused step has none, nor has evaluation. `rank` is
// that of settings.ranks.
int64_t OptimizerStepBytes(const networks::Network& network, const networks::TrainingSettings& settings,
                           int rank);

}  // namespace tidemark::textbook
