#include "profiler/textbook/textbook.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "profiler/textbook/operations.h"
#include "tests/support/catch.h"

using namespace tidemark;
using namespace tidemark::textbook;
using events::Category;
using networks::Checkpointing;
using networks::CheckpointMode;
using networks::Network;
using networks::OptimizerKind;
using networks::Precision;
using networks::TrainingSettings;

namespace {

Network FromZoo(const std::string& name) { return *networks::FindNetworkIn(TIDEMARK_ZOO, name); }

// A deeper chain, where checkpointing pays.
Network Deep() {
  std::string layers;
  for (int i = 1; i <= 9; ++i) {
    const std::string number = std::to_string(i);
    layers += R"({"name": "fc)" + number + R"(", "kind": "linear", "in": 100, "out": 100}, {"name": "relu)" +
              number + R"(", "kind": "relu"}, )";
  }
  return *networks::NetworkFromJson(
      R"({"title": "Deep", "description": "Nine layers.", "input": [100], "classes": 10,
      "layers": [)" +
      layers + R"({"name": "out", "kind": "linear", "in": 100, "out": 10}]})");
}

std::vector<TrainingSettings> AllTechniques() {
  std::vector<TrainingSettings> all;
  for (const Precision amp : {Precision::kFloat32, Precision::kFloat16, Precision::kBfloat16}) {
    for (const Checkpointing& checkpoint :
         {Checkpointing{}, Checkpointing{CheckpointMode::kByLayer, 0},
          Checkpointing{CheckpointMode::kSegments, 1}, Checkpointing{CheckpointMode::kSegments, 2},
          Checkpointing{CheckpointMode::kSegments, 3}, Checkpointing{CheckpointMode::kSegments, 64}}) {
      for (const OptimizerKind optimizer :
           {OptimizerKind::kSgd, OptimizerKind::kMomentum, OptimizerKind::kAdam, OptimizerKind::kAdamW}) {
        for (const int accumulate : {1, 4}) {
          TrainingSettings settings;
          settings.batch = 16;
          settings.amp = amp;
          settings.checkpoint = checkpoint;
          settings.optimizer = optimizer;
          settings.accumulate = accumulate;
          all.push_back(settings);
        }
      }
    }
  }
  return all;
}

TrainingSettings With(Checkpointing checkpoint, Precision amp = Precision::kFloat32) {
  TrainingSettings settings;
  settings.checkpoint = checkpoint;
  settings.amp = amp;
  return settings;
}

}  // namespace

