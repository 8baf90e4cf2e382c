// What ranks add to a step's time, and take from it.
#include "profiler/advice/step_time.h"

#include <algorithm>
#include <utility>

#include "tests/support/catch.h"

namespace tidemark::advice {
namespace {

using networks::PipelineSchedule;
using networks::TrainingSettings;
using networks::ZeroStage;

struct Case {
  networks::Network network;
  TrainingSettings settings;
  phantom::Card card;

  explicit Case(const char* name) : network(*networks::FindNetwork(name)), card(*phantom::FindCard("h100")) {
    settings.network = name;
  }
  StepTime Time(size_t rank = 0) const { return EstimateStepTimeOfStages(network, settings, card).at(rank); }
  // All parameters over the link, but this rank's own.
  double OnceOverTheLink() const {
    const double others = static_cast<double>(settings.ranks - 1) / settings.ranks;
    return others * 4.0 * static_cast<double>(network.parameters()) / card.link_bytes_per_second;
  }
};

TEST_CASE("A discriminator runs three times in a step, its generator twice", "[step time]") {
  Case gan("dcgan");
  const StepTime both = gan.Time();
  Case generator("dcgan");
  generator.network.layers.resize(gan.network.discriminator);
  generator.network.discriminator = 0;
  const StepTime one = generator.Time();
  gan.network.discriminator = 0;  // as if they were one network
  const StepTime once = gan.Time();
  CHECK(both.forward == Approx(2 * one.forward + 3 * (once.forward - one.forward)));
  CHECK(both.backward == Approx(one.backward + 3 * (once.backward - one.backward)));
}

TEST_CASE("Convolutions in float32 run in TF32 where the card has it, multiplications of matrices do not",
          "[step time]") {
  for (const auto& [name, is_faster] : {std::pair("resnet-50", true), std::pair("gpt-mini", false)}) {
    Case on_new(name);
    on_new.settings.batch = 256;
    Case on_old = on_new;
    on_old.card.compute_capability = 75;
    CHECK((on_new.Time().forward < on_old.Time().forward) == is_faster);
    on_new.settings.amp = on_old.settings.amp = networks::Precision::kFloat16;
    CHECK(on_new.Time().forward == on_old.Time().forward);
  }
}

TEST_CASE("An all-reduce hides behind backward as far as that is longer", "[step time]") {
  Case data_parallel("vgg-11");
  data_parallel.settings.batch = 16;
  CHECK(data_parallel.Time().sending == 0);
  data_parallel.settings.ranks = 8;
  CHECK(data_parallel.Time().sending == 0);
  data_parallel.card.link_bytes_per_second = 1e9;
  const StepTime slow = data_parallel.Time();
  CHECK(slow.sending == Approx(2 * data_parallel.OnceOverTheLink() - slow.backward));
  data_parallel.settings.checkpoint.mode = networks::CheckpointMode::kByLayer;
  const StepTime checkpointed = data_parallel.Time();
  CHECK(checkpointed.again > 0);
  CHECK(checkpointed.sending == Approx(slow.sending - checkpointed.again));
  data_parallel.settings.pass = networks::Pass::kEvaluate;
  CHECK(data_parallel.Time().sending == 0);
}

TEST_CASE("Sharing sends each micro-batch what the stage of ZeRO asks for", "[step time]") {
  Case sharing("vgg-11");
  sharing.settings.ranks = 4;
  sharing.settings.accumulate = 3;
  const double once = sharing.OnceOverTheLink();
  sharing.settings.zero = ZeroStage::kState;
  CHECK(sharing.Time().sending == Approx(once));  // all else hides
  sharing.settings.zero = ZeroStage::kGradients;
  CHECK(sharing.Time().sending == Approx(4 * once));
  sharing.settings.zero = ZeroStage::kParameters;
  CHECK(sharing.Time().sending == Approx(9 * once));
}

TEST_CASE("A pipeline's stages take equally long, and wait for the slowest", "[step time]") {
  Case pipeline("gpt-mini");
  const double alone = pipeline.Time().total();
  pipeline.settings.ranks = 4;
  pipeline.settings.pipeline = PipelineSchedule::kGpipe;
  const auto waits = [&](size_t rank) { return pipeline.Time(rank).waiting; };
  const double one_by_one = pipeline.Time().total();
  CHECK(one_by_one > 0.9 * alone);  // one micro-batch: a stage after another
  for (size_t rank = 0; rank < 4; ++rank) {
    CHECK(pipeline.Time(rank).total() == Approx(one_by_one));
    CHECK(waits(rank) > 0);
  }
  pipeline.settings.accumulate = 16;
  CHECK(pipeline.Time().total() < 16 * one_by_one / 2);
  const double idle = std::min({waits(0), waits(1), waits(2), waits(3)});
  const StepTime time = pipeline.Time();
  CHECK(idle / time.total() < 0.25);  // the slowest stage waits about (S - 1) / (M + S - 1) = 3 / 19 of it
  CHECK(idle / time.total() > 0.05);
  const auto sends = [&](size_t rank) { return pipeline.Time(rank).sending; };
  CHECK(sends(0) > 0);                             // outputs on
  CHECK(sends(0) + sends(3) == Approx(sends(1)));  // gradients back, or both: all as large
  pipeline.settings.pass = networks::Pass::kEvaluate;
  CHECK(sends(0) > 0);
  CHECK(sends(3) == 0);
}

TEST_CASE("An LSTM's time steps wait for each other", "[step time]") {
  Case lstm("lstm");
  lstm.settings.batch = 1;
  CHECK(lstm.Time().forward > 128 * 3.8e-6);
}

}  // namespace
}  // namespace tidemark::advice
