// The trainer on the CPU, where numbers are real: it learns, and no technique changes what it computes.
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "tests/integration/training/replay.h"
#include "tests/integration/training/trainer_under_test.h"
#include "tests/support/catch.h"

namespace tidemark::tests {
namespace {

using events::Category;
using events::Event;
using networks::CheckpointMode;
using networks::Precision;
using networks::TrainingSettings;

const networks::DeviceChoice cpu{networks::DeviceKind::kCpu, 0, ""};
constexpr double kNeverReached = 1e30;  // clipping at this norm changes nothing and tells the norm

TrainingSettings Small() {
  TrainingSettings settings;
  settings.network = "smaller-conv-net";
  settings.batch = 16;
  settings.optimizer = networks::OptimizerKind::kSgd;
  settings.learning_rate = 0.02;
  settings.clip_norm = kNeverReached;
  return settings;
}

TEST_CASE("The loss falls within 50 steps") {
  TrainingSettings settings;  // SimpleConvNet, Adam
  settings.batch = 16;
  const std::vector<double> loss = EventsOf(settings, cpu, 50).Metric("loss");
  REQUIRE(loss.size() == 50);
  CHECK(loss.front() == Approx(std::log(10.0)).margin(0.2));  // ten classes, nothing known
  const double last_five = std::accumulate(loss.end() - 5, loss.end(), 0.0) / 5;
  CHECK(last_five < 0.5 * loss.front());
}

// A folder of CIFAR-10 with a picture for each class, all of one brightness, which goes away with the test.
class TinyCifar10 {
 public:
  TinyCifar10() {
    std::string pattern = std::filesystem::temp_directory_path() / "tidemark-cifar10-XXXXXX";
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
    std::ofstream training(path_ / "data_batch_1.bin", std::ios::binary);
    for (char label = 0; label < 10; ++label)
      training << label << std::string(3072, static_cast<char>(label * 25));
    // Of the test no picture is of its class.
    std::ofstream test(path_ / "test_batch.bin", std::ios::binary);
    for (char label = 0; label < 10; ++label)
      test << label << std::string(3072, static_cast<char>((9 - label) * 25));
  }
  ~TinyCifar10() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST_CASE("CIFAR-10's pictures are learned, and evaluated with those of the test") {
  const TinyCifar10 data;
  TrainingSettings settings;
  settings.network = "smaller-conv-net";
  settings.batch = 10;
  settings.data = data.path();
  TrainerUnderTest trainer(settings, cpu, 25);
  REQUIRE(trainer.AwaitPause());
  settings.pass = networks::Pass::kEvaluate;
  trainer.Send(transport::Change{settings});
  trainer.Send(transport::SetStepLimit{26});
  REQUIRE(trainer.AwaitPause());
  const std::vector<double> loss = trainer.collected().Metric("loss");
  REQUIRE(loss.size() == 26);
  CHECK(loss[24] < 0.7 * loss[0]);
  CHECK(loss[25] > 1.5 * loss[24]);
}

TEST_CASE("A label that CIFAR-10 does not have ends the run with a sentence") {
  const TinyCifar10 data;
  std::ofstream(data.path() / "data_batch_2.bin", std::ios::binary) << '\x0a' << std::string(3072, ' ');
  TrainingSettings settings = Small();
  settings.data = data.path();
  TrainerUnderTest trainer(settings, cpu, 1);
  const auto failed = trainer.AwaitFailure();
  REQUIRE(failed);
  CHECK(failed->sentence == (data.path() / "data_batch_2.bin").string() +
                                ": record 1 has the label 10, but CIFAR-10's are 0 to 9.");
}

TEST_CASE("However an optimizer goes about its step, the weights are the same") {
  using networks::OptimizerImplementation;
  using networks::OptimizerKind;
  TrainingSettings settings = Small();
  settings.batch = 4;
  settings.learning_rate = 1e-3;
  constexpr size_t kSteps = 4;
  TrainerUnderTest trainer(settings, cpu, kSteps);
  REQUIRE(trainer.AwaitPause());
  const auto losses = [&] {
    trainer.Send(transport::Restart{settings});
    REQUIRE(trainer.AwaitPause());
    const std::vector<double> all = trainer.collected().Metric("loss");
    return std::vector<double>(all.end() - kSteps, all.end());
  };
  for (const OptimizerKind kind : {OptimizerKind::kSgd, OptimizerKind::kMomentum, OptimizerKind::kAdam,
                                   OptimizerKind::kAdamW, OptimizerKind::kAdagrad, OptimizerKind::kRmsprop}) {
    settings.optimizer = kind;
    settings.optimizer_implementation = OptimizerImplementation::kForLoop;
    const std::vector<double> loop = losses();
    for (const auto other : {OptimizerImplementation::kForeach, OptimizerImplementation::kFused}) {
      settings.optimizer_implementation = other;
      CAPTURE(networks::ToJson(settings));
      if (!networks::Validate(settings).ok()) continue;  // there is no fused RMSprop
      const std::vector<double> whole = losses();
      for (size_t step = 0; step < kSteps; ++step) CHECK(whole[step] == Approx(loop[step]).epsilon(1e-4));
    }
  }
}

TEST_CASE("An LSTM learns which character follows") {
  TrainingSettings settings;
  settings.network = "lstm";
  settings.batch = 2;
  settings.learning_rate = 0.02;
  const std::vector<double> loss = EventsOf(settings, cpu, 12).Metric("loss");
  REQUIRE(loss.size() == 12);
  CHECK(loss.front() == Approx(std::log(65.0)).margin(0.2));
  CHECK(loss.back() < 0.8 * loss.front());
}

TEST_CASE("A generator and its discriminator learn in turns, and neither runs away") {
  TrainingSettings settings;
  settings.network = "dcgan";
  settings.batch = 2;
  settings.learning_rate = 2e-4;  // as in DCGAN (Radford et al. 2015)
  settings.accumulate = 2;
  const CollectedEvents collected = EventsOf(settings, cpu, 6);
  const auto tells = collected.Metric("discriminator's loss");
  const auto deceives = collected.Metric("generator's loss");
  REQUIRE(tells.size() == 6);
  REQUIRE(deceives.size() == 6);
  // Who knows nothing says a half of every sample, of real and made ones alike.
  CHECK(tells.front() == Approx(2 * std::log(2.0)).margin(1));
  CHECK(tells.back() < tells.front());
  for (const double loss : deceives) CHECK(loss < 10);
  CHECK(collected.Metric("loss").back() == Approx(tells.back() + deceives.back()).epsilon(1e-5));
  settings.checkpoint = {CheckpointMode::kSegments, 5};
  settings.optimizer = networks::OptimizerKind::kSgd;
  const CollectedEvents pieces = EventsOf(settings, cpu, 2);
  settings.checkpoint = {};
  CHECK(pieces.Metric("loss") == EventsOf(settings, cpu, 2).Metric("loss"));
}

TEST_CASE("Autocast's choice of types is told operator by operator, as the dispatcher saw it") {
  TrainingSettings settings = Small();
  settings.batch = 2;
  settings.amp = Precision::kBfloat16;
  const auto types = [](const CollectedEvents& collected) {
    std::map<std::string, std::string> by_layer;
    for (const Event& event : collected.events) {
      if (event.kind == events::EventKind::kScopeEnd && event.op != 0 && event.name != 0)
        by_layer[collected.NameOf(event.layer)] = collected.NameOf(event.name);
    }
    return by_layer;
  };
  const auto mixed = types(EventsOf(settings, cpu, 1));
  CHECK(mixed.at("conv1") == "bfloat16");
  CHECK(mixed.at("relu1") == "bfloat16");
  CHECK(mixed.at("fc") == "bfloat16");
  CHECK(mixed.at("loss") == "float32");
  settings.amp = Precision::kFloat32;
  CHECK(types(EventsOf(settings, cpu, 1)).empty());
}

TEST_CASE("Checkpointing changes no gradient") {
  TrainingSettings settings = Small();
  settings.accumulate = 2;
  settings.amp = GENERATE(Precision::kFloat32, Precision::kBfloat16);
  const CollectedEvents plain = EventsOf(settings, cpu, 5);
  settings.checkpoint = GENERATE(networks::Checkpointing{CheckpointMode::kByLayer, 0},
                                 networks::Checkpointing{CheckpointMode::kSegments, 1},
                                 networks::Checkpointing{CheckpointMode::kSegments, 2},
                                 networks::Checkpointing{CheckpointMode::kEvery, 2},
                                 networks::Checkpointing{CheckpointMode::kBudget, 0, 1'500'000});
  CAPTURE(networks::ToJson(settings));
  const CollectedEvents checkpointed = EventsOf(settings, cpu, 5);
  REQUIRE(plain.Metric("loss").size() == 5);
  // To the last bit: losses depend on every gradient of the steps before, the norms on every gradient of
  // theirs.
  CHECK(plain.Metric("loss") == checkpointed.Metric("loss"));
  CHECK(plain.Metric("gradient norm") == checkpointed.Metric("gradient norm"));
}

TEST_CASE("Four micro-batches of 16 are a batch of 64") {
  TrainingSettings settings = Small();
  settings.batch = 64;
  const CollectedEvents whole = EventsOf(settings, cpu, 4);
  settings.batch = 16;
  settings.accumulate = 4;
  const CollectedEvents parts = EventsOf(settings, cpu, 4);
  const auto loss = whole.Metric("loss");
  const auto parts_loss = parts.Metric("loss");
  const auto norm = whole.Metric("gradient norm");
  const auto parts_norm = parts.Metric("gradient norm");
  REQUIRE(loss.size() == 4);
  REQUIRE(parts_loss.size() == 4);
  for (size_t step = 0; step < 4; ++step) {
    CHECK(parts_loss[step] == Approx(loss[step]).epsilon(1e-4));
    CHECK(parts_norm[step] == Approx(norm[step]).epsilon(1e-4));
  }
}

TEST_CASE("A restarted run learns like a fresh process, another seed does not") {
  TrainingSettings settings = Small();
  TrainerUnderTest trainer(settings, cpu, 3);
  REQUIRE(trainer.AwaitPause());
  trainer.Send(transport::Restart{settings});
  REQUIRE(trainer.AwaitPause());
  const auto loss = trainer.collected().Metric("loss");
  REQUIRE(loss.size() == 6);
  CHECK(std::vector<double>(loss.begin(), loss.begin() + 3) ==
        std::vector<double>(loss.begin() + 3, loss.end()));
  settings.seed = 1;
  CHECK(EventsOf(settings, cpu, 1).Metric("loss").front() != loss.front());
}

TEST_CASE("Clipping brings the gradients to the norm") {
  TrainingSettings settings = Small();
  const double norm = EventsOf(settings, cpu, 1).Metric("gradient norm").front();
  // Clipped to a tenth, a step of ten times the rate is the same step.
  const auto loss = EventsOf(settings, cpu, 2).Metric("loss");
  settings.clip_norm = norm / 10;
  settings.learning_rate *= 10;
  const auto clipped = EventsOf(settings, cpu, 2).Metric("loss");
  CHECK(clipped[1] == Approx(loss[1]).epsilon(1e-4));
}

TEST_CASE("float16 starts from a scale of 65,536, and an overflow halves it and skips the step") {
  TrainingSettings settings = Small();
  settings.batch = 2;
  settings.amp = Precision::kFloat16;
  TrainerUnderTest trainer(settings, cpu, 2);
  REQUIRE(trainer.AwaitPause());
  CHECK(trainer.collected().Metric("loss scale").front() == 65536);
  // Weights that overflow half precision: a step far too long, then infinite gradients.
  settings.learning_rate = 100;
  settings.clip_norm = 0;
  trainer.Send(transport::Change{settings});
  trainer.Send(transport::SetStepLimit{6});
  REQUIRE(trainer.AwaitPause());
  const auto scale = trainer.collected().Metric("loss scale");
  const auto skipped = trainer.collected().Metric("skipped");
  REQUIRE(scale.size() == 6);
  REQUIRE_FALSE(skipped.empty());
  CHECK(scale.back() == 65536 / std::pow(2.0, static_cast<double>(skipped.size())));
}

TEST_CASE("An overflow that is certain skips steps until the scale fits, or all of them where it stays") {
  TrainingSettings settings = Small();
  settings.batch = 2;
  settings.amp = Precision::kFloat16;
  settings.loss_scaling = {true, 0x1p20};
  const CollectedEvents falling = EventsOf(settings, cpu, 8);
  const auto skipped = static_cast<double>(falling.Metric("skipped").size());
  CHECK(skipped >= 1);
  CHECK(skipped < 8);
  CHECK(falling.Metric("loss scale").back() == 0x1p20 / std::pow(2.0, skipped));
  settings.loss_scaling = {false, 0x1p90};
  const CollectedEvents staying = EventsOf(settings, cpu, 3);
  CHECK(staying.Metric("skipped").size() == 3);
  CHECK(staying.Metric("loss scale") == std::vector<double>(3, 0x1p90));
  // Weights that no step changed give the loss that an unscaled first step gives.
  settings.loss_scaling = {false, 1};
  CHECK(staying.Metric("loss").front() == EventsOf(settings, cpu, 1).Metric("loss").front());
}

TEST_CASE("In pure float16 gradients vanish, and every weight takes half the bytes") {
  TrainingSettings settings = Small();
  settings.amp = Precision::kPureFloat16;
  settings.clip_norm = 0;
  const CollectedEvents collected = EventsOf(settings, cpu, 2);
  const auto vanished = collected.Metric("vanished gradients");
  REQUIRE(vanished.size() == 2);
  CHECK(vanished.front() > 0.001);
  CHECK(vanished.front() < 1);
  CHECK(collected.Metric("loss scale").empty());
  Replay(collected.events, [&](const Event& event, const MemoryState& state) {
    if (event.kind != events::EventKind::kStepEnd) return;
    CHECK(state[Category::kParameter] == 2'084'648 / 2);
    CHECK(state[Category::kGradient] == 2'084'648 / 2);
  });
}

TEST_CASE("What only arranges memory changes no result") {
  TrainingSettings settings = Small();
  const CollectedEvents plain = EventsOf(settings, cpu, 3);
  SECTION("to the last bit") {
    settings.in_place_relu = settings.zeroed_gradients = settings.keep_losses = true;
    CHECK(EventsOf(settings, cpu, 3).Metric("loss") == plain.Metric("loss"));
  }
  SECTION("but for the order of sums, of channels last") {
    settings.channels_last = true;
    const auto loss = EventsOf(settings, cpu, 3).Metric("loss");
    for (size_t step = 0; step < 3; ++step)
      CHECK(loss[step] == Approx(plain.Metric("loss")[step]).epsilon(1e-4));
  }
}

TEST_CASE("A rule for the learning rate is that rate") {
  TrainingSettings settings = Small();
  settings.batch = 4;
  settings.accumulate = 4;
  settings.learning_rate_rule = networks::LearningRateRule::kLinear;
  const auto by_rule = EventsOf(settings, cpu, 2).Metric("loss");
  settings.learning_rate_rule = networks::LearningRateRule::kNone;
  settings.learning_rate *= 4;
  CHECK(by_rule == EventsOf(settings, cpu, 2).Metric("loss"));
}

TEST_CASE("Evaluation computes the loss and keeps nothing; without no_grad summed losses keep every graph") {
  TrainingSettings settings = Small();
  const auto trained = EventsOf(settings, cpu, 1).Metric("loss");
  settings.pass = networks::Pass::kEvaluate;
  settings.keep_losses = true;
  const CollectedEvents evaluated = EventsOf(settings, cpu, 3);
  CHECK(evaluated.Metric("loss").front() == trained.front());
  Replay(evaluated.events, [&](const Event& /*event*/, const MemoryState& state) {
    if (state[Category::kActivation] + state[Category::kGradient] + state[Category::kOptimizerState] != 0)
      FAIL("an evaluation under no_grad keeps something");
  });
  settings.pass = networks::Pass::kForward;
  std::vector<int64_t> kept;
  Replay(EventsOf(settings, cpu, 3).events, [&](const Event& event, const MemoryState& state) {
    if (event.kind == events::EventKind::kStepEnd) kept.push_back(state[Category::kActivation]);
  });
  REQUIRE(kept.size() == 3);
  CHECK(kept[0] > 1'000'000);
  CHECK(kept[1] == 2 * kept[0]);
  CHECK(kept[2] == 3 * kept[0]);
}

TEST_CASE("Memory of the CPU is told in full") {
  TrainingSettings settings = Small();
  settings.optimizer = networks::OptimizerKind::kAdam;
  settings.amp = GENERATE(Precision::kFloat32, Precision::kBfloat16);
  const CollectedEvents collected = EventsOf(settings, cpu, 3);
  Replay(collected.events, [&](const Event& event, const MemoryState& state) {
    if (event.kind != events::EventKind::kStepEnd) return;
    CHECK(state[Category::kParameter] == 2'084'648);
    CHECK(state[Category::kGradient] == 2'084'648);
    CHECK(state[Category::kOptimizerState] == 2 * 2'084'648);
    CHECK(state[Category::kActivation] == 0);
    CHECK(state[Category::kAutocastCache] == 0);
  });
}

// Limits the address space of processes that are started while it lives.
class AddressSpaceLimit {
 public:
  explicit AddressSpaceLimit(rlim_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
  }
  ~AddressSpaceLimit() { setrlimit(RLIMIT_AS, &before_); }
  AddressSpaceLimit(const AddressSpaceLimit&) = delete;
  AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;

 private:
  rlimit before_{};
};

TEST_CASE("When the CPU's memory does not suffice the run ends with an event and LibTorch's message") {
  const AddressSpaceLimit limit(5'000'000'000);
  TrainingSettings settings;
  settings.batch = networks::kMaxBatch;
  TrainerUnderTest trainer(settings, cpu, 1);
  const auto failed = trainer.AwaitFailure();
  REQUIRE(failed);
  CHECK(failed->out_of_memory);
  CHECK(failed->sentence.find("DefaultCPUAllocator: can't allocate memory") == 0);
  CHECK(trainer.AwaitExit() == 1);
  const auto& events = trainer.collected().events;
  CHECK(std::any_of(events.begin(), events.end(),
                    [](const Event& event) { return event.kind == events::EventKind::kOutOfMemory; }));
}

}  // namespace
}  // namespace tidemark::tests