TEST_CASE("The classic table of SimpleConvNet, to the byte") {
  const Estimate estimate = EstimateMemory(FromZoo("simple-conv-net"), {});
  CHECK(estimate.parameters_bytes == 4'316'712);
  CHECK(estimate.gradients_bytes == 4'316'712);
  CHECK(estimate.optimizer_bytes == 8'633'424);
  CHECK(estimate.activations_bytes == 14'745'600 + 25'690'112);
  CHECK(estimate.input_bytes == 786'432);
  CHECK(estimate.autocast_cache_bytes == 0);
  CHECK(estimate.total_bytes == 58'488'992);
  CHECK(estimate.halved_everything_bytes == 58'488'992 / 2);
}

TEST_CASE("The classic table's layers, to the byte") {
  const Estimate estimate = EstimateMemory(FromZoo("simple-conv-net"), {});
  REQUIRE(estimate.layers.size() == 6);
  const auto check = [&](size_t index, const char* name, int64_t parameters, int64_t bytes,
                         int64_t activations) {
    const LayerEstimate& layer = estimate.layers[index];
    CHECK(layer.name == name);
    CHECK(layer.parameters == parameters);
    CHECK(layer.parameters_bytes == bytes);
    CHECK(layer.activations_bytes == activations);
    CHECK(layer.recomputed_bytes == 0);
  };
  check(0, "conv1", 1'792, 7'168, 14'745'600);
  check(1, "relu1", 0, 0, 0);
  check(2, "conv2", 73'856, 295'424, 25'690'112);
  check(3, "relu2", 0, 0, 0);
  check(4, "flatten", 0, 0, 0);
  check(5, "fc", 1'003'530, 4'014'120, 0);
  CHECK(estimate.layers[0].output == "64×64×30×30");
  CHECK(estimate.layers[0].formula == "the result of relu1: 64 · 64·30·30 · 4 B = 14,745,600 B");
  CHECK(estimate.layers[1].formula == "its result counts with conv1");
  CHECK(estimate.layers[4].formula == "a view of its input, without memory of its own");
  CHECK(estimate.layers[5].formula == "nothing keeps its output");
}

TEST_CASE("Autocast halves activations, copies weights, and leaves the rest") {
  for (const Precision amp : {Precision::kFloat16, Precision::kBfloat16}) {
    const Estimate estimate = EstimateMemory(FromZoo("simple-conv-net"), With({}, amp));
    CHECK(estimate.parameters_bytes == 4'316'712);
    CHECK(estimate.gradients_bytes == 4'316'712);
    CHECK(estimate.optimizer_bytes == 8'633'424);
    CHECK(estimate.input_bytes == 786'432);
    // The two results at half size, and conv1's input copied to half.
    CHECK(estimate.activations_bytes == 7'372'800 + 12'845'056 + 393'216);
    CHECK(estimate.autocast_cache_bytes == 1'079'178 * 2);
    CHECK(estimate.halved_everything_bytes == 58'488'992 / 2);
    CHECK(estimate.total_bytes > estimate.halved_everything_bytes);
    CHECK(estimate.layers[0].formula ==
          "its input copied to half precision: 64 · 3·32·32 · 2 B = 393,216 B; the result of relu1: 64 · "
          "64·30·30 · 2 B = 7,372,800 B");
  }
}

TEST_CASE("Optimizers keep none, one or two values per parameter") {
  TrainingSettings settings;
  const Network network = FromZoo("simple-conv-net");
  const auto state = [&](OptimizerKind optimizer) {
    settings.optimizer = optimizer;
    return EstimateMemory(network, settings).optimizer_bytes;
  };
  CHECK(state(OptimizerKind::kSgd) == 0);
  CHECK(state(OptimizerKind::kMomentum) == 4'316'712);
  CHECK(state(OptimizerKind::kAdam) == 8'633'424);
  CHECK(state(OptimizerKind::kAdamW) == 8'633'424);
  CHECK(state(OptimizerKind::kAdagrad) == 4'316'712);
  CHECK(state(OptimizerKind::kRmsprop) == 4'316'712);
}

TEST_CASE("What does not count changes no figure and no word") {
  const Network network = FromZoo("simple-conv-net");
  const auto told = [&network](const TrainingSettings& settings) {
    const Estimate estimate = EstimateMemory(network, settings);
    std::string text = std::to_string(estimate.total_bytes) + " " +
                       std::to_string(estimate.optimizer_step_bytes) + " " +
                       std::to_string(estimate.halved_everything_bytes);
    for (const Term& term : estimate.terms) text += "\n" + term.title + " " + term.words + " " + term.symbols;
    for (const LayerEstimate& layer : estimate.layers) text += "\n" + layer.name + " " + layer.formula;
    return text;
  };
  for (const TrainingSettings& settings : AllTechniques()) {
    TrainingSettings other = settings;
    other.learning_rate = 0.5;
    other.learning_rate_rule = networks::LearningRateRule::kLinear;
    other.loss_scaling.dynamic = !other.loss_scaling.dynamic;
    other.seed = 7;
    other.data = "cifar-10-batches-bin";
    other.empty_cache = !other.empty_cache;
    CHECK(told(other) == told(settings));
    CHECK(WhatCounts(other) == WhatCounts(settings));
    CHECK(told(WhatCounts(settings)) == told(settings));
  }
}

TEST_CASE("Accumulation needs the memory of one micro-batch") {
  TrainingSettings settings;
  settings.batch = 16;
  const Estimate once = EstimateMemory(FromZoo("simple-conv-net"), settings);
  settings.accumulate = 4;
  CHECK(EstimateMemory(FromZoo("simple-conv-net"), settings).total_bytes == once.total_bytes);
}

TEST_CASE("Checkpointing by hand on the deep chain") {
  // Ten groups; each but the last leaves a result of 64 · 100 · 4 B = 25,600 B, nine of them without
  // checkpointing.
  const Network network = Deep();
  const int64_t one = 25'600;
  CHECK(EstimateMemory(network, With({})).activations_bytes == 9 * one);
  // Five pieces of two groups. Piece p keeps p inputs (the first is the batch) and makes two results again
  // (the last piece one: `out` saves fc9's result only): piece 4 of 5 needs most with 3 + 2, piece 5 has 4
  // + 1.
  const Estimate five = EstimateMemory(network, With({CheckpointMode::kSegments, 5}));
  CHECK(five.activations_bytes == 5 * one);
  // Two pieces of five groups: 0 + 5, then 1 + 4.
  CHECK(EstimateMemory(network, With({CheckpointMode::kSegments, 2})).activations_bytes == 5 * one);
  // Three pieces of 4, 3, 3 groups: 0 + 4, 1 + 3, 2 + 2.
  CHECK(EstimateMemory(network, With({CheckpointMode::kSegments, 3})).activations_bytes == 4 * one);
  // One piece: everything is made again at once.
  CHECK(EstimateMemory(network, With({CheckpointMode::kSegments, 1})).activations_bytes == 9 * one);
  // A piece a group keeps every result as an input; nothing is saved by it.
  CHECK(EstimateMemory(network, With({CheckpointMode::kByLayer, 0})).activations_bytes == 9 * one);
}

TEST_CASE("Checkpointed layers say what they keep and what they make again") {
  const Estimate estimate = EstimateMemory(FromZoo("simple-conv-net"),
                                           With({CheckpointMode::kSegments, 2}));  // conv1 … flatten | fc
  CHECK(estimate.layers[0].activations_bytes == 0);
  CHECK(estimate.layers[0].recomputed_bytes == 14'745'600);
  CHECK(estimate.layers[2].activations_bytes == 25'690'112);
  CHECK(estimate.layers[2].recomputed_bytes == 25'690'112);
  CHECK(estimate.layers[0].formula ==
        "made again in backward: the result of relu1: 64 · 64·30·30 · 4 B = 14,745,600 B");
  CHECK(estimate.layers[1].formula == "its result counts with conv1");
  CHECK(estimate.layers[1].counts_with.empty());  // which keeps nothing of it
  CHECK(estimate.layers[3].counts_with == "conv2");
  REQUIRE(estimate.terms.size() == 6);
  CHECK(estimate.terms[4].title == "Activations, kept by checkpointing");
  CHECK(estimate.terms[5].words ==
        "what backward makes again of piece 1 of 2 (conv1 … flatten), the one that needs most");
}

TEST_CASE("Without a backward checkpointing keeps nothing of an evaluation, and makes nothing again") {
  TrainingSettings settings = With({CheckpointMode::kByLayer, 0});
  settings.pass = networks::Pass::kEvaluate;
  CHECK(EstimateMemory(Deep(), settings).activations_bytes == 0);
  settings.checkpoint = {CheckpointMode::kSegments, 3};
  settings.pass = networks::Pass::kTrain;
  const int64_t of_training = EstimateMemory(Deep(), settings).activations_bytes;
  settings.pass = networks::Pass::kForward;
  const Estimate forward = EstimateMemory(Deep(), settings);
  CHECK(forward.activations_bytes > 0);
  CHECK(forward.activations_bytes < of_training);
  CHECK(std::ranges::none_of(forward.terms,
                             [](const Term& term) { return term.title.find("again") != std::string::npos; }));
  CHECK(std::ranges::all_of(forward.layers,
                            [](const LayerEstimate& layer) { return layer.recomputed_bytes == 0; }));
}

TEST_CASE("A checkpointed piece that saves nothing keeps nothing, by layer as within a budget") {
  const Network network = *networks::NetworkFromJson(
      R"({"title": "P", "description": "Positions.", "input": [8], "vocabulary": 20, "classes": 20, "layers": [
      {"name": "e", "kind": "embedding", "in": 20, "out": 16}, {"name": "p", "kind": "position_embedding", "length": 8},
      {"name": "o", "kind": "linear", "in": 16, "out": 20}]})");
  const Estimate estimate = EstimateMemory(network, With({CheckpointMode::kByLayer, 0}));
  int64_t kept = 0;
  for (const Term& term : estimate.terms) {
    if (term.title.find("checkpointing") != std::string::npos) kept = term.bytes;
  }
  CHECK(kept == TrainingSettings{}.batch * 8 * 16 * 4);  // what enters o, and not what enters p
}

TEST_CASE("Terms carry words and symbols, and sum to the total") {
  for (const std::string name : {"simple-conv-net", "smaller-conv-net"}) {
    for (const TrainingSettings& settings : AllTechniques()) {
      const Estimate estimate = EstimateMemory(FromZoo(name), settings);
      INFO(networks::ToJson(settings));
      int64_t sum = 0;
      for (const Term& term : estimate.terms) {
        sum += term.bytes;
        CHECK_FALSE(term.title.empty());
        CHECK_FALSE(term.words.empty());
        CHECK_FALSE(term.symbols.empty());
      }
      CHECK(estimate.total_bytes == sum);
      CHECK(estimate.total_bytes == estimate.parameters_bytes + estimate.gradients_bytes +
                                        estimate.optimizer_bytes + estimate.activations_bytes +
                                        estimate.input_bytes + estimate.autocast_cache_bytes);
      CHECK(BytesOf(estimate, Category::kActivation) == estimate.activations_bytes);
      CHECK(BytesOf(estimate, Category::kAutocastCache) == estimate.autocast_cache_bytes);
      CHECK(BytesOf(estimate, Category::kWorkspace) == 0);
      const int64_t layers = std::accumulate(
          estimate.layers.begin(), estimate.layers.end(), int64_t{0},
          [](int64_t bytes, const LayerEstimate& layer) { return bytes + layer.parameters_bytes; });
      CHECK(layers == estimate.parameters_bytes);
    }
  }
}

TEST_CASE("Without checkpointing, layers sum to the activations") {
  for (TrainingSettings settings : AllTechniques()) {
    if (settings.checkpoint.mode != CheckpointMode::kNone) continue;
    const Estimate estimate = EstimateMemory(Deep(), settings);
    int64_t sum = 0;
    for (const LayerEstimate& layer : estimate.layers) sum += layer.activations_bytes;
    CHECK(sum == estimate.activations_bytes);
  }
}

TEST_CASE("What depends on the batch is linear in it; the rest does not move") {
  for (TrainingSettings settings : AllTechniques()) {
    settings.batch = 1;
    const Estimate one = EstimateMemory(FromZoo("simple-conv-net"), settings);
    settings.batch = 4096;
    const Estimate many = EstimateMemory(FromZoo("simple-conv-net"), settings);
    CHECK(many.activations_bytes == 4096 * one.activations_bytes);
    CHECK(many.input_bytes == 4096 * one.input_bytes);
    CHECK(many.parameters_bytes == one.parameters_bytes);
    CHECK(many.gradients_bytes == one.gradients_bytes);
    CHECK(many.optimizer_bytes == one.optimizer_bytes);
    CHECK(many.autocast_cache_bytes == one.autocast_cache_bytes);
  }
}

TEST_CASE("Checkpointing never needs more than training without it") {
  for (const Network& network : {FromZoo("simple-conv-net"), FromZoo("smaller-conv-net"), Deep()}) {
    for (TrainingSettings settings : AllTechniques()) {
      const int64_t checkpointed = EstimateMemory(network, settings).activations_bytes;
      settings.checkpoint = {};
      CHECK(checkpointed <= EstimateMemory(network, settings).activations_bytes);
    }
  }
}

TEST_CASE("The largest network that can be described does not overflow") {
  const Network network = *networks::NetworkFromJson(
      R"({"title": "T", "description": "D", "input": [4194304], "classes": 262143, "layers": [
          {"name": "fc", "kind": "linear", "in": 4194304, "out": 262143}, {"name": "relu", "kind": "relu"}]})");
  TrainingSettings settings;
  settings.batch = networks::kMaxBatch;
  const Estimate estimate = EstimateMemory(network, settings);
  CHECK(estimate.parameters_bytes == (int64_t{4194304} * 262'143 + 262'143) * 4);
  CHECK(estimate.total_bytes > estimate.parameters_bytes);
}

