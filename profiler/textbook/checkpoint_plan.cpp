#include "profiler/textbook/checkpoint_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "profiler/textbook/operations.h"

namespace tidemark::textbook {
namespace {

using networks::CheckpointMode;
using networks::Network;

constexpr size_t kMostStates = 256;  // at one place of the network; beyond, neighbours are thinned out
constexpr int kBisections = 48;

int64_t OperationsOf(const networks::Layer& layer) {
  return ForwardOperations(layer) + networks::ElementCount(layer.output);
}

// A way to come as far as the beginning of a group.
struct Way {
  int64_t kept = 0;            // bytes that stay for backward
  int64_t again = 0;           // operations
  size_t from = 0;             // the group before which its last piece began
  size_t before = 0;           // the way that led there, by its place
  bool stored = false;         // its last piece keeps what it saves
  bool before_stored = false;  // and the one before
};

// What a piece of groups would take.
struct Cost {
  std::array<int64_t, 2> entering{};  // its inputs; [1]: of them what the group before does not save
  int64_t saved = 0;                  // what it saves beside them
  int64_t operations = 0;
};

class Planner {
 public:
  Planner(const Network& network, const SavedTensors& saved, int64_t batch)
      : network_(network), saved_(saved), batch_(batch), starts_(networks::GroupStarts(network)) {
    starts_.push_back(network.layers.size());
    savers_.resize(groups());
    for (size_t tensor = 0; tensor < saved.tensors.size(); ++tensor) {
      for (const size_t layer : saved.tensors[tensor].savers) {
        std::vector<size_t>& list = savers_[GroupOf(layer)];
        if (list.empty() || list.back() != tensor) list.push_back(tensor);
      }
    }
    for (size_t first = 0; first < groups(); ++first) {
      costs_.push_back(CostsFrom(first));
      stored_.push_back(CostOfStoring(first));
    }
  }

  // The pieces of the way that runs least again within the budget; none where no way fits.
  std::vector<CheckpointPiece> Plan(int64_t budget) {
    Explore(budget, kMostStates);
    return LeastAgain();
  }
  bool Fits(int64_t budget) {
    Explore(budget, 1);  // the one that keeps least gets farthest
    return !ways_[groups()][0].empty() || !ways_[groups()][1].empty();
  }
  int64_t LeastBudget() {
    int64_t least = 0;
    int64_t enough = 0;
    for (const SavedTensor& tensor : saved_.tensors) enough += 2 * tensor.Bytes(batch_);
    for (int bisection = 0; bisection < kBisections && least < enough; ++bisection) {
      const int64_t middle = least + (enough - least) / 2;
      if (Fits(middle)) {
        enough = middle;
      } else {
        least = middle + 1;
      }
    }
    return enough;
  }

 private:
  using Ways = std::vector<Way>;

  size_t groups() const { return starts_.size() - 1; }
  size_t GroupOf(size_t layer) const {
    return static_cast<size_t>(std::upper_bound(starts_.begin(), starts_.end(), layer) - starts_.begin()) - 1;
  }
  int64_t BytesOf(size_t tensor) const { return saved_.tensors[tensor].Bytes(batch_); }
  bool IsSavedBy(size_t group, size_t tensor) const {
    return std::find(savers_[group].begin(), savers_[group].end(), tensor) != savers_[group].end();
  }
  std::vector<Cost> CostsFrom(size_t first) const;
  std::array<int64_t, 2> CostOfStoring(size_t group) const;
  void Explore(int64_t budget, size_t most_states);
  void Leave(size_t group, bool stored, int64_t budget);
  std::vector<CheckpointPiece> LeastAgain() const;

