#include "app/cli/programs/program_fit.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/programs/fit_row.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/base/format.h"
#include "profiler/session/card_fit.h"
#include "profiler/session/program_order.h"

namespace tidemark::cli {
namespace {

// Of a program that takes what there is.
std::string InWordsOfOwnMemory(const CardVerdict& verdict) {
  if (!verdict.had_own_memory) return "not run";
  if (verdict.failure.empty()) return "ends well";
  return (verdict.ran_out ? "runs out of memory: " : "ends early: ") + verdict.failure;
}

std::string InWords(const CardVerdicts& verdicts, const CardVerdict& verdict) {
  if (!verdict.has_kernels) return "does not run there: its PyTorch has no kernels for this card";
  if (verdicts.takes_what_there_is()) return InWordsOfOwnMemory(verdict);
  if (verdict.ran_out) return "does not fit";
  const bool was_run = verdict.is_of_its_kind;
  if (!was_run && verdicts.HasNoRoom(verdict.card)) return "does not fit, whatever its workspaces are there";
  const std::string begin = was_run ? "" : "not run; by its requests it ";
  if (!verdict.failure.empty()) return (was_run ? "no answer: " : "not run: ") + verdict.failure;
  if (!verdict.fits) return begin + "does not fit";
  if (verdict.has_smaller_workspaces)
    return "fits, but with no room for the workspaces of its first choice: with slower kernels";
  return begin + (verdict.had_own_memory ? "fits" : presenters::FitsInWords(verdict.held, verdict.card));
}

std::string MebibytesOf(int64_t bytes) { return FormatBytes(bytes, ByteUnit::kMebibytes); }

int64_t TakenBytes(const CardVerdict& verdict) {
  return verdict.held.reserved_bytes + verdict.card.context_bytes;
}

// "32.9 MiB are left there beside its context, which is an estimate (144.0 MiB)."
std::string RoomOnText(const CardVerdict& verdict) {
  const phantom::Card& card = verdict.card;
  return fmt::format(
      "{} are left on it beside its context{}.", MebibytesOf(card.memory_bytes - TakenBytes(verdict)),
      card.context_is_measured ? ""
                               : fmt::format(", which is an estimate ({})", MebibytesOf(card.context_bytes)));
}

// ": at least 2.65 GiB short", of the card that was asked for, or ": with PYTORCH_CUDA_ALLOC_CONF=... it has
// room".
std::string ShortText(const CardVerdict& verdict, const std::string& fits_with) {
  session::TechniqueAnswer answer{verdict.fits, verdict.ran_out};
  if (verdict.ran_out) answer.needed = verdict.needed;
  if (!verdict.fits && !fits_with.empty()) answer.fits_with = {fits_with, {}};
  const std::string what = presenters::WhatIsShort(answer, verdict.card, ByteUnit::kMebibytes);
  return what.empty() ? "" : ": " + what;
}

// Of the smallest of those that are tight, and how many there are.
std::string TightText(const CardVerdicts& verdicts) {
  const std::vector<const CardVerdict*> tight = verdicts.Tight();
  if (tight.empty()) return "";
  const size_t more = tight.size() - 1;
  return fmt::format("It is tight on the smaller {}{}: {}\n", verdicts.TitleOf(tight.front()->card),
                     more > 0 ? fmt::format(", and on {} more", more) : "", RoomOnText(*tight.front()));
}

// Of a run that ended early, but for want of memory, nothing is known of its card. What a program finds in
// its first run alone may be why.
std::string NoneText(const CardVerdicts& verdicts) {
  const auto gave_no_answer = [](const CardVerdict& one) {
    return one.has_kernels && one.is_of_its_kind && !one.ran_out && !one.failure.empty();
  };
  const auto found = std::ranges::find_if(verdicts.verdicts(), gave_no_answer);
  if (found == verdicts.verdicts().end()) return "None of the known cards has room for it.\n";
  return fmt::format(
      "Which of the known cards has room for it is not known: on the {} it gave no answer. A program that "
      "reads standard input has it in its first run only.\n",
      verdicts.TitleOf(found->card));
}

std::string SmallestText(const CardVerdicts& verdicts) {
  const CardVerdict* const smallest = verdicts.Smallest();
  if (verdicts.takes_what_there_is()) {
    return fmt::format(
        "It takes what the card has: with room for all it allocated {} at its peak. So what it makes of a "
        "card is told by a run with that card's own memory. {}\n",
        MebibytesOf(verdicts.first_allocated_bytes()),
        smallest == nullptr ? "It ended well on none that it was run on."
                            : fmt::format("The smallest known card on which it ends well is the {}.",
                                          verdicts.TitleOf(smallest->card)));
  }
  if (smallest == nullptr) return NoneText(verdicts);
  const std::string used =
      verdicts.cards_used() > 1 ? fmt::format(", of which it uses {}", verdicts.cards_used()) : "";
  return fmt::format("The smallest known card with room {}for it is the {}{}{}.{}\n",
                     verdicts.Tight().empty() ? "" : "to spare ", verdicts.TitleOf(smallest->card), used,
                     smallest->is_of_its_kind ? "" : ", by its requests; it was not run there",
                     smallest->is_tight() ? " " + RoomOnText(*smallest) : "") +
         TightText(verdicts);
}

// Of a program that failed.
std::string FailedText(const CardVerdicts& verdicts, const std::string& why_no_runs) {
  return fmt::format("{} Until then it allocated {} at its peak; what all of it needs is not known.\n{}\n",
                     verdicts.first_failure(), MebibytesOf(verdicts.first_allocated_bytes()), why_no_runs);
}

// Cards of which the same is to be said, by memory.
using Alike = std::vector<const CardVerdict*>;

// What a run of its own told of a card stands alone, and so does the card that was asked for.
std::vector<Alike> RowsOf(const CardVerdicts& verdicts) {
  constexpr size_t kFewest = 3;  // cards that one row is for; fewer are told by their names
  const auto is_alone = [&](const CardVerdict& one) {
    return (one.fits && one.is_of_its_kind) || one.card.name == verdicts.asked().name;
  };
  std::vector<Alike> rows;
  for (const CardVerdict& verdict : verdicts.verdicts()) {
    const auto alike = std::ranges::find_if(rows, [&](const Alike& row) {
      return !is_alone(verdict) && !is_alone(*row.front()) &&
             InWords(verdicts, *row.front()) == InWords(verdicts, verdict);
    });
    if (alike == rows.end()) {
      rows.push_back({&verdict});
    } else {
      alike->push_back(&verdict);
    }
  }
  std::vector<Alike> told;
  for (const Alike& row : rows) {
    if (row.size() >= kFewest) {
      told.push_back(row);
    } else {
      for (const CardVerdict* const one : row) told.push_back({one});
    }
  }
  std::ranges::stable_sort(told, {}, [](const Alike& row) { return row.front()->card.memory_bytes; });
  return told;
}

std::string RowText(const CardVerdicts& verdicts, const Alike& row, const std::string& fits_with) {
  const auto taken = [](const CardVerdict* one) { return TakenBytes(*one); };
  const CardVerdict& first = *row.front();
  const std::string words = InWords(verdicts, first);
  const std::string least =
      first.fits ? MebibytesOf(taken(*std::ranges::min_element(row, {}, taken))) : std::string("–");
  if (row.size() == 1) {
    const std::string title = verdicts.TitleOf(first.card);
    const bool is_limited = title != first.card.title;
    const bool is_asked = &first == verdicts.OfAsked();
    const std::string size = session::CardSize(first.card.memory_bytes);
    return FitRow(is_limited ? title : fmt::format("{} ({})", title, size),
                  MebibytesOf(first.card.memory_bytes), least,
                  words + (is_asked ? ShortText(first, fits_with) : ""));
  }
  const std::string smallest = session::CardSize(first.card.memory_bytes);
  const std::string largest = session::CardSize(row.back()->card.memory_bytes);
  const std::string cards = fmt::format("{} cards with {}", row.size(),
                                        smallest == largest ? smallest : smallest + " to " + largest);
  return FitRow(cards, "", first.fits ? least + " up" : least, words);
}

// Of a program that takes what there is: what it was not run on.
std::string NotRunText(const CardVerdicts& verdicts, const std::string& why_no_runs) {
  const auto is_left = [](const CardVerdict& one) { return one.has_kernels && !one.had_own_memory; };
  if (!why_no_runs.empty()) return why_no_runs + "\n";
  if (std::ranges::none_of(verdicts.verdicts(), is_left)) return "It ran on each kind of card.\n";
  return "Cards were tried upward until it ended well on one; --all-cards runs it on each kind.\n";
}

// Whose run is whose.
std::string RunsText(const CardVerdicts& verdicts, const std::string& why_no_runs) {
  if (verdicts.takes_what_there_is()) return NotRunText(verdicts, why_no_runs);
  if (verdicts.ran_out_of_all()) return why_no_runs + "\n";
  std::string shared;
  std::vector<std::string> without;
  for (const CardVerdict& verdict : verdicts.verdicts()) {
    if (!verdict.has_kernels) continue;
    if (verdict.is_of_its_kind && verdict.ran_on.name != verdict.card.name) {
      shared += fmt::format(" The {} and the {} share a run.", verdict.card.title, verdict.ran_on.title);
    } else if (!verdict.is_of_its_kind && !verdicts.HasNoRoom(verdict.card)) {
      without.push_back(verdict.card.title);
    }
  }
  if (without.empty())
    return fmt::format("It ran on a phantom of each kind of card with room for it.{}\n", shared);
  if (why_no_runs.empty()) {
    return fmt::format(
        "It ran on phantoms of cards from the smallest that may have room until one had room to spare.{} "
        "What is "
        "not run is judged by its requests on the {}: only its workspaces may be others there. --all-cards "
        "runs it on each kind.\n",
        shared, verdicts.asked().title);
  }
  const auto run_there = std::ranges::count_if(verdicts.verdicts(), &CardVerdict::has_kernels);
  const bool has_none = std::ssize(without) + 1 == run_there;
  return fmt::format(
      "{}{} Judged by its requests on the {}, whose workspaces may be others: {}. "
      "tidemark phantom --card NAME tells theirs.\n",
      why_no_runs, shared, verdicts.asked().title,
      has_none ? "all other cards" : fmt::format("{}", fmt::join(without, ", ")));
}

}  // namespace

std::string VerdictsText(const CardVerdicts& verdicts, const std::string& title,
                         const std::string& why_no_runs, const std::string& fits_with) {
  if (!verdicts.first_failure().empty()) return FailedText(verdicts, why_no_runs);
  std::string rows = FitRow("card", "memory", verdicts.cards_used() > 1 ? "fullest" : "taken", "");
  const phantom::Card& asked = verdicts.asked();
  std::string own_words;
  std::string own_taken;
  for (const Alike& row : RowsOf(verdicts)) rows += RowText(verdicts, row, fits_with);
  if (const CardVerdict* const own = verdicts.OfAsked()) {
    own_words = InWords(verdicts, *own) + ShortText(*own, fits_with);
    if (own->had_own_memory && own->fits) {
      own_taken = fmt::format(", and takes {} of {} with the context", MebibytesOf(TakenBytes(*own)),
                              MebibytesOf(own->card.memory_bytes));
    }
  }
  std::string answer = SmallestText(verdicts);
  if (!own_words.empty())
    answer += fmt::format("{} on the {}: {}{}{}\n", title, verdicts.TitleOf(asked), own_words, own_taken,
                          (own_words + own_taken).ends_with('.') ? "" : ".");
  return answer + rows + RunsText(verdicts, why_no_runs);
}

Json VerdictsJson(const CardVerdicts& verdicts, const std::string& title, const std::string& why_no_runs,
                  const std::vector<std::string>& notes) {
  Json cards = Json::array();
  for (const CardVerdict& verdict : verdicts.verdicts()) {
    Json json = CardJson(verdict.card);
    json["ran_on"] = verdict.ran_on.name;
    json["ran_on_its_kind"] = verdict.is_of_its_kind;
    json["has_kernels"] = verdict.has_kernels;
    json["had_own_memory"] = verdict.had_own_memory;
    json["ran_out_of_memory"] = verdict.ran_out;
    json["failure"] = verdict.failure;
    json["fits"] = verdict.fits;
    json["empties_cache"] = verdict.held.empties_cache;
    json["has_smaller_workspaces"] = verdict.has_smaller_workspaces;
    json["is_tight"] = verdict.is_tight();
    json["reserved_peak_bytes"] = verdict.fits ? Json(verdict.held.reserved_bytes) : Json();
    AddNeedJson(verdict.needed, json);
    cards.push_back(std::move(json));
  }
  const CardVerdict* const smallest = verdicts.Smallest();
  return {{"program", title},
          {"card", verdicts.asked().name},
          {"cards", cards},
          {"cards_used", verdicts.cards_used()},
          {"takes_what_there_is", verdicts.takes_what_there_is()},
          {"why_no_runs", why_no_runs.empty() ? Json() : Json(why_no_runs)},
          {"notes", notes},
          {"smallest", smallest == nullptr ? Json(nullptr) : Json(smallest->card.name)}};
}

Json NoVerdictsJson(const phantom::Card& asked, const std::string& title, const std::string& why,
                    const std::vector<std::string>& notes) {
  return {{"program", title}, {"card", asked.name}, {"cards", Json()}, {"error", why}, {"notes", notes}};
}

}  // namespace tidemark::cli