TEST_CASE("Where every token has a label the loss counts, and not beside a piece that is made again") {
  std::string layers = R"({"name": "t", "kind": "embedding", "in": 50, "out": 8})";
  for (int i = 0; i < 4; ++i) {
    const std::string number = std::to_string(i);
    layers += R"(, {"name": "a)" + number + R"(", "kind": "linear", "in": 8, "out": 8}, {"name": "g)" +
              number + R"(", "kind": "gelu"})";
  }
  const Network network = *networks::NetworkFromJson(
      R"({"title": "T", "description": "D", "input": [10], "vocabulary": 50, "classes": 50, "layers": [)" +
      layers + R"(, {"name": "head", "kind": "linear", "in": 8, "out": 50}]})");
  TrainingSettings settings;
  settings.batch = 1;
  const int64_t one = 10 * 8 * 4;
  const int64_t loss = 10 * 50 * 4;
  const Estimate plain = EstimateMemory(network, settings);
  CHECK(plain.input_bytes == 10 * 8);
  CHECK(BytesOf(plain, Category::kActivation) == 9 * one + loss);
  settings.amp = Precision::kFloat16;
  CHECK(EstimateMemory(network, settings).loss_bytes == 10 * 50 * (2 + 4));
  settings.amp = Precision::kFloat32;
  settings.checkpoint = {CheckpointMode::kByLayer, 0};
  // Six pieces keep the five results that pass between them; to that the loss adds most.
  const Estimate checkpointed = EstimateMemory(network, settings);
  CHECK(BytesOf(checkpointed, Category::kActivation) == 5 * one + loss);
}

