#include "profiler/textbook/on_paper.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "profiler/textbook/checkpoint_curve.h"
#include "profiler/textbook/data_parallel.h"
#include "tests/support/catch.h"

using namespace tidemark;
using namespace tidemark::textbook;
using networks::Network;
using networks::TrainingSettings;

TEST_CASE("Side by side the stages of ZeRO are what each takes of SimpleConvNet's 17.3 MB") {
  const Network network = *networks::FindNetworkIn(TIDEMARK_ZOO, "simple-conv-net");
  TrainingSettings settings;
  settings.ranks = 8;
  const Estimate estimate = EstimateMemory(network, settings);
  const auto lines = EstimateOnPaper(network, settings);
  REQUIRE(lines.size() == 6);
  constexpr int64_t kP = 4'316'712;
  const int64_t rest = estimate.total_bytes - 5 * kP;  // parameters, gradients, buckets, two moments
  CHECK(lines[0].total_bytes == 4 * kP + rest);
  CHECK(lines[2].total_bytes == estimate.total_bytes);
  // As --zero tells them: rank 0 has fc's weight, or of each layer an eighth, rounded up.
  constexpr int64_t kFc = 125'442;
  constexpr int64_t kShards = 224 + 9'232 + kFc;
  const int64_t sharded = 4 * (1'003'520 + kFc) + 4 * 8 * kFc + 2 * 4 * kShards + rest;
  CHECK(lines[3].total_bytes == 3 * kP + 2 * 4 * 1'003'520 + rest);
  CHECK(lines[4].total_bytes == kP + sharded);
  CHECK(lines[5].total_bytes == 4 * (kShards + 8 * kFc) + sharded);
  settings.ranks = 1;
  const Estimate alone = EstimateMemory(network, settings);
  for (const PaperLine& line : EstimateOnPaper(network, settings)) {
    INFO(line.title);
    if (line.title.starts_with("ZeRO")) CHECK(line.total_bytes == alone.total_bytes);
  }
}

