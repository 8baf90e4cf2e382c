#include "app/gui/searches/trial_runs.h"

#include <utility>

#include "profiler/base/progress.h"
#include "profiler/session/card_fit.h"

namespace tidemark::gui {
namespace {

// With what `wanted` has before the run in the same process.
Result<advice::WhatIf> TryOne(const TriedRun& tried, advice::AllocatorSetup other, const OtherSetup& wanted,
                              const session::AllocatorOf& allocator, const std::vector<phantom::Card>& cards,
                              const Progress& progress) {
  // What ran before is read, then both are replayed.
  const auto part = [&](int number) {
    return [&progress, number](double share) { return progress((number + share) / 3); };
  };
  const phantom::Card& own_card = tried.own.card;
  Status begun = Done{};
  if (wanted.cache == CacheOf::kThisRun) begun = advice::BeginAfter(*tried.view, own_card, other);
  if (wanted.cache == CacheOf::kRecording) {
    const Result<std::unique_ptr<session::Run>> before = session::Run::Open(wanted.recording, part(0));
    if (!before) return before.error();
    const Result<phantom::Card> card =
        session::CardOr(own_card.name, (*before)->description(), (*before)->view().get(), cards);
    if (!card) return card.error();
    begun = advice::BeginAfter(*(*before)->view(), *card, other);
  }
  if (!begun) return begun.error();
  const Result<advice::ReplayedRun> run = advice::ReplayedRun::Of(*tried.view, tried.own, allocator, part(1));
  if (!run) return run.error();
  return run->With(other, part(2));
}

}  // namespace

// None where something is being tried, or the run's allocator is not to be had.
std::optional<session::AllocatorOf> TrialRuns::Begin(const TriedRun& run) {
  if (found_.trying) return std::nullopt;
  Result<session::AllocatorOf> allocator = session::AllocatorOf{};
  if (allocator_of_) allocator = allocator_of_(run.description);
  found_.trying = allocator.ok();
  found_.error = allocator ? "" : allocator.error().message;
  return allocator ? std::optional(*allocator) : std::nullopt;
}

// Rows beside each other are of the same requests: what was tried on fewer goes.
void TrialRuns::KeepOnlyOf(timeline::EventIndex end) {
  if (found_.tried_until == end) return;
  found_.settings.clear();
  found_.setups.clear();
  found_.tried_until = end;
}

void TrialRuns::TryOther(const TriedRun& run, const OtherSetup& wanted, const std::function<void()>& then) {
  const std::optional<session::AllocatorOf> allocator = Begin(run);
  if (!allocator) return;
  const auto other = advice::Otherwise(run.own, session::CardOf(wanted.card, 0, *cards_), wanted.memory_bytes,
                                       wanted.allocator);
  const Request request = latest_.Begin();
  jobs_->Start("Trying the run otherwise", JobEnd::kOnRequest, request,
               [this, run, other, wanted, then, allocator = *allocator, cards = *cards_,
                request](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                 const auto outcome = std::make_shared<Result<advice::WhatIf>>(
                     TryOne(run, other, wanted, allocator, cards, progress));
                 return [this, outcome, wanted, then, request, end = run.view->end()] {
                   found_.trying = false;
                   if (!request.wanted()) return;
                   if (!*outcome) {
                     found_.error = outcome->error().message;
                     return;
                   }
                   KeepOnlyOf(end);
                   std::erase_if(found_.setups, [&](const SetupTrial& old) { return old.setup == wanted; });
                   found_.setups.push_back({wanted, **outcome});
                   then();
                 };
               });
}

void TrialRuns::TryAll(const TriedRun& run, const std::function<void()>& then) {
  const std::optional<session::AllocatorOf> allocator = Begin(run);
  if (!allocator) return;
  const Request request = latest_.Begin();
  jobs_->Start("Trying settings of the allocator", JobEnd::kOnRequest, request,
               [this, run, then, allocator = *allocator,
                request](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                 const auto outcome = std::make_shared<advice::AllocatorTrials>(
                     advice::TrySettings(*run.view, run.own, run.own, allocator, progress));
                 return [this, outcome, then, request, end = run.view->end()] {
                   found_.trying = false;
                   if (!request.wanted()) return;
                   found_.error = outcome->error;
                   KeepOnlyOf(end);
                   found_.settings = outcome->trials;
                   then();
                 };
               });
}

void TrialRuns::Forget() {
  latest_.Drop();
  found_.settings.clear();
  found_.setups.clear();
  found_.tried_until = 0;
  found_.error.clear();
}

}  // namespace tidemark::gui