TEST_CASE(
    "Of two networks both have parameters, gradients and state; the samples are the input in training") {
  const Network network = FromZoo("dcgan");
  TrainingSettings settings;
  settings.network = "dcgan";
  settings.batch = 8;
  const Estimate trained = EstimateMemory(network, settings);
  CHECK(trained.parameters_bytes == 1'732'224 * 4);
  CHECK(trained.gradients_bytes == trained.parameters_bytes);
  CHECK(trained.optimizer_bytes == 2 * trained.parameters_bytes);
  CHECK(trained.input_bytes == 8 * 3 * 32 * 32 * 4);
  settings.pass = networks::Pass::kEvaluate;
  CHECK(EstimateMemory(network, settings).input_bytes == 8 * 100 * 4);
}

TEST_CASE("A weight that another layer has is multiplied with all the same") {
  networks::Layer layer;
  layer.kind = networks::LayerKind::kConv2d;
  layer.in_features = 2;
  layer.out_features = 4;
  layer.output = {4, 8, 8};
  layer.weight_elements = 4 * 2 * 3 * 3;
  const int64_t own = ForwardOperations(layer);
  CHECK(own == 2 * 4 * 8 * 8 * 2 * 3 * 3);
  layer.shared_elements = std::exchange(layer.weight_elements, 0);
  CHECK(ForwardOperations(layer) == own);
}

