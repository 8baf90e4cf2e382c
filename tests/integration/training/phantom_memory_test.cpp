// The trainer on a phantom GPU: the figures of the reference program, and what the events say about them.
#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "tests/integration/training/replay.h"
#include "tests/integration/training/trainer_under_test.h"
#include "tests/support/catch.h"

namespace tidemark::tests {
namespace {

using events::Category;
using events::Event;
using events::EventKind;
using networks::CheckpointMode;
using networks::Precision;
using networks::TrainingSettings;

const networks::DeviceChoice h200{};

int64_t SumOf(const std::array<int64_t, events::kCategoryCount>& by_category) {
  return std::accumulate(by_category.begin(), by_category.end(), int64_t{0});
}

StepPeaks SteadyPeaks(const TrainingSettings& settings) {
  const std::vector<StepPeaks> steps = Replay(EventsOf(settings, h200, 4).events);
  REQUIRE(steps.size() == 4);
  return steps.back();
}

TEST_CASE("SimpleConvNet at batch 64 takes what the reference program takes") {
  const StepPeaks peaks = SteadyPeaks({});
  CHECK(peaks.allocated_bytes == 177'729'024);
  CHECK(peaks.requested_bytes == 177'724'584);
  CHECK(peaks.reserved_bytes == 218'103'808);
  // cuBLAS's for the forward and the backward thread, and cuBLASLt's.
  CHECK(peaks.by_category[static_cast<size_t>(Category::kWorkspace)] == 2 * 33'554'432 + 1'048'576);
  CHECK(SumOf(peaks.by_category) == peaks.allocated_bytes);
}

TEST_CASE("float16 takes the reference program's memory and three small tensors of the loss scaling") {
  TrainingSettings settings;
  settings.amp = Precision::kFloat16;
  const StepPeaks peaks = SteadyPeaks(settings);
  // The scale, its growth, and a small temporary at the peak, each in a block of 512 bytes.
  CHECK(peaks.allocated_bytes == 132'365'312 + 3 * 512);
  CHECK(peaks.reserved_bytes == 150'994'944);
}

TEST_CASE("Four micro-batches of 16 take what the reference program takes") {
  TrainingSettings settings;
  settings.batch = 16;
  settings.accumulate = 4;
  const StepPeaks peaks = SteadyPeaks(settings);
  CHECK(peaks.allocated_bytes == 108'776'960);
  CHECK(peaks.reserved_bytes == 113'246'208);
}

TEST_CASE("The smaller network takes what the reference program takes") {
  TrainingSettings settings;
  settings.network = "smaller-conv-net";
  const StepPeaks peaks = SteadyPeaks(settings);
  CHECK(peaks.allocated_bytes == 123'323'392);
  CHECK(peaks.reserved_bytes == 150'994'944);
}

TEST_CASE("Every byte has a category at every event, and all memory is freed or known at the end") {
  TrainingSettings settings;
  settings.batch = 8;
  settings.accumulate = 2;
  settings.clip_norm = 1;
  settings.amp = GENERATE(Precision::kFloat32, Precision::kFloat16, Precision::kBfloat16);
  settings.checkpoint.mode = GENERATE(CheckpointMode::kNone, CheckpointMode::kByLayer);
  settings.optimizer = GENERATE(networks::OptimizerKind::kMomentum, networks::OptimizerKind::kAdam);
  CAPTURE(networks::ToJson(settings));
  const CollectedEvents collected = EventsOf(settings, h200, 3);
  MemoryState last;
  Replay(collected.events, [&](const Event& event, const MemoryState& state) {
    if (SumOf(state.by_category) != state.allocated_bytes) FAIL("categories do not sum to what is allocated");
    if (state[Category::kUnknown] != 0) FAIL("memory of unknown category");
    if (event.kind == EventKind::kStepEnd) {
      CHECK(state[Category::kActivation] == 0);
      CHECK(state[Category::kInput] == 0);
      CHECK(state[Category::kTemporary] == 0);
      CHECK(state[Category::kAutocastCache] == 0);
      CHECK(state[Category::kParameter] == 4'317'696);
      CHECK(state[Category::kGradient] == 4'317'696);
    }
    last = state;
  });
  for (const auto& [address, block] : last.blocks) CHECK(block.category == Category::kWorkspace);
}

TEST_CASE("Kept tensors are called by their names") {
  TrainingSettings settings;
  settings.amp = Precision::kBfloat16;
  const CollectedEvents collected = EventsOf(settings, h200, 2);
  std::map<Category, std::set<std::string>> names;
  for (const Event& event : collected.events) {
    if (event.kind == EventKind::kCategorize) names[event.category].insert(collected.NameOf(event.name));
  }
  using Names = std::set<std::string>;
  const Names weights{"conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias", "fc.weight", "fc.bias"};
  Names gradients;
  Names copies;
  Names state;
  for (const std::string& weight : weights) {
    gradients.insert(weight + ".grad");
    copies.insert(weight + " in low precision");
    state.insert(weight + " exp_avg");
    state.insert(weight + " exp_avg_sq");
  }
  CHECK(names[Category::kParameter] == weights);
  CHECK(names[Category::kGradient] == gradients);
  CHECK(names[Category::kAutocastCache] == copies);
  CHECK(names[Category::kOptimizerState] == state);
  CHECK(names[Category::kInput] == Names{"input", "labels"});
  CHECK(names[Category::kWorkspace] == Names{"cuBLAS workspace", "cuBLASLt workspace"});
  CHECK(names[Category::kActivation] == Names{"conv1 input in low precision", "relu1 output", "relu2 output",
                                              "log-probabilities", "total weight of the classes"});
  CHECK(names[Category::kTemporary].empty());
}

TEST_CASE("Operators have scopes, and backward nodes belong to the layer of their forward") {
  const CollectedEvents collected = EventsOf({}, h200, 2);
  std::map<uint32_t, int> depth;
  std::map<std::string, std::set<std::string>> layers_of;
  for (const Event& event : collected.events) {
    if (event.kind == EventKind::kScopeBegin) ++depth[event.thread];
    if (event.kind == EventKind::kScopeEnd && --depth[event.thread] < 0)
      FAIL("a scope ends that did not begin");
    if (event.kind != EventKind::kScopeBegin || event.op == 0) continue;
    layers_of[collected.NameOf(event.op)].insert(collected.NameOf(event.layer));
  }
  for (const auto& [thread, open] : depth) CHECK(open == 0);
  using Layers = std::set<std::string>;
  CHECK(layers_of["aten::conv2d"] == Layers{"conv1", "conv2"});
  CHECK(layers_of["ConvolutionBackward0"] == Layers{"conv1", "conv2"});
  CHECK(layers_of["ReluBackward0"] == Layers{"relu1", "relu2"});
  CHECK(layers_of["AddmmBackward0"] == Layers{"fc"});
  CHECK(layers_of["AccumulateGrad"] == Layers{"conv1", "conv2", "fc"});
}

TEST_CASE("Checkpointing keeps the pieces' inputs only, and says what it computes again") {
  TrainingSettings settings;
  settings.checkpoint.mode = CheckpointMode::kByLayer;
  const CollectedEvents collected = EventsOf(settings, h200, 3);
  int64_t activations_after_forward = 0;
  std::set<std::string> recomputed;
  MemoryState state;
  for (const Event& event : collected.events) {
    state.Apply(event);
    if (event.kind == EventKind::kPhase && event.phase == events::Phase::kBackward) {
      activations_after_forward = state[Category::kActivation];
    }
    if (event.recompute != 0) recomputed.insert(collected.NameOf(event.layer));
  }
  // relu1 output, relu2 output, log-probabilities, total weight: what the last pieces keep is computed again,
  // too.
  CHECK(activations_after_forward == 14'745'600 + 25'690'112 + 2'560 + 512);
  CHECK(recomputed.count("conv1") == 1);
  CHECK(recomputed.count("relu2") == 1);
}

TEST_CASE("Two segments keep one activation between them") {
  TrainingSettings settings;
  settings.checkpoint = {CheckpointMode::kSegments, 2};
  int64_t activations_after_forward = 0;
  Replay(EventsOf(settings, h200, 2).events, [&](const Event& event, const MemoryState& state) {
    if (event.kind == EventKind::kPhase && event.phase == events::Phase::kBackward) {
      activations_after_forward = state[Category::kActivation];
    }
  });
  CHECK(activations_after_forward == 25'690'112 + 2'560 + 512);
}

}  // namespace
}  // namespace tidemark::tests
