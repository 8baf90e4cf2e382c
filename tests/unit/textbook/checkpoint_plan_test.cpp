#include "profiler/textbook/checkpoint_plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "profiler/textbook/textbook.h"
#include "tests/support/catch.h"

using namespace tidemark;
using namespace tidemark::textbook;
using networks::CheckpointMode;
using networks::Network;
using networks::TrainingSettings;

namespace {

// A chain of linear layers, each with a ReLU, with these widths.
Network Widths(const std::vector<int>& widths) {
  std::string layers;
  for (size_t layer = 0; layer + 1 < widths.size(); ++layer) {
    const std::string number = std::to_string(layer);
    layers += (layer == 0 ? "" : ", ") + (R"({"name": "l)" + number + R"(", "kind": "linear", "in": )") +
              std::to_string(widths[layer]) + R"(, "out": )" + std::to_string(widths[layer + 1]) +
              R"(}, {"name": "r)" + number + R"(", "kind": "relu"})";
  }
  const Result<Network> network = networks::NetworkFromJson(
      R"({"title": "T", "description": "D", "input": [)" + std::to_string(widths.front()) +
      R"(], "classes": )" + std::to_string(widths.back()) + R"(, "layers": [)" + layers + "]}");
  INFO((network ? std::string() : network.error().message));
  REQUIRE(network.ok());
  return *network;
}

TrainingSettings WithBudget(int64_t bytes) {
  TrainingSettings settings;
  settings.batch = 4;
  settings.checkpoint = {CheckpointMode::kBudget, 0, bytes};
  return settings;
}

int64_t MostBytes(const Network& network, const SavedTensors& saved,
                  const std::vector<CheckpointPiece>& pieces, int64_t batch) {
  const SavedAtWorst worst = FindWorstMoment(network, saved, pieces, batch);
  int64_t bytes = 0;
  for (const auto& list : {worst.kept, worst.made_again}) {
    for (const size_t tensor : list) bytes += saved.tensors[tensor].Bytes(batch);
  }
  return bytes;
}

// Every way to cut the groups into pieces that run again or keep all: each group begins a piece or not, and
// keeps or not.
void ForEachPlan(const Network& network, const auto& look) {
  std::vector<size_t> starts = networks::GroupStarts(network);
  const size_t groups = starts.size();
  starts.push_back(network.layers.size());
  for (size_t choice = 0; choice < size_t{1} << (2 * groups); ++choice) {
    std::vector<CheckpointPiece> pieces;
    for (size_t group = 0; group < groups; ++group) {
      const bool begins = (choice >> (2 * group) & 1) != 0;
      const bool again = (choice >> (2 * group + 1) & 1) != 0;
      const bool continues = !begins && !pieces.empty() && pieces.back().runs_again == again;
      if (continues) {
        pieces.back().end = starts[group + 1];
      } else {
        pieces.push_back({starts[group], starts[group + 1], again});
      }
    }
    look(pieces);
  }
}

}  // namespace

TEST_CASE("For every budget the plan runs as little again as the best of all plans, and fits") {
  const Network network = Widths({16, 40, 8, 64, 24, 24, 10});
  const SavedTensors saved = FindSavedTensors(network, WithBudget(1));
  std::map<int64_t, int64_t> least_again;  // by the bytes that a plan needs
  ForEachPlan(network, [&](const std::vector<CheckpointPiece>& pieces) {
    const int64_t again = OperationsAgain(network, pieces, 4);
    const auto [found, is_new] = least_again.try_emplace(MostBytes(network, saved, pieces, 4), again);
    found->second = std::min(found->second, again);
  });
  const int64_t least = least_again.begin()->first;
  for (int64_t budget = 100; budget < 3200; budget += 52) {
    INFO(budget);
    int64_t best = std::numeric_limits<int64_t>::max();
    for (const auto& [bytes, again] : least_again) best = bytes <= budget ? std::min(best, again) : best;
    const CheckpointPlan plan = PlanCheckpoints(network, WithBudget(budget));
    const int64_t needs = MostBytes(network, saved, plan.pieces, 4);
    if (budget < least) {
      CHECK(plan.least_bytes == least);
      CHECK(needs == least);
    } else {
      CHECK(plan.least_bytes == 0);
      CHECK(needs <= budget);
      CHECK(OperationsAgain(network, plan.pieces, 4) == best);
    }
  }
}

TEST_CASE("A budget for everything checkpoints nothing") {
  CHECK(PlanCheckpoints(Widths({8, 8, 8}), WithBudget(1'000'000)).pieces.empty());
}

TEST_CASE("In networks with side ways a plan keeps within its budget, too, or says what the least is") {
  for (const char* name : {"resnet-50", "u-net"}) {
    const Network network = *networks::FindNetworkIn(TIDEMARK_ZOO, name);
    TrainingSettings settings = WithBudget(1);
    settings.network = name;
    TrainingSettings without = settings;
    without.checkpoint = {};
    const int64_t all = EstimateMemory(network, without).activations_bytes;
    int64_t again_before = std::numeric_limits<int64_t>::max();
    for (const int percent : {25, 75}) {
      INFO(name << " " << percent);
      settings.checkpoint.budget_bytes = all / 100 * percent + 100;
      const CheckpointPlan plan = PlanCheckpoints(network, settings);
      const SavedTensors saved = FindSavedTensors(network, settings);
      CHECK(MostBytes(network, saved, plan.pieces, settings.batch) <=
            std::max(settings.checkpoint.budget_bytes, plan.least_bytes));
      const int64_t again = OperationsAgain(network, plan.pieces, settings.batch);
      CHECK(again <= again_before);
      again_before = again;
    }
  }
}
