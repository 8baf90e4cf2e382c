// Which cards a user's program would fit on: the requests that it has on a card of that kind, put to
// PyTorch's allocator there. Where it did not run, its requests on the card that was asked for are put there
// instead, and told as that.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/program_cards.h"
#include "app/cli/report.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/allocator_trial.h"

namespace tidemark::cli {

struct CardVerdict {
  phantom::Card card;
  phantom::Card ran_on;        // on whose phantom
  bool is_of_its_kind = true;  // that card; else its requests, which differ a little, are all that is known
  bool has_kernels = true;     // of the program's torch; without, nothing runs there
  std::string failure;         // why the program came to no end there; "" if it did
  bool fits = false;
  bool empties_cache = false;  // it fits, but PyTorch gives its cache back in between
  int64_t reserved_bytes = 0;  // at the peak; 0 where it does not fit
};

// The known cards, by memory, judged by one run after another.
class CardVerdicts {
 public:
  // `asked`: the card of the first run, with the memory that it shall have. `settings`: the allocator's.
  // `cuda`: that the program's torch was built with. Reads the assets folder.
  static Result<CardVerdicts> Of(const phantom::Card& asked, const std::string& settings,
                                 const session::AllocatorOf& allocator, const std::string& cuda);

  // Judges the cards that the run stands for; the first run all of them, until another one does. Replays it
  // where it is close. Errors: it cannot be replayed.
  Status Take(const CardRun& run);
  // After the first: one card for each kind that another run has to tell of. Not of those that have no room
  // for what the first run had at its peak beside workspaces, since those are what differs.
  std::vector<phantom::Card> StillToRun() const;
  // The one of those that is next where only the smallest card with room is looked for: all below it have
  // none. Nothing once that is found.
  std::optional<phantom::Card> NextToRun() const;
  bool HasNoRoom(const phantom::Card& card) const;
  // The smallest that has room; null if none has.
  const CardVerdict* Smallest() const;

  const std::vector<CardVerdict>& verdicts() const { return verdicts_; }
  const phantom::Card& asked() const { return asked_; }

 private:
  CardVerdicts(phantom::Card asked, std::string settings, session::AllocatorOf allocator)
      : asked_(std::move(asked)), settings_(std::move(settings)), allocator_(std::move(allocator)) {}

  phantom::Card asked_;
  std::string settings_;
  session::AllocatorOf allocator_;
  std::vector<CardVerdict> verdicts_;
  std::optional<int64_t> beside_workspaces_bytes_;  // allocated at the first run's peak
};

// `why_no_runs`: a sentence on why other kinds of cards had no run; "" if they had, as far as looked for.
std::string VerdictsText(const CardVerdicts& verdicts, const std::string& title,
                         const std::string& why_no_runs);
// `notes`: what makes the figures less than certain.
Json VerdictsJson(const CardVerdicts& verdicts, const std::string& title,
                  const std::vector<std::string>& notes);

}  // namespace tidemark::cli
