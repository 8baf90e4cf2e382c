#include "profiler/textbook/pipeline.h"

#include <numeric>
#include <string>
#include <vector>

#include "profiler/networks/pipeline_stages.h"
#include "tests/support/catch.h"

using namespace tidemark;
using namespace tidemark::textbook;
using networks::Network;
using networks::PipelineSchedule;
using networks::TrainingSettings;

namespace {

Network FromZoo(const char* name) { return *networks::FindNetworkIn(TIDEMARK_ZOO, name); }

TrainingSettings InStages(int stages, PipelineSchedule schedule) {
  TrainingSettings settings;
  settings.ranks = stages;
  settings.pipeline = schedule;
  settings.batch = 2;
  settings.accumulate = 4;
  return settings;
}

}  // namespace

TEST_CASE("Stages have all layers, each once, and none is cut where more than one tensor passes") {
  const Result<std::vector<Network>> zoo = networks::LoadNetworksFrom(TIDEMARK_ZOO);
  REQUIRE(zoo.ok());
  for (const Network& network : *zoo) {
    INFO(network.name);
    const auto stages = networks::StagesOf(network, InStages(3, PipelineSchedule::kGpipe));
    if (network.discriminator > 0) {
      CHECK(stages.empty());
      continue;
    }
    REQUIRE(stages.size() == 3);
    CHECK(stages.front().first == 0);
    CHECK(stages.back().end == network.layers.size());
    for (size_t index = 1; index < stages.size(); ++index) {
      CHECK(stages[index].first == stages[index - 1].end);
      const auto entering = networks::BordersOf(network, stages[index].first, network.layers.size()).inputs;
      CHECK(entering == std::vector<size_t>{stages[index].first - 1});
    }
  }
}

TEST_CASE("Stages are as alike as can be, in parameters or in activations") {
  // VGG-11: 9.2 million parameters in convolutions, 102.8 in fc1, 16.8 and 4.1 behind it.
  const Network network = FromZoo("vgg-11");
  TrainingSettings settings = InStages(2, PipelineSchedule::kGpipe);
  const auto name_of_cut = [&] {
    return network.layers[networks::StagesOf(network, settings)[1].first].name;
  };
  CHECK(name_of_cut() == "fc2");
  settings.split = networks::StageBalance::kActivations;
  CHECK(name_of_cut() == "conv2");  // conv1, its ReLU and pool give 7.2 of 16.1 million values
}

TEST_CASE("More stages than a network has places to cut are refused by name") {
  TrainingSettings settings = InStages(5, PipelineSchedule::kOneForwardOneBackward);
  const Network lenet = FromZoo("lenet");
  CHECK(networks::CheckStages(lenet, settings).ok());
  settings.ranks = 6;
  CHECK(networks::CheckStages(lenet, settings).error().message ==
        "LeNet-5 can be split into 5 stages at most, for a cut needs a place where one tensor alone passes, "
        "and there are 6 ranks. Choose fewer.");
  CHECK(EstimateStages(lenet, settings).empty());
  settings.zero = networks::ZeroStage::kState;
  CHECK(networks::Validate(settings).error().message.starts_with("--pipeline gives each rank layers"));
}

TEST_CASE(
    "All stages together have what the whole has, and the schedules differ in micro-batches in flight") {
  const Network network = FromZoo("mlp");
  const Estimate whole = EstimateMemory(network, [] {
    TrainingSettings alone = InStages(1, PipelineSchedule::kOff);
    alone.accumulate = 4;
    return alone;
  }());
  const TrainingSettings gpipe = InStages(3, PipelineSchedule::kGpipe);
  const auto all = EstimateStages(network, gpipe);
  const auto turns = EstimateStages(network, InStages(3, PipelineSchedule::kOneForwardOneBackward));
  REQUIRE(all.size() == 3);
  const auto sum = [&](int64_t Estimate::*part) {
    return std::accumulate(
        all.begin(), all.end(), int64_t{0},
        [part](int64_t so_far, const StageEstimate& stage) { return so_far + stage.estimate.*part; });
  };
  CHECK(sum(&Estimate::parameters_bytes) == whole.parameters_bytes);
  CHECK(sum(&Estimate::gradients_bytes) == whole.gradients_bytes);
  CHECK(sum(&Estimate::optimizer_bytes) == whole.optimizer_bytes);
  for (size_t rank = 0; rank < 3; ++rank) {
    const auto stages_from_here = static_cast<int64_t>(3 - rank);
    CHECK(all[rank].in_flight == 4);
    CHECK(turns[rank].in_flight == stages_from_here);
    for (size_t layer = 0; layer < all[rank].estimate.layers.size(); ++layer) {
      CHECK(all[rank].estimate.layers[layer].activations_bytes * stages_from_here ==
            turns[rank].estimate.layers[layer].activations_bytes * 4);
    }
    CHECK(all[rank].estimate.activations_bytes * stages_from_here ==
          turns[rank].estimate.activations_bytes * 4);
  }
  // What fc1's ReLU gives, 2 · 512 · 4 B, is kept on both sides of the cut, for each micro-batch in flight.
  CHECK(sum(&Estimate::activations_bytes) > 4 * whole.activations_bytes);
  CHECK(BubbleShare(gpipe) == Approx(2.0 / 6));
  CHECK(BubbleShare(InStages(1, PipelineSchedule::kGpipe)) == 0);
}

TEST_CASE("A weight that layers of two stages share is on both, and its gradient goes between them") {
  const Network network = FromZoo("gpt-2");
  const TrainingSettings settings = InStages(2, PipelineSchedule::kGpipe);
  const auto stages = EstimateStages(network, settings);
  const int64_t table = network.layers.front().parameters();
  CHECK(stages[0].parameters + stages[1].parameters == network.parameters() + table);
  for (const StageEstimate& stage : stages) CHECK(stage.estimate.communication_bytes == 4 * table);
  CHECK(StageOf(network, settings, 0)->passage.shared_with == 1);
  CHECK(StageOf(network, settings, 1)->passage.shared_with == 0);
  CHECK_FALSE(StageOf(network, settings, 2));
}
