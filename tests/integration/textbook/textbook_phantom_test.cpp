// Category by category, the textbook is what a step on the phantom holds of it at most, for every technique:
// the formulas are right about PyTorch, not only about the classic table.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "profiler/session/run.h"
#include "profiler/textbook/textbook.h"
#include "tests/integration/textbook/requested_bytes.h"
#include "tests/support/catch.h"

namespace tidemark::textbook {
namespace {

using events::Category;
using networks::CheckpointMode;
using networks::OptimizerKind;
using networks::Precision;
using networks::TrainingSettings;

constexpr int kAnswerTimeoutMs = 60'000;

std::vector<TrainingSettings> Configurations() {
  std::vector<TrainingSettings> all;
  for (const Precision amp : {Precision::kFloat32, Precision::kFloat16, Precision::kBfloat16}) {
    for (const networks::Checkpointing checkpoint : {networks::Checkpointing{},
                                                     {CheckpointMode::kByLayer, 0},
                                                     {CheckpointMode::kSegments, 1},
                                                     {CheckpointMode::kSegments, 2}}) {
      TrainingSettings settings;
      settings.amp = amp;
      settings.checkpoint = checkpoint;
      all.push_back(settings);
    }
  }
  TrainingSettings settings;
  settings.batch = 16;
  settings.accumulate = 4;
  settings.optimizer = OptimizerKind::kMomentum;
  all.push_back(settings);
  settings.network = "smaller-conv-net";
  settings.optimizer = OptimizerKind::kSgd;
  all.push_back(settings);
  for (const OptimizerKind optimizer : {OptimizerKind::kAdagrad, OptimizerKind::kRmsprop}) {
    settings.optimizer = optimizer;
    all.push_back(settings);
  }
  settings.optimizer = OptimizerKind::kAdamW;
  settings.clip_norm = 1;
  all.push_back(settings);
  return all;
}

// Of the last of three steps.
RequestedBytes LargestOfAStep(const TrainingSettings& settings) {
  session::LiveOptions options;
  options.settings = settings;
  options.step_limit = 3;
  const Result<std::unique_ptr<session::Run>> run = session::Run::Start(options);
  if (!run) FAIL(run.error().message);
  if (!(*run)->WaitUntilSettled(kAnswerTimeoutMs)) FAIL("the run did not settle");
  REQUIRE((*run)->view()->steps().size() == 3);
  return OfLastStep(*(*run)->view());
}

TEST_CASE("the textbook is what a step on the phantom holds at most, category by category", "[textbook]") {
  // What the textbook leaves out: the labels, what the loss saves, the loss scale; some KB at these batch
  // sizes.
  constexpr int64_t kLeftOut = 16 * 1024;
  for (const TrainingSettings& settings : Configurations()) {
    INFO(networks::ToJson(settings));
    const Result<networks::Network> network = networks::FindNetwork(settings.network);
    REQUIRE(network.ok());
    const Estimate estimate = EstimateMemory(*network, settings);
    const RequestedBytes phantom = LargestOfAStep(settings);
    for (const Category category : {Category::kParameter, Category::kGradient, Category::kOptimizerState,
                                    Category::kInput, Category::kActivation, Category::kAutocastCache}) {
      INFO(std::string(events::NameOf(category)));
      CHECK(BytesOf(estimate, category) <= phantom.Most(category));
      CHECK(phantom.Most(category) <= BytesOf(estimate, category) + kLeftOut);
    }
  }
}

// The most that temporaries took while the last step's optimizer was at work.
int64_t TemporariesOfOptimizer(const timeline::View& view) {
  const timeline::Step& step = view.steps().back();
  RequestedBytes bytes;
  for (events::EventIndex index = view.first(); index < step.end; ++index) {
    const events::Event event = view.event(index);
    if (event.kind == events::EventKind::kPhase && event.phase == events::Phase::kOptimizer) bytes.Reset();
    bytes.Apply(event);
  }
  return bytes.Most(Category::kTemporary);
}

TEST_CASE("An optimizer's step takes the temporaries that the textbook tells", "[textbook]") {
  using networks::OptimizerImplementation;
  session::LiveOptions options;
  options.settings.batch = 2;
  options.step_limit = 1;
  const Result<std::unique_ptr<session::Run>> run = session::Run::Start(options);
  if (!run) FAIL(run.error().message);
  const networks::Network network = *networks::FindNetwork(options.settings.network);
  for (const OptimizerKind optimizer : {OptimizerKind::kMomentum, OptimizerKind::kAdam, OptimizerKind::kAdamW,
                                        OptimizerKind::kAdagrad, OptimizerKind::kRmsprop}) {
    for (const auto implementation : {OptimizerImplementation::kForLoop, OptimizerImplementation::kForeach,
                                      OptimizerImplementation::kFused}) {
      options.settings.optimizer = optimizer;
      options.settings.optimizer_implementation = implementation;
      if (!networks::Validate(options.settings)) continue;  // there is no fused RMSprop
      INFO(networks::ToJson(options.settings));
      if (!(*run)->WaitUntilSettled(kAnswerTimeoutMs)) FAIL("the run did not settle");
      options.step_limit += 2;
      REQUIRE((*run)->Change(options.settings));
      REQUIRE((*run)->SetStepLimit(options.step_limit));
      if (!(*run)->WaitUntilSettled(kAnswerTimeoutMs)) FAIL("the run did not settle");
      constexpr int64_t kScalars = 1024;
      const int64_t told = EstimateMemory(network, options.settings).optimizer_step_bytes;
      const int64_t taken = TemporariesOfOptimizer(*(*run)->view());
      CHECK(told <= taken);
      CHECK(taken <= told + kScalars);
    }
  }
}

}  // namespace
}  // namespace tidemark::textbook
