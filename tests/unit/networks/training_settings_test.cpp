#include "profiler/networks/training_settings.h"

#include <limits>
#include <string>

#include "profiler/networks/techniques.h"
#include "tests/support/catch.h"

using namespace tidemark;
using namespace tidemark::networks;

namespace {

std::string Complaint(const TrainingSettings& settings) {
  const Status status = Validate(settings);
  return status ? "accepted" : status.error().message;
}

TrainingSettings Unusual() {
  TrainingSettings settings;
  settings.network = "smaller-conv-net";
  settings.batch = 4096;
  settings.amp = Precision::kBfloat16;
  settings.accumulate = 64;
  settings.checkpoint = {CheckpointMode::kSegments, 5};
  settings.optimizer = OptimizerKind::kMomentum;
  settings.learning_rate = 0.1 + 0.2;  // not a short decimal
  settings.clip_norm = 1.5;
  settings.seed = std::numeric_limits<uint64_t>::max();
  settings.loss_scaling = {false, 0.1 + 0.2};
  settings.learning_rate_rule = LearningRateRule::kSquareRoot;
  settings.pass = Pass::kForward;
  settings.in_place_relu = settings.channels_last = settings.zeroed_gradients = true;
  settings.empty_cache = settings.keep_losses = true;
  return settings;
}

}  // namespace

TEST_CASE("Settings survive their JSON exactly") {
  for (const TrainingSettings& settings : {TrainingSettings(), Unusual()}) {
    const Result<TrainingSettings> again = SettingsFromJson(ToJson(settings));
    REQUIRE(again.ok());
    CHECK(*again == settings);
  }
  CHECK(ToJson({}).find('\n') == std::string::npos);
}

TEST_CASE("Missing keys keep their defaults") {
  const Result<TrainingSettings> settings = SettingsFromJson(R"({"batch": 16})");
  REQUIRE(settings.ok());
  TrainingSettings expected;
  expected.batch = 16;
  CHECK(*settings == expected);
}

TEST_CASE("Settings that are wrong are refused with a sentence") {
  for (const char* json : {"",
                           "[]",
                           "{",
                           R"({"batch": 0})",
                           R"({"batch": "64"})",
                           R"({"batch": 64.5})",
                           R"({"batch": 99999999999})",
                           R"({"seed": -1})",
                           R"({"amp": "half"})",
                           R"({"amp": 16})",
                           R"({"checkpoint": "0"})",
                           R"({"batchsize": 64})",
                           R"({"learning_rate": 0})",
                           R"({"learning_rate": "fast"})",
                           R"({"clip_norm": -1})",
                           R"({"channels_last": "yes"})",
                           R"({"channels_last": true})",
                           R"({"loss_scale": "0"})",
                           R"({"loss_scale": "1e40"})",
                           R"({"checkpoint": "budget:"})",
                           R"({"checkpoint": "every:0"})"}) {
    const Result<TrainingSettings> settings = SettingsFromJson(json);
    INFO(json);
    REQUIRE_FALSE(settings.ok());
    CHECK(settings.error().message.ends_with("."));
  }
}

TEST_CASE("Numbers out of range name their option and what it may be") {
  TrainingSettings settings;
  CHECK(Complaint(settings) == "accepted");
  settings.batch = 0;
  CHECK(Complaint(settings) == "--batch must be between 1 and 4096, not 0.");
  settings.batch = 4097;
  CHECK(Complaint(settings) == "--batch must be between 1 and 4096, not 4097.");
  settings = {};
  settings.accumulate = 65;
  CHECK(Complaint(settings) == "--accumulate must be between 1 and 64, not 65.");
  settings = {};
  settings.checkpoint = {CheckpointMode::kSegments, 0};
  CHECK(Complaint(settings) == "--checkpoint must be between 1 and 64, not 0.");
  settings = {};
  settings.learning_rate = 0;
  CHECK(Complaint(settings) == "--lr must be above 0 and at most 100, not 0.");
  settings.learning_rate = std::numeric_limits<double>::quiet_NaN();
  CHECK(Complaint(settings) != "accepted");
  settings = {};
  settings.clip_norm = -1;
  CHECK(Complaint(settings) == "--clip must be 0 (off) or a positive norm, not -1.");
  settings.clip_norm = std::numeric_limits<double>::infinity();
  CHECK(Complaint(settings) != "accepted");
}

TEST_CASE("The ends of every range are allowed") {
  TrainingSettings settings = Unusual();
  settings.learning_rate = 100;
  settings.checkpoint = {CheckpointMode::kSegments, 64};
  CHECK(Complaint(settings) == "accepted");
  settings.batch = settings.accumulate = 1;
  settings.checkpoint.segments = 1;
  CHECK(Complaint(settings) == "accepted");
}

