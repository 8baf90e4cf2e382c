// What a pipeline's stages are, and what passes between them: a stage is some layers in a row, a network by
// itself, so that all formulas hold of it as of a whole one. Pure functions. Bytes, elements.
//
// With S stages, M micro-batches in a step, and stage s = 0 .. S-1:
//   in flight   micro-batches whose activations a stage holds when its first backward begins: all M of them
//               (GPipe: Huang et al., arXiv 1811.06965, 2019, section 2.3), or min(M, S - s) (1F1B: Narayanan
//               et al., PipeDream, SOSP 2019, and arXiv 2104.04473, 2021, section 2.2)
//   bubble      (S - 1) / (M + S - 1) of a step's time a stage waits, where all take equally long
//               (the same sections; the second gives it as (S - 1) / M of the ideal time)
// A stage keeps, of each micro-batch in flight, what autograd saves, what it was sent, and what it has sent,
// as torch.distributed.pipelining does (2.11, stage.py: fwd_cache). A weight that layers of two stages share
// is on both, and its gradients are exchanged once a step (Megatron-LM does so with the embedding's).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"
#include "profiler/textbook/textbook.h"

namespace tidemark::textbook {

// The stage of a rank; nothing where the settings ask for no pipeline, or the network cannot be split so.
// O(layers + networks::StagesOf).
std::optional<networks::Network> StageOf(const networks::Network& network,
                                         const networks::TrainingSettings& settings, int rank);

// Micro-batches of one stage that are in flight at once; 1 where there is no backward to wait for.
int64_t MicroBatchesInFlight(const networks::TrainingSettings& settings, int rank);

// The share of a step that a stage waits; 0 without a pipeline.
double BubbleShare(const networks::TrainingSettings& settings);

// A pipeline before anything runs: each stage's layers and what it needs. Empty without a pipeline, and where
// the network cannot be split so.
struct StageEstimate {
  std::string first_layer;
  std::string last_layer;
  int64_t parameters = 0;  // elements
  int64_t in_flight = 1;   // micro-batches
  Estimate estimate;
};
std::vector<StageEstimate> EstimateStages(const networks::Network& network,
                                          const networks::TrainingSettings& settings);

}  // namespace tidemark::textbook
