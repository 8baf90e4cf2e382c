#include "profiler/textbook/pipeline.h"

#include <algorithm>
#include <vector>

#include "profiler/networks/pipeline_stages.h"
#include "profiler/textbook/saved_tensors.h"

namespace tidemark::textbook {
namespace {

using networks::kNetworkInput;
using networks::Layer;
using networks::Network;
using networks::Stage;

size_t StageWith(const std::vector<Stage>& stages, size_t layer) {
  const auto found = std::ranges::find_if(stages, [layer](const Stage& stage) { return layer < stage.end; });
  return static_cast<size_t>(found - stages.begin());
}

// Whether autocast has a layer give half precision.
bool GivesHalf(const Network& network, size_t layer) {
  networks::TrainingSettings autocast;
  autocast.amp = networks::Precision::kFloat16;
  const SavedTensors saved = FindSavedTensors(network, autocast);
  return saved.tensors[saved.OutputOf(layer)].bytes_per_element == kHalfBytes;
}

// Whose weight another stage has, too: an embedding, or the linear layer that its table serves.
void MarkShared(const Network& network, const std::vector<Stage>& stages, size_t rank, Network* part) {
  for (size_t index = 0; index < network.layers.size(); ++index) {
    const size_t table = network.layers[index].weights_of;
    if (table == kNetworkInput) continue;
    const size_t of_table = StageWith(stages, table);
    const size_t of_layer = StageWith(stages, index);
    if (of_table == of_layer) continue;
    if (rank != of_table && rank != of_layer) continue;
    const size_t other = rank == of_table ? of_layer : of_table;
    part->passage.shared_layer = (rank == of_table ? table : index) - stages[rank].first;
    part->passage.shared_with = static_cast<int>(other);
  }
}

Layer LayerOfStage(const Network& network, size_t index, size_t first) {
  Layer layer = network.layers[index];
  for (size_t& input : layer.inputs)
    input = input == kNetworkInput || input < first ? kNetworkInput : input - first;
  if (layer.weights_of == kNetworkInput) return layer;
  const bool has_table = layer.weights_of >= first;
  if (!has_table) layer.weight_elements = network.layers[layer.weights_of].weight_elements;
  layer.weights_of = has_table ? layer.weights_of - first : kNetworkInput;
  return layer;
}

}  // namespace

std::optional<Network> StageOf(const Network& network, const networks::TrainingSettings& settings, int rank) {
  const std::vector<Stage> stages = networks::StagesOf(network, settings);
  const auto number = static_cast<size_t>(rank);
  if (number >= stages.size()) return std::nullopt;
  const auto [first, end] = stages[number];
  Network part = network;
  part.layers.clear();
  for (size_t index = first; index < end; ++index) part.layers.push_back(LayerOfStage(network, index, first));
  part.passage.receives = first > 0;
  part.passage.sends = end < network.layers.size();
  if (first > 0) {
    part.input = network.layers[first - 1].output;
    part.vocabulary = 0;
    part.passage.received_is_half = GivesHalf(network, first - 1);
  }
  MarkShared(network, stages, number, &part);
  return part;
}

int64_t MicroBatchesInFlight(const networks::TrainingSettings& settings, int rank) {
  if (!networks::UsesPipeline(settings) || settings.pass != networks::Pass::kTrain) return 1;
  if (settings.pipeline == networks::PipelineSchedule::kGpipe) return settings.accumulate;
  return std::clamp(settings.ranks - rank, 1, settings.accumulate);
}

std::vector<StageEstimate> EstimateStages(const Network& network,
                                          const networks::TrainingSettings& settings) {
  std::vector<StageEstimate> estimates;
  const auto count = static_cast<int>(networks::StagesOf(network, settings).size());
  for (int rank = 0; rank < count; ++rank) {
    const Network stage = *StageOf(network, settings, rank);
    estimates.push_back({stage.layers.front().name, stage.layers.back().name, stage.parameters(),
                         MicroBatchesInFlight(settings, rank), EstimateMemory(network, settings, rank)});
  }
  return estimates;
}

double BubbleShare(const networks::TrainingSettings& settings) {
  if (!networks::UsesPipeline(settings)) return 0;
  return static_cast<double>(settings.ranks - 1) /
         static_cast<double>(settings.accumulate + settings.ranks - 1);
}

}  // namespace tidemark::textbook