TEST_CASE(
    "Tensors go to the rank that has least, the largest first, so that one of eight has most of the state") {
  CHECK(OwnersOf({3, 8, 1, 5, 5}, 2) == std::vector<int>{0, 0, 1, 1, 1});
  CHECK(OwnersOf({4}, 3) == std::vector<int>{0});
  TrainingSettings settings;
  settings.ranks = 8;
  settings.zero = networks::ZeroStage::kState;
  const Network network = *networks::FindNetworkIn(TIDEMARK_ZOO, "simple-conv-net");
  CHECK(ParametersOfRank(network, settings, 0) == 1'003'520);  // fc's weight
  CHECK(ParametersOfRank(network, settings, 1) == 73'728);     // conv2's
  CHECK(EstimateMemory(network, settings).optimizer_bytes == 2 * 4 * 1'003'520);
  CHECK(EstimateMemory(network, settings, 1).optimizer_bytes == 2 * 4 * 73'728);
  settings.ranks = 1;
  CHECK(ParametersOfRank(network, settings, 0) == network.parameters());
}

TEST_CASE("Of each layer a rank has an N-th, rounded up, and what is whole is one layer at a time") {
  const Network network = *networks::FindNetworkIn(TIDEMARK_ZOO, "simple-conv-net");
  TrainingSettings settings;
  settings.ranks = 8;
  settings.zero = networks::ZeroStage::kParameters;
  constexpr int64_t kConv1 = 224;    // (1,728 + 64) / 8
  constexpr int64_t kConv2 = 9'232;  // (73,728 + 128) / 8
  constexpr int64_t kFc = 125'442;   // ⌈(1,003,520 + 10) / 8⌉
  constexpr int64_t kShards = kConv1 + kConv2 + kFc;
  const Estimate sharded = EstimateMemory(network, settings);
  CHECK(sharded.parameters_bytes == 4 * kShards);
  CHECK(sharded.gathered_parameters_bytes == 4 * 8 * kFc);
  CHECK(sharded.optimizer_bytes == 2 * 4 * kShards);
  CHECK(sharded.gradients_bytes == 4 * kShards);
  CHECK(BytesOf(sharded, events::Category::kGradient) ==
        4 * (1'003'520 + kFc));  // fc's weight, whole, and its shard
  CHECK(sharded.communication_bytes == 4 * 8 * kFc);
  const auto formula_of_whole = [](const Estimate& estimate) {
    const auto term = std::ranges::find(estimate.terms, "Gradients, whole", &Term::title);
    return term == estimate.terms.end() ? std::string() : term->symbols;
  };
  CHECK(formula_of_whole(sharded) ==
        "max over layers of (max(n, g + ⌈n / N⌉) + Σ shards by then) · 4 B − all shards");
  CHECK(EstimateMemory(network, settings, 7).total_bytes == sharded.total_bytes);
  settings.accumulate = 2;
  CHECK(EstimateMemory(network, settings).whole_gradients_bytes == 4 * (1'003'520 + kFc));
  CHECK(formula_of_whole(EstimateMemory(network, settings)) ==
        "max over layers of max(n, g + ⌈n / N⌉) · 4 B");
  settings.zero = networks::ZeroStage::kGradients;
  CHECK(EstimateMemory(network, settings).parameters_bytes == 4 * network.parameters());
  CHECK(EstimateMemory(network, settings).optimizer_bytes == sharded.optimizer_bytes);
}

TEST_CASE("Buckets close at 1 MiB and at 25 MiB, from the last layer to the first") {
  TrainingSettings settings;
  settings.ranks = 2;
  const Network simple = *networks::FindNetworkIn(TIDEMARK_ZOO, "simple-conv-net");
  // fc's weight, 4,014,080 B, closes the first.
  CHECK(GradientBuckets(simple, settings) == std::vector<int64_t>{4'014'080, 302'632});
  const Network vgg = *networks::FindNetworkIn(TIDEMARK_ZOO, "vgg-11");
  const auto buckets = GradientBuckets(vgg, settings);
  CHECK(std::accumulate(buckets.begin(), buckets.end(), int64_t{0}) == 4 * vgg.parameters());
  for (size_t i = 0; i + 1 < buckets.size(); ++i) CHECK(buckets[i] >= (i == 0 ? 1 << 20 : 25 << 20));
  settings.pass = networks::Pass::kEvaluate;
  CHECK(GradientBuckets(vgg, settings).empty());
  settings.ranks = 1;
  settings.pass = networks::Pass::kTrain;
  CHECK(GradientBuckets(vgg, settings).empty());
}

TEST_CASE("8-bit state is a byte a value and a float32 for 2048 of them, but in small tensors") {
  const Network network = *networks::FindNetworkIn(TIDEMARK_ZOO, "simple-conv-net");
  const TrainingSettings settings;
  const auto lines = EstimateOnPaper(network, settings);
  // Weights of conv2 (73,728) and fc (1,003,520); conv1's 1,728 and the biases (64, 128, 10) are small.
  const int64_t moment = 73'728 + 36 * 4 + 1'003'520 + 490 * 4 + (1'728 + 64 + 128 + 10) * 4;
  CHECK(lines[1].optimizer_bytes == 2 * moment);
}

TEST_CASE("The curve falls: fewer bytes for more that runs again, and its best points beat all others") {
  const Network network = *networks::FindNetworkIn(TIDEMARK_ZOO, "vgg-11");
  TrainingSettings settings;
  settings.batch = 2;
  const auto curve = CheckpointCurve(network, settings);
  REQUIRE(curve.size() >= 4);
  const auto none = std::ranges::find(curve, networks::Checkpointing(), &CurvePoint::checkpoint);
  REQUIRE(none != curve.end());
  CHECK(none->share_run_again == 0);
  CHECK(none->saved_bytes == curve.back().saved_bytes);  // of one segment as well
  CHECK(curve.front().saved_bytes < curve.back().saved_bytes);
  double again = 2;
  for (const CurvePoint& point : curve) {
    CHECK(point.share_run_again <= 1);
    CHECK(point.is_best == (point.share_run_again < again));
    if (point.is_best) again = point.share_run_again;
  }
}

TEST_CASE("A tiny network gains nothing by one segment") {
  const Network network = *networks::FindNetworkIn(TIDEMARK_ZOO, "simple-conv-net");
  TrainingSettings settings;
  const int64_t plain = EstimateMemory(network, settings).activations_bytes;
  settings.checkpoint = {networks::CheckpointMode::kSegments, 1};
  CHECK(EstimateMemory(network, settings).activations_bytes == plain);
  const auto curve = CheckpointCurve(network, settings);  // which has what is in force
  const auto one = std::ranges::find(curve, settings.checkpoint, &CurvePoint::checkpoint);
  REQUIRE(one != curve.end());
  CHECK(one->share_run_again == 1);
  CHECK(one->saved_bytes == plain);
  CHECK_FALSE(one->is_best);
}

TEST_CASE("A way that is in force and is planned anyway is on the curve once") {
  const Network network = *networks::FindNetworkIn(TIDEMARK_ZOO, "simple-conv-net");
  TrainingSettings settings;
  for (const networks::CheckpointMode mode :
       {networks::CheckpointMode::kByLayer, networks::CheckpointMode::kSegments}) {
    settings.checkpoint = {mode, mode == networks::CheckpointMode::kSegments ? 1 : 0};
    const auto curve = CheckpointCurve(network, settings);
    CHECK(std::ranges::count(curve, settings.checkpoint, &CurvePoint::checkpoint) == 1);
  }
}

TEST_CASE("The way that is in force is on the curve, also where another comes to the same") {
  for (const char* const name : {"simple-conv-net", "lenet", "vgg-11", "dcgan"}) {
    const Network network = *networks::FindNetworkIn(TIDEMARK_ZOO, name);
    TrainingSettings settings;
    settings.network = name;
    settings.checkpoint = {networks::CheckpointMode::kBudget, 0, int64_t{1} << 40};  // all may be kept
    const auto curve = CheckpointCurve(network, settings);
    const auto in_force = std::ranges::find(curve, settings.checkpoint, &CurvePoint::checkpoint);
    const auto none = std::ranges::find(curve, networks::Checkpointing(), &CurvePoint::checkpoint);
    REQUIRE(in_force != curve.end());
    REQUIRE(none != curve.end());
    CHECK(in_force->saved_bytes == none->saved_bytes);
    CHECK(in_force->share_run_again == 0);
    CHECK(in_force->is_best == none->is_best);
  }
}

TEST_CASE("The price list stops when it is told to, and says how far it is") {
  const Network network = *networks::FindNetworkIn(TIDEMARK_ZOO, "lenet");
  std::vector<double> told;
  const auto until = [&](size_t calls) {
    told.clear();
    return CheckpointCurve(network, {}, [&told, calls](double share) {
      told.push_back(share);
      return told.size() < calls;
    });
  };
  CHECK(until(3).empty());
  CHECK(told.size() == 3);
  const auto curve = until(100);
  CHECK_FALSE(curve.empty());
  CHECK(std::ranges::is_sorted(told));
  CHECK(told.back() <= 1);
  for (const CurvePoint& point : curve) {
    TrainingSettings settings;
    settings.checkpoint = point.checkpoint;  // its budget in three digits is what was planned
    CHECK(EstimateMemory(network, settings).activations_bytes == point.saved_bytes);
    CHECK(EstimateMemory(network, settings).total_bytes == point.total_bytes);
  }
}
