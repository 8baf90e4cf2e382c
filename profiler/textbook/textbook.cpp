#include "profiler/textbook/textbook.h"

#include <optional>

#include "profiler/textbook/activation_terms.h"
#include "profiler/textbook/layer_rows.h"
#include "profiler/textbook/model_state.h"
#include "profiler/textbook/pipeline.h"
#include "profiler/textbook/subject.h"

namespace tidemark::textbook {
namespace {

using networks::Network;
using networks::Precision;
using networks::TrainingSettings;

Estimate EstimateOf(const Subject& subject) {
  Estimate estimate;
  AddModelState(subject, estimate);
  AddActivationTerms(subject, estimate);
  AddLayerRows(subject, estimate);
  for (const Term& term : estimate.terms) estimate.total_bytes += term.bytes;
  return estimate;
}

}  // namespace

Estimate EstimateMemory(const Network& network, const TrainingSettings& settings, int rank) {
  const std::optional<Network> stage = StageOf(network, settings, rank);
  const Network& own = stage ? *stage : network;
  return EstimateOwnLayers(own, settings, PlanCheckpoints(own, settings), rank);
}

Estimate EstimateOwnLayers(const Network& own, const TrainingSettings& settings, const CheckpointPlan& plan,
                           int rank) {
  Estimate estimate = EstimateOf({own, settings, plan, rank});
  estimate.least_budget_bytes = plan.least_bytes;
  estimate.halved_everything_bytes = estimate.total_bytes / 2;
  if (settings.amp == Precision::kFloat32) return estimate;
  TrainingSettings without_amp = settings;
  without_amp.amp = Precision::kFloat32;
  const Subject subject(own, without_amp, PlanCheckpoints(own, without_amp), rank);
  estimate.halved_everything_bytes = EstimateOf(subject).total_bytes / 2;
  return estimate;
}

TrainingSettings WhatCounts(TrainingSettings settings) {
  const TrainingSettings by_default;
  settings.learning_rate = by_default.learning_rate;
  settings.learning_rate_rule = by_default.learning_rate_rule;
  settings.loss_scaling = by_default.loss_scaling;
  settings.seed = by_default.seed;
  settings.data = by_default.data;
  settings.empty_cache = by_default.empty_cache;
  return settings;
}

int64_t BytesOf(const Estimate& estimate, events::Category category) {
  int64_t bytes = 0;
  for (const Term& term : estimate.terms) {
    if (term.category == category) bytes += term.bytes;
  }
  return bytes;
}

}  // namespace tidemark::textbook
