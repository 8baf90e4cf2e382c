// The searches that the window asks for: what stands out in the run, what fits on the card, and what other
// settings of PyTorch's allocator would do. They take up to seconds, on threads of their own.
#include <algorithm>
#include <iterator>
#include <utility>

#include "app/gui/application.h"
#include "app/gui/view/run_findings.h"
#include "app/presenters/program_facts.h"
#include "profiler/advice/step_time.h"
#include "profiler/session/card_fit.h"
#include "profiler/timeline/steps.h"

namespace tidemark::gui {
namespace {

// Findings look at a whole step: once a second is as often as anyone reads them.
constexpr std::chrono::seconds kFindingsEvery{1};

advice::AllocatorTrials TryAll(const timeline::View& view, const advice::AllocatorSetup& own,
                               const session::AllocatorOf& allocator,
                               const BackgroundJobs::Progress& progress) {
  constexpr double kAsItWas = 1.0 / (1 + std::size(advice::kTriedSettings));  // of all replays
  const Result<advice::ReplayedRun> run =
      advice::ReplayedRun::Of(view, own, allocator, [&](double share) { return progress(share * kAsItWas); });
  if (!run) return {{}, run.error().message};
  return advice::TrySettings(*run, own,
                             [&](double share) { return progress(kAsItWas + share * (1 - kAsItWas)); });
}

// With what `wanted` has before the run in the same process.
Result<advice::WhatIf> TryOne(const timeline::View& view, const advice::AllocatorSetup& own,
                              advice::AllocatorSetup other, const OtherSetup& wanted,
                              const session::AllocatorOf& allocator, const std::vector<phantom::Card>& cards,
                              const BackgroundJobs::Progress& progress) {
  // What ran before is read, then both are replayed.
  const auto part = [&](int number) {
    return [&progress, number](double share) { return progress((number + share) / 3); };
  };
  Status begun = Done{};
  if (wanted.cache == CacheOf::kThisRun) begun = advice::BeginAfter(view, own.card, other);
  if (wanted.cache == CacheOf::kRecording) {
    const Result<std::unique_ptr<session::Run>> before = session::Run::Open(wanted.recording, part(0));
    if (!before) return before.error();
    const Result<phantom::Card> card = session::CardOr(own.card.name, (*before)->description(), cards);
    if (!card) return card.error();
    begun = advice::BeginAfter(*(*before)->view(), *card, other);
  }
  if (!begun) return begun.error();
  const Result<advice::ReplayedRun> run = advice::ReplayedRun::Of(view, own, allocator, part(1));
  if (!run) return run.error();
  return run->With(other, part(2));
}

std::vector<PricedWay> PriceAll(const networks::Network& network, const networks::TrainingSettings& settings,
                                const std::optional<phantom::Card>& card,
                                const textbook::CurveProgress& progress) {
  std::vector<PricedWay> ways;
  for (textbook::CurvePoint& point : textbook::CheckpointCurve(network, settings, progress)) {
    const bool is_timed = card && !networks::UsesPipeline(settings);  // one card's time is no pipeline's
    const double seconds =
        is_timed ? advice::EstimateStepTime(network, settings, point.pieces, *card).total() : 0;
    ways.push_back({std::move(point), seconds});
  }
  return ways;
}

advice::FitProgress ProgressOf(const BackgroundJobs::Progress& progress,
                               const std::shared_ptr<std::atomic<bool>>& overtaken) {
  return [progress, overtaken](size_t done, size_t of) {
    return progress(static_cast<double>(done) / static_cast<double>(std::max<size_t>(1, of))) && !*overtaken;
  };
}

}  // namespace

std::optional<networks::TrainingSettings> Application::RecordedSettings() const {
  if (file_title_.empty() || input_.view == nullptr) return std::nullopt;
  const std::string* told = timeline::LatestSettings(*input_.view);
  if (told == nullptr) return std::nullopt;
  const auto settings = networks::SettingsFromJson(*told);
  return settings ? std::optional(*settings) : std::nullopt;
}

void Application::FindWhatFits() {
  const FitSubject subject = FitSubjectOf(input_);
  const auto network = std::ranges::find(networks_, subject.settings.network, &networks::Network::name);
  if (fit_.searching || !subject.card || network == networks_.end()) return;
  fit_.searching = true;
  fit_.overtaken = std::make_shared<std::atomic<bool>>(false);
  const advice::FitQuestion question{*network, subject.settings, *subject.card, 0, subject.allocator};
  const auto needs = std::make_shared<advice::Needs>(question.card, question.allocator);
  jobs_.Start("Searching the largest batch", JobEnd::kOnRequest,
              [this, question, needs,
               overtaken = fit_.overtaken](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                const auto outcome = std::make_shared<Result<advice::LargestBatch>>(advice::FindLargestBatch(
                    question, advice::AskPhantom(needs), ProgressOf(progress, overtaken)));
                return [this, question, needs, outcome, overtaken] {
                  if (*overtaken) return;
                  if (!outcome->ok()) return EndSearch(outcome->error().message);
                  fit_.largest_batch = (*outcome)->batch;
                  fit_.largest_for = question;
                  FindCheapestChanges(question, needs);
                };
              });
}

// What was asked for the largest batch is known, and not asked again.
void Application::FindCheapestChanges(const advice::FitQuestion& question,
                                      const std::shared_ptr<advice::Needs>& needs) {
  jobs_.Start("Searching what fits", JobEnd::kOnRequest,
              [this, question, needs,
               overtaken = fit_.overtaken](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                const auto outcome = std::make_shared<Result<advice::FitAnswer>>(
                    advice::FindFit(question, advice::AskPhantom(needs), ProgressOf(progress, overtaken)));
                return [this, question, outcome, overtaken] {
                  if (*overtaken) return;
                  EndSearch(outcome->ok() ? "" : outcome->error().message);
                  if (!outcome->ok()) return;
                  fit_.question = question;
                  fit_.answer = std::move(**outcome);
                };
              });
}

void Application::AskForFindings() {
  const std::shared_ptr<const timeline::View>& view = input_.view;
  if (looks_for_findings_ || view == nullptr || view->empty()) return;
  // A program's run takes no commands, but goes on as ours do.
  const bool goes_on = input_.live || input_.status.state == session::RunState::kRunning;
  const auto now = Clock::now();
  if (findings_asked_ && findings_asked_->unit == state_.unit &&
      (findings_asked_->view == view || (goes_on && now - findings_asked_->at < kFindingsEvery))) {
    return;
  }
  findings_asked_ = {view, state_.unit, now};
  looks_for_findings_ = true;
  const auto card = session::CardOf(input_.description.device_name, input_.description.device_bytes, cards_);
  const int64_t usable_bytes = card ? card->memory_bytes - card->context_bytes : 0;
  jobs_.Start("", JobEnd::kWhenDone,
              [this, view, unit = state_.unit,
               usable_bytes](const BackgroundJobs::Progress&) -> BackgroundJobs::Then {
                const auto found = std::make_shared<RunFindings>(LookForFindings(*view, unit, usable_bytes));
                return [this, found, view] {
                  looks_for_findings_ = false;
                  // Of a run that is gone since: the next look is at what is shown.
                  if (!findings_asked_ || findings_asked_->view != view) return;
                  findings_ = std::move(*found);
                  input_.findings = &findings_;
                };
              });
}

void Application::AskForPrices() {
  if (frame_ == nullptr || !frame_->checkpointing.shown) return;
  const std::optional<phantom::Card> card = CardOfRun(input_);
  const PriceQuestion question{input_.settings, card ? card->name : ""};
  if (prices_.planned_for) {
    if (prices_.planned_for != question) *prices_.overtaken = true;
    return;
  }
  const auto network = std::ranges::find(networks_, question.settings.network, &networks::Network::name);
  if (network == networks_.end() || prices_.Answers(question) || prices_.cancelled_for == question) return;
  prices_.planned_for = question;
  prices_.overtaken = std::make_shared<std::atomic<bool>>(false);
  jobs_.Start(
      "Planning ways to checkpoint", JobEnd::kOnRequest,
      [this, network = *network, question, card,
       overtaken = prices_.overtaken](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
        const auto ways = std::make_shared<std::vector<PricedWay>>(PriceAll(
            network, question.settings, card, [&](double done) { return progress(done) && !*overtaken; }));
        return [this, ways, question, overtaken] {
          prices_.planned_for.reset();
          if (ways->empty()) {  // stopped
            if (!*overtaken) prices_.cancelled_for = question;
            return;
          }
          prices_.made_for = question;
          prices_.ways = std::move(*ways);
        };
      });
}

// A few at a time, so that the first are there soon.
void Application::AskForPlans() {
  constexpr size_t kAtOnce = 8;
  if (plans_budgets_ || !estimates_.wants_plans()) return;
  plans_budgets_ = true;
  jobs_.Start("Planning what is kept for backward", JobEnd::kOnRequest,
              [this, wanted = estimates_.TakeWanted(kAtOnce)](
                  const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                const auto planned = std::make_shared<std::vector<textbook::Estimate>>();
                bool goes_on = true;
                for (const WantedPlan& plan : wanted) {
                  if (!goes_on) break;
                  planned->push_back(textbook::EstimateMemory(plan.network, plan.settings, plan.rank));
                  goes_on =
                      progress(static_cast<double>(planned->size()) / static_cast<double>(wanted.size()));
                }
                return [this, wanted, planned, goes_on] {
                  plans_budgets_ = false;
                  for (size_t i = 0; i < planned->size(); ++i)
                    estimates_.Keep(wanted[i], std::move((*planned)[i]));
                  if (!goes_on) estimates_.GiveUpPlans();
                };
              });
}

void Application::EndSearch(const std::string& error) {
  fit_.searching = false;
  fit_.error = error;
  fit_.question.reset();
  fit_.answer.reset();
}

// What is shown from here on is something else; a search that goes on ends without an answer.
void Application::ForgetWhatFits() {
  if (fit_.overtaken) *fit_.overtaken = true;
  EndSearch("");
  fit_.largest_batch.reset();
}

// None where there is nothing to try, or it is being tried.
std::optional<session::AllocatorOf> Application::BeginTrial() {
  if (fit_.trying || !CardOfRun(input_) || input_.view == nullptr || input_.view->empty())
    return std::nullopt;
  Result<session::AllocatorOf> allocator = session::AllocatorOf{};
  if (options_.allocator_of) allocator = options_.allocator_of(input_.description);
  fit_.trying = allocator.ok();
  fit_.trial_error = allocator ? "" : allocator.error().message;
  return allocator ? std::optional(*allocator) : std::nullopt;
}

// Rows beside each other are of the same requests: what was tried on fewer goes.
void Application::KeepTrialsOf(timeline::EventIndex end) {
  if (fit_.tried_until == end) return;
  fit_.trials.clear();
  fit_.others.clear();
  fit_.tried_until = end;
}

void Application::TryOther(const OtherSetup& wanted) {
  const std::optional<session::AllocatorOf> allocator = BeginTrial();
  if (!allocator) return;
  const advice::AllocatorSetup own{*CardOfRun(input_), input_.description.allocator_settings};
  const auto other =
      advice::Otherwise(own, session::CardOf(wanted.card, 0, cards_), wanted.memory_bytes, wanted.allocator);
  jobs_.Start("Trying the run otherwise", JobEnd::kOnRequest,
              [this, view = input_.view, own, other, wanted, allocator = *allocator, cards = cards_,
               number = shown_number_](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                const auto outcome = std::make_shared<Result<advice::WhatIf>>(
                    TryOne(*view, own, other, wanted, allocator, cards, progress));
                return [this, outcome, wanted, number, end = view->end()] {
                  fit_.trying = false;
                  if (number != shown_number_) return;  // of a run or a rank that is shown no more
                  if (!*outcome) {
                    fit_.trial_error = outcome->error().message;
                    return;
                  }
                  KeepTrialsOf(end);
                  std::erase_if(fit_.others, [&](const SetupTrial& old) { return old.setup == wanted; });
                  fit_.others.push_back({wanted, **outcome});
                  state_.what_if.plotted = static_cast<int>(fit_.trials.size() + fit_.others.size()) - 1;
                };
              });
}

void Application::TryAllocatorSettings() {
  const std::optional<session::AllocatorOf> allocator = BeginTrial();
  if (!allocator) return;
  const advice::AllocatorSetup own{*CardOfRun(input_), input_.description.allocator_settings};
  const uint64_t number = shown_number_;
  jobs_.Start("Trying settings of the allocator", JobEnd::kOnRequest,
              [this, view = input_.view, own, allocator = *allocator,
               number](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                const auto outcome =
                    std::make_shared<advice::AllocatorTrials>(TryAll(*view, own, allocator, progress));
                return [this, outcome, number, end = view->end()] {
                  fit_.trying = false;
                  if (number != shown_number_) return;  // of a run or a rank that is shown no more
                  fit_.trial_error = outcome->error;
                  KeepTrialsOf(end);
                  fit_.trials = outcome->trials;
                  state_.what_if.plotted = -1;
                };
              });
}

}  // namespace tidemark::gui
