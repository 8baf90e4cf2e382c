// Plans ways to checkpoint beside the window: all that a network has, each with its price, and what textbook
// figures need that keep to a budget. UI thread only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/gui/background/background_jobs.h"
#include "app/gui/background/checkpoint_prices.h"
#include "app/gui/background/estimates.h"
#include "app/gui/background/latest_request.h"
#include "profiler/networks/specification.h"
#include "profiler/phantom/cards/card.h"

namespace tidemark::gui {

class CheckpointPlanner {
 public:
  // `jobs` end before this does; so do `estimates` not.
  CheckpointPlanner(BackgroundJobs* jobs, Estimates* estimates) : jobs_(jobs), estimates_(estimates) {}
  CheckpointPlanner(const CheckpointPlanner&) = delete;
  CheckpointPlanner& operator=(const CheckpointPlanner&) = delete;

  const CheckpointPrices& prices() const { return prices_; }
  // As long as the prices are looked at: plans what is not known yet. `card`: none = the CPU. What goes on
  // for other settings ends without an answer, and is asked for again.
  void AskForPrices(const networks::TrainingSettings& settings, const std::optional<phantom::Card>& card,
                    const std::vector<networks::Network>& networks);
  // The person wants the prices after all whose planning they stopped.
  void PlanAgain() { prices_.cancelled_for.reset(); }
  // Another network has come in the place of one of the same name.
  void Forget();
  // Plans the budgets that `estimates` want.
  void AskForBudgets();

 private:
  BackgroundJobs* jobs_;
  Estimates* estimates_;
  CheckpointPrices prices_;
  LatestRequest latest_;  // of prices
  bool plans_budgets_ = false;
};

}  // namespace tidemark::gui
