// Every network of the zoo with every technique, on the phantom: it runs, and holds what the textbook says,
// category by category. One process a network; techniques change between steps, as in the window.
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/session/run.h"
#include "profiler/textbook/pipeline.h"
#include "profiler/textbook/textbook.h"
#include "tests/integration/textbook/requested_bytes.h"
#include "tests/support/catch.h"

namespace tidemark::textbook {
namespace {

using events::Category;
using networks::CheckpointMode;
using networks::Network;
using networks::Precision;
using networks::TrainingSettings;

constexpr int kRunTimeoutMs = 200'000;
constexpr int kStages = 3;

std::vector<TrainingSettings> Pipelines(const TrainingSettings& plain,
                                        const networks::Checkpointing& checkpointing) {
  TrainingSettings gpipe = plain;
  gpipe.ranks = kStages;
  gpipe.accumulate = 4;
  gpipe.pipeline = networks::PipelineSchedule::kGpipe;
  TrainingSettings turns = gpipe;
  turns.pipeline = networks::PipelineSchedule::kOneForwardOneBackward;
  turns.split = networks::StageBalance::kActivations;
  turns.amp = Precision::kFloat16;
  turns.channels_last = true;
  TrainingSettings checkpointed = turns;
  checkpointed.checkpoint = checkpointing;
  checkpointed.amp = Precision::kFloat32;
  TrainingSettings forward = gpipe;
  forward.pass = networks::Pass::kForward;
  return {gpipe, turns, checkpointed, forward};
}

std::vector<TrainingSettings> Techniques(const Network& network) {
  TrainingSettings plain;
  plain.network = network.name;
  plain.batch = 2;
  TrainingSettings amp = plain;
  amp.amp = Precision::kFloat16;
  TrainingSettings accumulated = plain;
  accumulated.accumulate = 4;
  TrainingSettings checkpointed = plain;
  const double root = std::sqrt(static_cast<double>(network.layers.size()));
  checkpointed.checkpoint = {CheckpointMode::kSegments, static_cast<int>(std::lround(root))};
  TrainingSettings by_layer = plain;
  by_layer.checkpoint = {CheckpointMode::kByLayer};
  TrainingSettings all = checkpointed;
  all.amp = Precision::kFloat16;
  all.accumulate = 4;
  TrainingSettings pure = plain;
  pure.amp = Precision::kPureFloat16;
  pure.channels_last = true;
  pure.checkpoint = {CheckpointMode::kBudget, 0, EstimateMemory(network, pure).activations_bytes * 6 / 10};
  TrainingSettings evaluated = by_layer;
  evaluated.pass = networks::Pass::kEvaluate;
  TrainingSettings forward = by_layer;
  forward.pass = networks::Pass::kForward;
  forward.channels_last = true;
  TrainingSettings in_place = amp;
  in_place.channels_last = true;
  in_place.in_place_relu = true;
  in_place.zeroed_gradients = true;
  TrainingSettings ranked = amp;
  ranked.accumulate = 2;
  ranked.ranks = 8;
  TrainingSettings shared = ranked;
  shared.zero = networks::ZeroStage::kState;
  TrainingSettings gradients = ranked;
  gradients.accumulate = 1;
  gradients.zero = networks::ZeroStage::kGradients;
  TrainingSettings sharded = ranked;
  sharded.amp = Precision::kFloat32;
  sharded.checkpoint = checkpointed.checkpoint;
  sharded.zero = networks::ZeroStage::kParameters;
  std::vector<TrainingSettings> each = {plain, amp,  accumulated, checkpointed, by_layer,
                                        all,   pure, evaluated,   forward,      in_place};
  if (!networks::CheckTogether(network, ranked).ok()) return each;
  TrainingSettings one_rank = ranked;  // nothing else changes before and after: a new run for the ranks alone
  one_rank.ranks = 1;
  each.insert(each.end(), {one_rank, ranked, shared, gradients, sharded, one_rank});
  for (const TrainingSettings& staged : Pipelines(plain, checkpointed.checkpoint)) {
    if (networks::CheckTogether(network, staged).ok()) each.push_back(staged);
  }
  return each;
}

// Of each micro-batch in flight what the textbook leaves out: labels, what the loss saves of samples with one
// label, the loss scale, and attention's random state.
int64_t LeftOut(const Network& network, const TrainingSettings& settings, int rank) {
  constexpr int64_t kScalars = 4096;
  const std::optional<Network> stage = StageOf(network, settings, rank);
  if (stage && stage->passage.sends) return kScalars;  // the last stage alone has labels and a loss
  const int64_t labels = settings.batch * networks::ElementCount(network.labels()) * 8;
  const int64_t log_probability = networks::UsesAutocast(settings) ? 6 : 4;
  return kScalars +
         MicroBatchesInFlight(settings, rank) * (labels + settings.batch * network.classes * log_probability);
}

void Compare(const Network& network, const TrainingSettings& settings, int rank, const timeline::View& view) {
  INFO(networks::ToJson(settings));
  const Estimate estimate = EstimateMemory(network, settings, settings.ranks > 1 ? rank : 0);
  const RequestedBytes phantom = OfLastStep(view);
  for (const Category category :
       {Category::kParameter, Category::kGradient, Category::kOptimizerState, Category::kInput,
        Category::kActivation, Category::kAutocastCache, Category::kCommunication}) {
    INFO(std::string(events::NameOf(category)));
    CHECK(BytesOf(estimate, category) <= phantom.Most(category));
    CHECK(phantom.Most(category) <= BytesOf(estimate, category) + LeftOut(network, settings, rank));
  }
}

TEST_CASE("every network with every technique holds on the phantom what the textbook says", "[textbook]") {
  const Result<std::vector<Network>> zoo = networks::LoadNetworks();
  REQUIRE(zoo.ok());
  int rank = 0;
  for (const Network& network : *zoo) {
    const std::vector<TrainingSettings> techniques = Techniques(network);
    session::LiveOptions options;
    rank = (rank + 1) % kStages;
    options.place = RankPlace{rank, kStages};
    options.settings = techniques.front();
    options.step_limit = 2;
    const Result<std::unique_ptr<session::Run>> run = session::Run::Start(options);
    if (!run) FAIL(run.error().message);
    for (size_t index = 0; index < techniques.size(); ++index) {
      INFO(networks::ToJson(techniques[index]));
      if (index > 0) {
        REQUIRE((*run)->Change(techniques[index]));
        REQUIRE((*run)->SetStepLimit(static_cast<int64_t>(2 * index + 2)));
      }
      if (!(*run)->WaitUntilSettled(kRunTimeoutMs)) FAIL("the run did not settle");
      INFO((*run)->status().sentence);
      REQUIRE((*run)->view()->steps().size() == 2 * index + 2);
      Compare(network, techniques[index], rank, *(*run)->view());
    }
  }
}

}  // namespace
}  // namespace tidemark::textbook
