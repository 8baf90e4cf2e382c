// What one estimate is of, looked at once for all of its terms. Immutable, any thread; what it refers to must
// outlive it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"
#include "profiler/textbook/checkpoint_plan.h"
#include "profiler/textbook/data_parallel.h"
#include "profiler/textbook/saved_tensors.h"
#include "profiler/textbook/textbook.h"

namespace tidemark::textbook {

struct Subject {
  // `plan` as PlanCheckpoints gives it for the network, which is the rank's own.
  Subject(const networks::Network& own, const networks::TrainingSettings& valid_settings,
          CheckpointPlan own_plan, int of_rank);

  const networks::Network& network;
  const networks::TrainingSettings& settings;
  const int rank;
  const int64_t batch;        // a micro-batch's samples
  const int64_t value_bytes;  // of a weight
  const char* const value_name;
  const SavedTensors saved;
  const CheckpointPlan plan;
  const LayerShards shards;  // none, where ranks share nothing layer by layer
  const int64_t in_flight;   // micro-batches of a pipeline's stage; else 1
};

// "64·30·30"
std::string ShapeInNumbers(const networks::SampleShape& shape);
// "64 · 64·30·30 · 4 B", with the micro-batch's samples first.
std::string ProductOf(const SavedTensor& tensor, int64_t batch);

}  // namespace tidemark::textbook
