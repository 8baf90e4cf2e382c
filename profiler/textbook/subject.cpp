#include "profiler/textbook/subject.h"

#include <fmt/format.h>

#include <utility>

#include "profiler/textbook/pipeline.h"

namespace tidemark::textbook {

Subject::Subject(const networks::Network& own, const networks::TrainingSettings& valid_settings,
                 CheckpointPlan own_plan, int of_rank)
    : network(own),
      settings(valid_settings),
      rank(of_rank),
      batch(valid_settings.batch),
      value_bytes(ValueBytes(valid_settings)),
      value_name(value_bytes == kHalfBytes ? "float16" : "float32"),
      saved(FindSavedTensors(own, valid_settings)),
      plan(std::move(own_plan)),
      shards(networks::SharesGradients(valid_settings) ? ShardLayers(own, valid_settings, plan.pieces)
                                                       : LayerShards()),
      in_flight(MicroBatchesInFlight(valid_settings, of_rank)) {}

std::string ShapeInNumbers(const networks::SampleShape& shape) {
  return fmt::format("{}", fmt::join(shape, "·"));
}

std::string ProductOf(const SavedTensor& tensor, int64_t batch) {
  const std::string samples = tensor.once_for_batch ? "" : fmt::format("{} · ", batch);
  return fmt::format("{}{} · {} B", samples, ShapeInNumbers(tensor.shape), tensor.bytes_per_element);
}

}  // namespace tidemark::textbook