TEST_CASE("Each choice is read from its text and written the same") {
  for (const char* text : {"off", "fp16", "bf16", "pure-fp16"})
    CHECK(TextOf(*PrecisionFromText(text)) == text);
  for (const char* text : {"sgd", "momentum", "adam", "adamw", "adagrad", "rmsprop"})
    CHECK(TextOf(*OptimizerFromText(text)) == text);
  for (const char* text : {"none", "layer", "1", "64", "every:3", "budget:1GB", "budget:40MB",
                           "budget:1204kB", "budget:1204225"})
    CHECK(TextOf(*CheckpointingFromText(text)) == text);
  for (const char* text : {"phantom", "cpu", "cuda:0", "cuda:7"})
    CHECK(TextOf(*DeviceFromText(text, "t4")) == text);
  CHECK(DeviceFromText("phantom", "t4")->card == "t4");
  CHECK(DeviceFromText("cuda", "t4")->index == 0);
}

TEST_CASE("Unknown choices are refused with what is known") {
  CHECK(PrecisionFromText("fp61").error().message ==
        "--amp must be one of off, fp16, bf16, pure-fp16, not 'fp61'; did you mean 'fp16'?");
  CHECK(OptimizerFromText("lion king").error().message ==
        "--optimizer must be one of sgd, momentum, adam, adamw, adagrad, rmsprop, not 'lion king'.");
  for (const char* text : {"", "0", "65", "-1", "2x", "layers", "1.5", "99999999999", "every:", "every:65",
                           "budget:", "budget:0", "budget:-4", "budget:much"}) {
    INFO(text);
    CHECK_FALSE(CheckpointingFromText(text).ok());
  }
  for (const char* text : {"", "gpu", "cuda:", "cuda:-1", "cuda:x", "cuda:0x", "cpu:0"}) {
    INFO(text);
    CHECK_FALSE(DeviceFromText(text, "h200").ok());
  }
}

TEST_CASE("A change is told in words") {
  const TrainingSettings before;
  TrainingSettings after = before;
  CHECK(DescribeChange(before, after).empty());
  after.amp = Precision::kFloat16;
  CHECK(DescribeChange(before, after) == "fp16 on");
  CHECK(DescribeChange(after, before) == "fp16 off");
  after.batch = 128;
  CHECK(DescribeChange(before, after) == "fp16 on, batch 64 → 128");
  TrainingSettings named = before;
  named.network = "/a/long/way/model.pt";
  named.data = "/another/cifar-10-batches-bin/";
  CHECK(DescribeChange(before, named) == "simple-conv-net → model.pt, data cifar-10-batches-bin");
  // Every field is noticed.
  const std::string all = DescribeChange(before, Unusual());
  for (const char* part :
       {"simple-conv-net → smaller-conv-net", "bf16 on", "batch 64 → 4096", "accumulate 1 → 64",
        "checkpoint none → 5 segments", "Adam → SGD with momentum", "learning rate", "clip gradients at 1.5",
        "seed 0 →", "loss scale dynamic → 0.30000000000000004", "learning rate rule none → sqrt",
        "pass train → forward", "in-place ReLU on", "channels last on", "zeroed gradients on",
        "empty cache on", "kept losses on"}) {
    INFO(all);
    CHECK(all.find(part) != std::string::npos);
  }
}

TEST_CASE("Ways to checkpoint have names") {
  CHECK(TitleOf(Checkpointing{}) == "none");
  CHECK(TitleOf(Checkpointing{CheckpointMode::kByLayer}) == "by layer");
  CHECK(TitleOf(Checkpointing{CheckpointMode::kSegments, 1}) == "1 segment");
  CHECK(TitleOf(Checkpointing{CheckpointMode::kSegments, 3}) == "3 segments");
  CHECK(TitleOf(Checkpointing{CheckpointMode::kEvery, 2}) == "segments of 2 layers");
  CHECK(TitleOf(Checkpointing{CheckpointMode::kBudget, 0, 4'540'000'000}) == "budget 4.54 GB");
}

TEST_CASE("A technique is told in JSON where it is in use") {
  TrainingSettings settings;
  CHECK(ToJson(settings).find("channels_last") == std::string::npos);
  settings.channels_last = true;
  CHECK(ToJson(settings).find(R"("channels_last":"on")") != std::string::npos);
}

TEST_CASE("Every technique takes each of its choices, and the first is the usual") {
  for (const Technique& technique : Techniques()) {
    INFO(technique.option);
    CHECK(technique.TextOf({}) == technique.choices.front());
    for (const std::string_view choice : technique.choices) {
      TrainingSettings settings;
      REQUIRE(technique.Set(settings, choice));
      CHECK(technique.TextOf(settings) == choice);
      CHECK(technique.IsInUse(settings) == (choice != technique.choices.front()));
      CHECK(Complaint(settings) == "accepted");
    }
    TrainingSettings settings;
    const Status refused = technique.Set(settings, "sideways");
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().message.starts_with(technique.option));
    CHECK(settings == TrainingSettings());
  }
}

TEST_CASE("The learning rate follows its rule for accumulated steps") {
  TrainingSettings settings;
  settings.accumulate = 16;
  CHECK(EffectiveLearningRate(settings) == 1e-3);
  settings.learning_rate_rule = LearningRateRule::kLinear;
  CHECK(EffectiveLearningRate(settings) == Approx(16e-3));
  settings.learning_rate_rule = LearningRateRule::kSquareRoot;
  CHECK(EffectiveLearningRate(settings) == Approx(4e-3));
}
