#include "app/cli/programs/card_verdicts.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "app/cli/programs/run_judge.h"
#include "profiler/base/format.h"
#include "profiler/session/card_fit.h"
#include "profiler/timeline/series.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::cli {
namespace {

using timeline::Series;

bool HaveAsMuch(const phantom::Card& one, const phantom::Card& other) {
  return one.memory_bytes == other.memory_bytes && one.context_bytes == other.context_bytes;
}

int64_t PeakOf(const timeline::View& view, Series series) {
  return ValueOf(view.PeakIn(series, view.first(), view.end()).values, series);
}

// What fewer samples make no smaller.
int64_t StateOf(const timeline::SeriesValues& values) {
  return ValueOf(values, timeline::SeriesOf(events::Category::kParameter)) +
         ValueOf(values, timeline::SeriesOf(events::Category::kOptimizerState));
}

}  // namespace

bool CardVerdict::is_tight() const {
  if (had_own_memory) return fits && has_smaller_workspaces;
  return fits && !session::HasRoomToSpare(card, held);
}

Result<CardVerdicts> CardVerdicts::Of(const phantom::Card& asked, const std::string& settings,
                                      const session::AllocatorOf& allocator, const std::string& cuda) {
  Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  if (!cards) return cards.error();
  CardVerdicts verdicts(asked, settings, allocator);
  verdicts.asked_is_limited_ = session::IsLimited(asked, *cards);
  for (phantom::Card& card : *cards) {
    if (card.name == asked.name) card = asked;
  }
  std::ranges::stable_sort(*cards, {}, &phantom::Card::memory_bytes);
  for (phantom::Card& card : *cards) {
    verdicts.verdicts_.emplace_back();
    verdicts.verdicts_.back().has_kernels = phantom::HasKernelsFor(cuda, card);
    verdicts.verdicts_.back().card = std::move(card);
  }
  return verdicts;
}

Status CardVerdicts::Take(const CardRun& run) {
  if (run.had_own_memory) {
    TakeWithOwnMemory(run);
    return Done{};
  }
  return TakeWithRoomForAll(run);
}

Status CardVerdicts::TakeWithRoomForAll(const CardRun& run) {
  const bool is_first = !first_need_;
  if (is_first) TakeFirst(run);
  std::optional<RunJudge> judge;
  if (run.failure.empty() && !takes_what_there_is_ && !ran_out_of_all_)
    judge.emplace(*run.view, settings_, allocator_);
  const session::Need needed = judge ? session::NeedOf(*run.view) : session::Need();
  for (CardVerdict& verdict : verdicts_) {
    const bool is_of_its_kind = ShareRuns(run.card, verdict.card);
    if (!verdict.has_kernels || verdict.had_own_memory || (!is_first && !is_of_its_kind)) continue;
    verdict = {verdict.card, run.card, is_of_its_kind && !takes_what_there_is_};
    verdict.failure = run.failure;
    if (!judge) continue;
    const Result<std::optional<session::HeldOfCard>> held = judge->HeldOn(verdict.card);
    if (!held) return held.error();
    verdict.needed = needed;
    verdict.fits = held->has_value();
    verdict.held = held->value_or(session::HeldOfCard());
  }
  return Done{};
}

void CardVerdicts::TakeFirst(const CardRun& run) {
  ran_out_of_all_ = run.ran_out;
  first_failure_ = run.failure;
  first_need_ = session::Need();
  if (run.view == nullptr) return;
  const timeline::View& view = *run.view;
  const timeline::SeriesValues peak = view.PeakIn(Series::kAllocated, view.first(), view.end()).values;
  cards_used_ = std::max<size_t>(view.devices().size(), 1);
  // Of several cards the fullest holds as much at the least.
  const auto cards = static_cast<int64_t>(cards_used_);
  first_need_ = session::NeedOf(view);
  state_bytes_ = StateOf(peak) / cards;
  first_allocated_bytes_ = ValueOf(peak, Series::kAllocated);
  first_workspaces_bytes_ = PeakOf(view, timeline::SeriesOf(events::Category::kWorkspace));
  takes_what_there_is_ = !run.ran_out && !view.out_of_memory().empty();
}