  const Network& network_;
  const SavedTensors& saved_;
  const int64_t batch_;
  std::vector<size_t> starts_;
  std::vector<std::vector<size_t>> savers_;     // by group, the tensors that it saves
  std::vector<std::vector<Cost>> costs_;        // by first group and length - 1
  std::vector<std::array<int64_t, 2>> stored_;  // by group, what it saves; [1]: and the one before does not
  std::vector<std::array<Ways, 2>> ways_;       // by group, and whether the piece before it is stored
};

std::vector<Cost> Planner::CostsFrom(size_t first) const {
  std::vector<bool> enters(saved_.tensors.size());
  std::vector<bool> is_saved(saved_.tensors.size());
  std::vector<Cost> costs;
  Cost cost;
  bool saves = false;  // a piece that saves nothing keeps nothing
  const auto enter = [&](size_t tensor) {
    if (tensor == kBatch || enters[tensor]) return;
    enters[tensor] = true;
    cost.entering[0] += BytesOf(tensor);
    if (first == 0 || !IsSavedBy(first - 1, tensor)) cost.entering[1] += BytesOf(tensor);
    if (is_saved[tensor]) cost.saved -= BytesOf(tensor);
  };
  for (size_t group = first; group < groups(); ++group) {
    for (size_t layer = starts_[group]; layer < starts_[group + 1]; ++layer) {
      cost.operations += OperationsOf(network_.layers[layer]) * batch_;
      for (const size_t input : network_.layers[layer].inputs) {
        if (input == networks::kNetworkInput || input < starts_[first]) enter(saved_.OutputOf(input));
      }
    }
    for (const size_t tensor : savers_[group]) {
      if (is_saved[tensor]) continue;
      is_saved[tensor] = true;
      if (!enters[tensor]) cost.saved += BytesOf(tensor);
    }
    saves = saves || !savers_[group].empty();
    costs.push_back(saves ? cost : Cost{{}, 0, cost.operations});
  }
  return costs;
}

std::array<int64_t, 2> Planner::CostOfStoring(size_t group) const {
  std::array<int64_t, 2> bytes{};
  for (const size_t tensor : savers_[group]) {
    bytes[0] += BytesOf(tensor);
    if (group == 0 || !IsSavedBy(group - 1, tensor)) bytes[1] += BytesOf(tensor);
  }
  return bytes;
}

// Of ways to the same place only those stay that no other beats in both bytes and operations.
void Prune(std::vector<Way>& ways, int64_t budget, size_t most) {
  std::sort(ways.begin(), ways.end(), [](const Way& left, const Way& right) {
    return left.kept != right.kept ? left.kept < right.kept : left.again < right.again;
  });
  std::vector<Way> best;
  for (const Way& way : ways) {
    if (best.empty() || way.again < best.back().again) best.push_back(way);
  }
  if (best.size() > most) {
    const int64_t gap = budget / static_cast<int64_t>(most) + 1;
    std::vector<Way> thinned;
    for (const Way& way : best) {
      if (thinned.empty() || (thinned.size() < most && way.kept >= thinned.back().kept + gap))
        thinned.push_back(way);
    }
    best = std::move(thinned);
  }
  ways = std::move(best);
}

// From the ways that end before a group, all pieces that may begin there.
void Planner::Leave(size_t group, bool stored, int64_t budget) {
  const size_t after = stored ? 1 : 0;
  const Ways& here = ways_[group][after];
  for (size_t place = 0; place < here.size(); ++place) {
    const Way& way = here[place];
    if (way.kept + stored_[group][after] <= budget) {
      ways_[group + 1][1].push_back(
          {way.kept + stored_[group][after], way.again, group, place, true, stored});
    }
    for (size_t end = group; end < groups(); ++end) {
      const Cost& cost = costs_[group][end - group];
      const int64_t kept = way.kept + cost.entering[after];
      if (kept > budget) break;
      if (kept + cost.saved <= budget) {
        ways_[end + 1][0].push_back({kept, way.again + cost.operations, group, place, false, stored});
      }
    }
  }
}

void Planner::Explore(int64_t budget, size_t most_states) {
  ways_.assign(groups() + 1, {});
  ways_[0][0].push_back({});
  for (size_t group = 0; group <= groups(); ++group) {
    for (Ways& ways : ways_[group]) Prune(ways, budget, most_states);
    if (group == groups()) return;
    for (const bool stored : {false, true}) Leave(group, stored, budget);
  }
}

std::vector<CheckpointPiece> Planner::LeastAgain() const {
  const Way* way = nullptr;
  for (const Ways& ways : ways_[groups()]) {
    for (const Way& candidate : ways) {
      if (way == nullptr || candidate.again < way->again) way = &candidate;
    }
  }
  std::vector<CheckpointPiece> pieces;
  size_t end = groups();
  while (way != nullptr && end > 0) {
    const bool joins = way->stored && !pieces.empty() && !pieces.back().runs_again;
    if (joins) {
      pieces.back().first = starts_[way->from];
    } else {
      pieces.push_back({starts_[way->from], starts_[end], !way->stored});
    }
    end = way->from;
    way = &ways_[way->from][way->before_stored ? 1 : 0][way->before];
  }
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

}  // namespace

CheckpointPlan PlanCheckpoints(const Network& network, const networks::TrainingSettings& settings) {
  if (settings.checkpoint.mode != CheckpointMode::kBudget) return PlanCheckpoints(network, {}, settings);
  return PlanCheckpoints(network, FindSavedTensors(network, settings), settings);
}

CheckpointPlan PlanCheckpoints(const Network& network, const SavedTensors& saved,
                               const networks::TrainingSettings& settings) {
  CheckpointPlan plan;
  if (settings.pass == networks::Pass::kEvaluate) return plan;  // nothing is saved that could be dropped
  if (settings.checkpoint.mode == CheckpointMode::kBudget) {
    Planner planner(network, saved, settings.batch);
    plan.pieces = planner.Plan(settings.checkpoint.budget_bytes);
    if (plan.pieces.empty()) {
      plan.least_bytes = planner.LeastBudget();
      plan.pieces = planner.Plan(plan.least_bytes);
    }
    if (plan.pieces.size() == 1 && !plan.pieces.front().runs_again) plan.pieces.clear();
    return plan;
  }
  const std::vector<size_t> boundaries = networks::CheckpointBoundaries(network, settings.checkpoint);
  for (size_t piece = 0; piece + 1 < boundaries.size(); ++piece) {
    plan.pieces.push_back({boundaries[piece], boundaries[piece + 1], true});
  }
  return plan;
}

int64_t OperationsAgain(const Network& network, const std::vector<CheckpointPiece>& pieces, int64_t batch) {
  int64_t operations = 0;
  for (const CheckpointPiece& piece : pieces) {
    for (size_t layer = piece.first; piece.runs_again && layer < piece.end; ++layer) {
      operations += OperationsOf(network.layers[layer]) * batch;
    }
  }
  return operations;
}

int SquareRootSegments(const networks::Network& network) {
  const double root = std::sqrt(static_cast<double>(network.layers.size()));
  return std::clamp(static_cast<int>(std::lround(root)), 1, networks::kMaxSegments);
}

}  // namespace tidemark::textbook
