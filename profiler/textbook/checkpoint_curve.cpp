#include "profiler/textbook/checkpoint_curve.h"

#include <algorithm>

#include "profiler/textbook/checkpoint_plan.h"
#include "profiler/textbook/textbook.h"

namespace tidemark::textbook {
namespace {

using networks::Checkpointing;
using networks::CheckpointMode;

constexpr int kBudgets = 8;

}  // namespace

std::vector<CurvePoint> CheckpointCurve(const networks::Network& network,
                                        const networks::TrainingSettings& settings) {
  networks::TrainingSettings tried = settings;
  const double forward = static_cast<double>(
      OperationsAgain(network, {{0, network.layers.size(), /*runs_again=*/true}}, settings.batch));
  std::vector<CurvePoint> points;
  const auto add = [&](const Checkpointing& checkpoint) {
    tried.checkpoint = checkpoint;
    const CheckpointPlan plan = PlanCheckpoints(network, tried);
    const double again = static_cast<double>(OperationsAgain(network, plan.pieces, settings.batch));
    points.push_back({checkpoint, EstimateMemory(network, tried).activations_bytes, again / forward, false});
    return plan.least_bytes;
  };
  add({});
  const int64_t most = points.front().saved_bytes;
  const int64_t least = add({CheckpointMode::kBudget, 0, 1});
  points.back().checkpoint.budget_bytes = std::max(least, int64_t{1});
  for (int step = 1; step < kBudgets; ++step) {
    add({CheckpointMode::kBudget, 0, std::max(least + (most - least) / kBudgets * step, int64_t{1})});
  }
  add({CheckpointMode::kByLayer});
  add({CheckpointMode::kSegments, SquareRootSegments(network)});

  const auto same = [](const CurvePoint& left, const CurvePoint& right) {
    return left.saved_bytes == right.saved_bytes && left.share_run_again == right.share_run_again;
  };
  std::stable_sort(points.begin(), points.end(), [](const CurvePoint& left, const CurvePoint& right) {
    return left.saved_bytes != right.saved_bytes ? left.saved_bytes < right.saved_bytes
                                                 : left.share_run_again < right.share_run_again;
  });
  points.erase(std::unique(points.begin(), points.end(), same), points.end());
  double best = 2;
  for (CurvePoint& point : points) {
    point.is_best = point.share_run_again < best;
    best = std::min(best, point.share_run_again);
  }
  return points;
}

}  // namespace tidemark::textbook
