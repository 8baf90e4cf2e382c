// Category by category, the textbook is what a step on the phantom holds of it at most, for every technique:
// the formulas are right about PyTorch, not only about the classic table.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "profiler/session/run.h"
#include "profiler/textbook/textbook.h"
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
  settings.optimizer = OptimizerKind::kAdamW;
  settings.clip_norm = 1;
  all.push_back(settings);
  return all;
}

// Bytes as the program asked for them, by category, and the most there were of each since Reset().
class RequestedBytes {
 public:
  void Apply(const events::Event& event) {
    if (event.kind == events::EventKind::kAllocate) {
      live_[event.address] = {event.category, event.bytes};
      Count(event.category, event.bytes);
    }
    const auto block = live_.find(event.address);
    if (block == live_.end()) return;
    if (event.kind == events::EventKind::kCategorize) {
      Count(block->second.category, -block->second.bytes);
      block->second.category = event.category;
      Count(event.category, block->second.bytes);
    } else if (event.kind == events::EventKind::kFreeCompleted) {
      Count(block->second.category, -block->second.bytes);
      live_.erase(block);
    }
  }
  void Reset() { most_ = now_; }
  int64_t Most(Category category) const { return most_[static_cast<size_t>(category)]; }

 private:
  struct Block {
    Category category;
    int64_t bytes;
  };
  void Count(Category category, int64_t bytes) {
    const auto index = static_cast<size_t>(category);
    now_[index] += bytes;
    most_[index] = std::max(most_[index], now_[index]);
  }

  std::map<uint64_t, Block> live_;
  std::array<int64_t, events::kCategoryCount> now_{};
  std::array<int64_t, events::kCategoryCount> most_{};
};

// Of the last of three steps.
RequestedBytes LargestOfAStep(const TrainingSettings& settings) {
  session::LiveOptions options;
  options.settings = settings;
  options.step_limit = 3;
  const Result<std::unique_ptr<session::Run>> run = session::Run::Start(options);
  if (!run) FAIL(run.error().message);
  if (!(*run)->WaitUntilSettled(kAnswerTimeoutMs)) FAIL("the run did not settle");
  const auto view = (*run)->view();
  REQUIRE(view->steps().size() == 3);
  const timeline::Step& step = view->steps().back();
  RequestedBytes bytes;
  for (events::EventIndex index = view->first(); index < step.end; ++index) {
    if (index == step.begin) bytes.Reset();
    bytes.Apply(view->event(index));
  }
  return bytes;
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

}  // namespace
}  // namespace tidemark::textbook
