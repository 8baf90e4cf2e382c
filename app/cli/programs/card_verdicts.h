// Which cards a user's program would fit on: the requests that it has on a card of that kind, put to
// PyTorch's allocator there. Where it did not run, its requests on the card that was asked for are put there
// instead, and told as that. A program that takes what the card has (it allocates until it fails, or a share
// of what is free) has no requests that say so: it is run on phantoms that have each card's own memory, and
// what it made of them is told.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/programs/program_cards.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/allocator_trial.h"
#include "profiler/session/card_fit.h"

namespace tidemark::cli {

struct CardVerdict {
  phantom::Card card;
  phantom::Card ran_on;         // on whose phantom
  bool is_of_its_kind = true;   // that card; else its requests, which differ a little, are all that is known
  bool has_kernels = true;      // of the program's torch; without, nothing runs there
  bool had_own_memory = false;  // the run had the card's memory; else room for all
  bool ran_out = false;         // of that, and ended by it
  std::string failure = {};     // why the program came to no end there; "" if it did
  bool fits = false;
  // So it does, but where libraries find no room for the workspaces of their first choice they take others.
  bool has_smaller_workspaces = false;
  session::HeldOfCard held = {};  // nothing where it does not fit
  session::Need needed = {};      // nothing = not known, or it takes what there is

  // It fits, and nearly fills the card, or only with smaller workspaces, or if the card's context is as small
  // as it is estimated to be.
  // Not of a program that takes what there is.
  bool is_tight() const;
};

// The known cards, by memory, judged by one run after another.
class CardVerdicts {
 public:
  // `asked`: the card of the first run, with the memory that it shall have. `settings`: the allocator's.
  // `cuda`: that the program's torch was built with. Reads the assets folder.
  static Result<CardVerdicts> Of(const phantom::Card& asked, const std::string& settings,
                                 const session::AllocatorOf& allocator, const std::string& cuda);

  // Judges the cards that the run stands for; the first run, which had room for all, all of them, until
  // another one does. Replays it where it is close. Errors: it cannot be replayed.
  Status Take(const CardRun& run);
  // What is to be run where only the smallest card with room is looked for; nothing once that is found.
  // Where the card that was asked for, or all of them, have no room for what the first run requested, first
  // that one (and if it runs out there, too, the largest), with its own memory: a program that ends well on
  // less takes what there is.
  CardsToRun NextToRun() const;
  // The same, where each kind of card with room shall be run.
  CardsToRun StillToRun() const;
  // Not for what the first run had at its peak beside workspaces, since those are what differs.
  bool HasNoRoom(const phantom::Card& card) const;
  // That of the card that was asked for; null if it is none of the known ones.
  const CardVerdict* OfAsked() const;
  // The smallest that has room, and is not tight where there is such a one; null if none has.
  const CardVerdict* Smallest() const;
  // Those below it that are tight.
  std::vector<const CardVerdict*> Tight() const;

  // It went on after memory had run out in the first run; or on a card with less it took less, and ended
  // well.
  bool takes_what_there_is() const { return takes_what_there_is_; }
  // Memory ran out in the first run, too, and ended it: no card has room.
  bool ran_out_of_all() const { return ran_out_of_all_; }
  // Why the first run came to no end, but for want of memory; "" if it did. What it requested until then says
  // of no card that it has room for all.
  const std::string& first_failure() const { return first_failure_; }
  int64_t first_allocated_bytes() const { return first_allocated_bytes_; }  // at the first run's peak
  // What parameters and optimizers held in the first run at its peak, of several cards on the fullest at the
  // least.
  int64_t state_bytes() const { return state_bytes_; }
  const std::vector<CardVerdict>& verdicts() const { return verdicts_; }
  const phantom::Card& asked() const { return asked_; }
  // "NVIDIA T4", or "NVIDIA T4 limited to 6.00 GiB"
  std::string TitleOf(const phantom::Card& card) const;
  size_t cards_used() const { return cards_used_; }  // in the first run, all of a kind

 private:
  CardVerdicts(phantom::Card asked, std::string settings, session::AllocatorOf allocator)
      : asked_(std::move(asked)), settings_(std::move(settings)), allocator_(std::move(allocator)) {}
  Status TakeWithRoomForAll(const CardRun& run);
  void TakeFirst(const CardRun& run);
  void TakeWithOwnMemory(const CardRun& run);
  std::optional<phantom::Card> ToTryWithOwnMemory() const;

  phantom::Card asked_;
  std::string settings_;
  session::AllocatorOf allocator_;
  std::vector<CardVerdict> verdicts_;
  std::optional<session::Need> first_need_;  // of the first run
  std::string first_failure_;
  int64_t first_allocated_bytes_ = 0;
  int64_t first_workspaces_bytes_ = 0;  // the most that they took in the first run
  int64_t state_bytes_ = 0;
  size_t cards_used_ = 1;
  bool asked_is_limited_ = false;
  bool ran_out_of_all_ = false;
  bool takes_what_there_is_ = false;
};

}  // namespace tidemark::cli
