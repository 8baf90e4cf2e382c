#include "app/gui/searches/checkpoint_planner.h"

#include <utility>

#include "profiler/advice/step_time.h"
#include "profiler/base/progress.h"

namespace tidemark::gui {
namespace {

std::vector<PricedWay> PriceAll(const networks::Network& network, const networks::TrainingSettings& settings,
                                const std::optional<phantom::Card>& card, const Progress& progress) {
  std::vector<PricedWay> ways;
  for (textbook::CurvePoint& point : textbook::CheckpointCurve(network, settings, progress)) {
    const bool is_timed = card && !networks::UsesPipeline(settings);  // one card's time is no pipeline's
    const double seconds =
        is_timed ? advice::EstimateStepTime(network, settings, point.pieces, *card).total() : 0;
    ways.push_back({std::move(point), seconds});
  }
  return ways;
}

// As many as there is time for; false if that was not all.
bool PlanAll(const std::vector<WantedPlan>& wanted, const BackgroundJobs::Progress& progress,
             std::vector<textbook::Estimate>& planned) {
  for (const WantedPlan& plan : wanted) {
    planned.push_back(textbook::EstimateMemory(plan.network, plan.settings, plan.rank));
    if (!progress(static_cast<double>(planned.size()) / static_cast<double>(wanted.size()))) return false;
  }
  return true;
}

}  // namespace

void CheckpointPlanner::AskForPrices(const networks::TrainingSettings& settings,
                                     const std::optional<phantom::Card>& card,
                                     const std::vector<networks::Network>& networks) {
  const PriceQuestion question{settings, card ? card->name : ""};
  if (prices_.planned_for) {
    if (prices_.planned_for != question) latest_.Drop();
    return;
  }
  const networks::Network* const network = networks::NetworkNamed(networks, settings.network);
  if (network == nullptr || prices_.Answers(question) || prices_.cancelled_for == question) return;
  prices_.planned_for = question;
  const Request request = latest_.Begin();
  jobs_->Start("Planning ways to checkpoint", JobEnd::kOnRequest, request,
               [this, network = *network, question, card,
                request](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                 const auto ways = std::make_shared<std::vector<PricedWay>>(
                     PriceAll(network, question.settings, card, progress));
                 return [this, ways, question, request] {
                   prices_.planned_for.reset();
                   if (!request.wanted()) return;
                   if (ways->empty()) {  // the person stopped it
                     prices_.cancelled_for = question;
                     return;
                   }
                   prices_.made_for = question;
                   prices_.ways = std::move(*ways);
                 };
               });
}

void CheckpointPlanner::Forget() {
  latest_.Drop();
  prices_.made_for.reset();
}

// A few at a time, so that the first are there soon.
void CheckpointPlanner::AskForBudgets() {
  constexpr size_t kAtOnce = 8;
  if (plans_budgets_ || !estimates_->wants_plans()) return;
  plans_budgets_ = true;
  jobs_->Start("Planning what is kept for backward", JobEnd::kOnRequest,
               [this, wanted = estimates_->TakeWanted(kAtOnce)](
                   const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                 const auto planned = std::make_shared<std::vector<textbook::Estimate>>();
                 const bool are_all = PlanAll(wanted, progress, *planned);
                 return [this, wanted, planned, are_all] {
                   plans_budgets_ = false;
                   for (size_t i = 0; i < planned->size(); ++i)
                     estimates_->Keep(wanted[i], std::move((*planned)[i]));
                   if (!are_all) estimates_->GiveUpPlans();
                 };
               });
}

}  // namespace tidemark::gui