TEST_CASE("Operators of a TorchScript file keep what their rules say, and one without a rule is told") {
  using networks::kNetworkInput;
  using networks::Layer;
  using networks::LayerKind;
  const auto made = [](const char* name, LayerKind kind, std::vector<size_t> inputs) {
    Layer layer;
    layer.name = layer.op = name;
    layer.kind = kind;
    layer.inputs = std::move(inputs);
    layer.input = layer.output = {10};
    layer.in_features = layer.out_features = 10;
    return layer;
  };
  Network network;
  network.script = "model.pt";
  network.input = {10};
  network.classes = 10;
  network.layers = {made("linear", LayerKind::kLinear, {kNetworkInput}),
                    made("silu", LayerKind::kOperator, {0}), made("softmax", LayerKind::kOperator, {1}),
                    made("mul", LayerKind::kOperator, {1, 2}), made("cumsum", LayerKind::kOperator, {3})};
  network.layers[0].weight_elements = 100;
  TrainingSettings settings;
  settings.batch = 2;
  const Estimate estimate = EstimateMemory(network, settings);
  // silu keeps its input, softmax its result, mul both: three tensors of 2 · 10 values.
  CHECK(estimate.activations_bytes == 3 * 2 * 10 * 4);
  CHECK(estimate.layers[4].formula == "unknown: there is no rule for what cumsum saves");
  const auto activations = std::find_if(estimate.terms.begin(), estimate.terms.end(), [](const Term& term) {
    return term.category == Category::kActivation;
  });
  CHECK(activations->words.find("left out: cumsum") != std::string::npos);
}
