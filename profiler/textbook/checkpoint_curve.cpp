#include "profiler/textbook/checkpoint_curve.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "profiler/textbook/checkpoint_plan.h"
#include "profiler/textbook/pipeline.h"
#include "profiler/textbook/textbook.h"

namespace tidemark::textbook {
namespace {

using networks::Checkpointing;
using networks::CheckpointMode;

constexpr int kBudgets = 8;

// Upwards to three digits: a budget that is read and typed.
int64_t InThreeDigits(int64_t bytes) {
  int64_t unit = 1;
  while (bytes / unit >= 1000) unit *= 10;
  return std::max((bytes + unit - 1) / unit * unit, int64_t{1});
}

// Prices ways to checkpoint, one after the other, until somebody stops it.
class Pricing {
 public:
  Pricing(const networks::Network& network, const networks::TrainingSettings& settings,
          const Progress& progress)
      : network_(network),
        settings_(settings),
        progress_(progress),
        forward_(static_cast<double>(
            OperationsAgain(network, {{0, network.layers.size(), /*runs_again=*/true}}, settings.batch))) {}

  // Each way once: the one that is asked about may be planned anyway.
  void Add(const Checkpointing& checkpoint) {
    if (stopped_ || std::ranges::count(points_, checkpoint, &CurvePoint::checkpoint) > 0) return;
    settings_.checkpoint = checkpoint;
    const CheckpointPlan plan = PlanCheckpoints(network_, settings_);
    const Estimate estimate = EstimateOwnLayers(network_, settings_, plan);
    const auto again = static_cast<double>(OperationsAgain(network_, plan.pieces, settings_.batch));
    points_.push_back(
        {checkpoint, plan.pieces, estimate.activations_bytes, estimate.total_bytes, again / forward_, false});
    stopped_ = progress_ && !progress_(std::min(1.0, static_cast<double>(points_.size()) / kMostPoints));
  }
  // The least that any plan needs.
  int64_t LeastBudget() {
    settings_.checkpoint = {CheckpointMode::kBudget, 0, 1};
    return PlanCheckpoints(network_, settings_).least_bytes;
  }
  bool stopped() const { return stopped_; }
  std::vector<CurvePoint>& points() { return points_; }

 private:
  static constexpr int kMostPoints = kBudgets + 5;

  const networks::Network& network_;
  networks::TrainingSettings settings_;
  const Progress& progress_;
  double forward_;
  std::vector<CurvePoint> points_;
  bool stopped_ = false;
};

bool HasSameFigures(const CurvePoint& left, const CurvePoint& right) {
  return left.saved_bytes == right.saved_bytes && left.share_run_again == right.share_run_again;
}

// By their bytes, each figure once, but for the way that is asked about: it is to be found.
std::vector<CurvePoint> SortedOut(std::vector<CurvePoint> points, const Checkpointing& asked_about) {
  std::stable_sort(points.begin(), points.end(), [](const CurvePoint& left, const CurvePoint& right) {
    return left.saved_bytes != right.saved_bytes ? left.saved_bytes < right.saved_bytes
                                                 : left.share_run_again < right.share_run_again;
  });
  std::vector<CurvePoint> sorted;
  sorted.reserve(points.size());
  for (CurvePoint& point : points) {
    const bool is_known = !sorted.empty() && HasSameFigures(sorted.back(), point);
    if (!is_known || point.checkpoint == asked_about) sorted.push_back(std::move(point));
  }
  return sorted;
}

void MarkBest(std::vector<CurvePoint>& points) {
  const CurvePoint* best = nullptr;
  for (CurvePoint& point : points) {
    point.is_best =
        best == nullptr || point.share_run_again < best->share_run_again || HasSameFigures(*best, point);
    if (point.is_best) best = &point;
  }
}

}  // namespace

std::vector<CurvePoint> CheckpointCurve(const networks::Network& network,
                                        const networks::TrainingSettings& settings,
                                        const Progress& progress) {
  const std::optional<networks::Network> stage = StageOf(network, settings, 0);
  const networks::Network& own = stage ? *stage : network;
  Pricing pricing(own, settings, progress);
  pricing.Add({});
  if (!network.script.empty()) return std::move(pricing.points());  // it runs in one piece
  // Before those that come to the same figures, of which the first stays.
  if (settings.checkpoint.mode != CheckpointMode::kNone) pricing.Add(settings.checkpoint);
  const int64_t most = pricing.points().front().saved_bytes;
  const int64_t least = pricing.stopped() ? 0 : pricing.LeastBudget();
  for (int step = 0; step < kBudgets; ++step) {
    pricing.Add({CheckpointMode::kBudget, 0, InThreeDigits(least + (most - least) / kBudgets * step)});
  }
  pricing.Add({CheckpointMode::kSegments, 1});
  pricing.Add({CheckpointMode::kByLayer});
  pricing.Add({CheckpointMode::kSegments, SquareRootSegments(own)});
  if (pricing.stopped()) return {};
  std::vector<CurvePoint> points = SortedOut(std::move(pricing.points()), settings.checkpoint);
  MarkBest(points);
  return points;
}

}  // namespace tidemark::textbook