void CardVerdicts::TakeWithOwnMemory(const CardRun& run) {
  const bool ended_well = run.failure.empty() && run.view != nullptr;
  const int64_t less =
      ended_well ? first_allocated_bytes_ - PeakOf(*run.view, Series::kAllocated) : int64_t{0};
  const bool is_by_workspaces = less > 0 && less <= first_workspaces_bytes_ && !takes_what_there_is_;
  if (less > 0 && !is_by_workspaces && !takes_what_there_is_) {
    takes_what_there_is_ = true;
    for (CardVerdict& verdict : verdicts_) {  // what the first run requested says nothing of them
      if (!verdict.had_own_memory) verdict = {verdict.card, verdict.ran_on, false, verdict.has_kernels};
      verdict.needed = {};
    }
  }
  for (CardVerdict& verdict : verdicts_) {
    const bool is_told_of = ShareRuns(run.card, verdict.card) && HaveAsMuch(run.card, verdict.card);
    if (!verdict.has_kernels || !is_told_of) continue;
    const session::Need needed = verdict.needed;
    verdict = {verdict.card, run.card, true, true, true, run.ran_out, run.failure, ended_well};
    verdict.needed = needed;
    verdict.has_smaller_workspaces = is_by_workspaces;
    if (ended_well) verdict.held.reserved_bytes = session::HighestHeld(*run.view).bytes;
  }
}

bool CardVerdicts::HasNoRoom(const phantom::Card& card) const {
  if (takes_what_there_is_) return false;
  return ran_out_of_all_ ||
         first_need_.value_or(session::Need()).allocated_bytes > session::UsableBytes(card);
}

std::string CardVerdicts::TitleOf(const phantom::Card& card) const {
  if (!asked_is_limited_ || card.name != asked_.name) return card.title;
  return card.title + " limited to " + FormatBytes(card.memory_bytes, ByteUnit::kMebibytes);
}

const CardVerdict* CardVerdicts::OfAsked() const {
  const auto found =
      std::ranges::find_if(verdicts_, [&](const CardVerdict& one) { return one.card.name == asked_.name; });
  return found == verdicts_.end() ? nullptr : &*found;
}

const CardVerdict* CardVerdicts::Smallest() const {
  const CardVerdict* smallest = nullptr;
  for (const CardVerdict& verdict : verdicts_) {
    if (verdict.fits && !verdict.is_tight()) return &verdict;
    if (verdict.fits && smallest == nullptr) smallest = &verdict;
  }
  return smallest;
}

std::vector<const CardVerdict*> CardVerdicts::Tight() const {
  std::vector<const CardVerdict*> tight;
  for (const CardVerdict& verdict : verdicts_) {
    if (&verdict == Smallest()) break;
    if (verdict.is_tight()) tight.push_back(&verdict);
  }
  return tight;
}

std::optional<phantom::Card> CardVerdicts::ToTryWithOwnMemory() const {
  const auto runs_there = [](const CardVerdict& one) { return one.has_kernels; };
  const CardVerdict* const asked = OfAsked();
  if (asked != nullptr && asked->has_kernels && !asked->had_own_memory && !asked->fits) return asked->card;
  const auto largest = std::ranges::find_if(verdicts_.rbegin(), verdicts_.rend(), runs_there);
  const bool is_hopeless = !takes_what_there_is_ && Smallest() == nullptr;
  if (is_hopeless && largest != verdicts_.rend() && !largest->had_own_memory) return largest->card;
  return std::nullopt;
}

CardsToRun CardVerdicts::NextToRun() const {
  if (ran_out_of_all_) return {};
  if (const std::optional<phantom::Card> card = ToTryWithOwnMemory()) return {{*card}, true};
  bool has_room = false;  // one that was run; from there on those are that have room to spare by its requests
  for (const CardVerdict& verdict : verdicts_) {
    const bool has_room_to_spare = verdict.fits && !verdict.is_tight();
    if (verdict.is_of_its_kind && has_room_to_spare) return {};
    has_room = has_room || (verdict.is_of_its_kind && verdict.fits);
    const bool is_to_be_run = !has_room || has_room_to_spare;
    if (is_to_be_run && verdict.has_kernels && !verdict.is_of_its_kind && !HasNoRoom(verdict.card))
      return {{verdict.card}, takes_what_there_is_};
  }
  return {};
}

CardsToRun CardVerdicts::StillToRun() const {
  if (ran_out_of_all_) return {};
  if (const std::optional<phantom::Card> card = ToTryWithOwnMemory()) return {{*card}, true};
  CardsToRun next{{}, takes_what_there_is_};
  for (const CardVerdict& verdict : verdicts_) {
    const bool is_told_of =
        !verdict.has_kernels || verdict.is_of_its_kind || HasNoRoom(verdict.card) ||
        std::ranges::any_of(next.cards, [&](const phantom::Card& card) {
          return ShareRuns(card, verdict.card) && (!takes_what_there_is_ || HaveAsMuch(card, verdict.card));
        });
    if (!is_told_of) next.cards.push_back(verdict.card);
  }
  return next;
}

}  // namespace tidemark::cli
