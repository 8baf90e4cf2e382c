#include "app/cli/programs/program_ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/cli/programs/fit_row.h"
#include "app/cli/programs/user_program.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/base/format.h"
#include "profiler/session/card_fit.h"

namespace tidemark::cli {
namespace {

using phantom::Techniques;

std::string InBinary(int64_t bytes) { return FormatBytes(bytes, ByteUnit::kMebibytes); }

struct Way {
  std::string settings;  // PYTORCH_CUDA_ALLOC_CONF; "" = as they are
  Techniques techniques = {};
  bool has_room_to_spare = false;

  bool has_techniques() const { return techniques != Techniques{}; }
};

// Whether with so much it fits where it does not, or takes less than it does as it is.
bool Helps(const session::HeldOfCard& held, const ProgramWays& ways) {
  if (!ways.as_it_is) return true;
  const bool empties_no_more = !held.empties_cache && ways.as_it_is->empties_cache;
  return empties_no_more || held.reserved_bytes < ways.as_it_is->reserved_bytes;
}

// The cheapest first: settings alone, then techniques in the order in which they were tried, each with other
// settings only where it takes them. What changed nothing, or saves nothing, is none.
std::vector<Way> WaysOf(const ProgramWays& ways, const phantom::Card& card) {
  std::vector<Way> found;
  const auto add = [&](const std::string& settings, const Techniques& techniques,
                       const session::HeldOfCard& held) {
    if (Helps(held, ways)) found.push_back({settings, techniques, session::HasRoomToSpare(card, held)});
  };
  for (const advice::AllocatorTrial& trial : ways.settings)
    add(trial.settings, {}, session::HeldBy(trial.outcome.after));
  for (const TechniqueVerdict& verdict : ways.techniques) {
    if (!verdict.in_vain.empty()) continue;
    if (verdict.fits) add("", verdict.techniques, verdict.held);
    if (const auto& with = verdict.fits_with) add(with->settings, verdict.techniques, with->held);
  }
  return found;
}

std::string SettingsTable(const ProgramWays& ways, const phantom::Card& card) {
  if (ways.settings.empty()) return "";
  const phantom::Replayed& with = ways.settings.front().outcome.after;
  return fmt::format("On the {}, with PYTORCH_CUDA_ALLOC_CONF, tried on what it asked for:\n", card.title) +
         FitRow("with", "allocated", "taken", "") +
         FitRow(ways.fits_with(), InBinary(with.allocated_peak_bytes),
                InBinary(with.fullest_reserved_bytes + card.context_bytes),
                presenters::FitsInWords(session::HeldBy(with), card));
}

std::string InWords(const TechniqueVerdict& verdict, const phantom::Card& card) {
  std::string words =
      verdict.fits ? presenters::FitsInWords(verdict.held, card) : presenters::VerdictOf(verdict);
  const std::string what =
      verdict.ran_out ? presenters::WhatIsShort(verdict, card, ByteUnit::kMebibytes) : verdict.failure;
  if (!what.empty()) words += ": " + what;
  const std::string in_vain = presenters::ChangedNothing(verdict);
  return in_vain.empty() ? words : words + "; " + in_vain;
}

std::string TechniqueRow(const TechniqueVerdict& verdict, const phantom::Card& card) {
  const std::string options = phantom::OptionsOf(verdict.techniques);
  if (!verdict.fits) return FitRow(options, "–", "–", InWords(verdict, card));
  return FitRow(options, InBinary(verdict.allocated_bytes),
                InBinary(verdict.held.reserved_bytes + card.context_bytes), InWords(verdict, card));
}

std::string TechniquesTable(const ProgramWays& ways, const phantom::Card& card) {
  if (ways.techniques.empty()) return "";
  std::string text =
      fmt::format("On the {}, with techniques that it does not use itself, as if it did:\n", card.title) +
      FitRow("with", "allocated", "taken", "");
  for (const TechniqueVerdict& verdict : ways.techniques) text += TechniqueRow(verdict, card);
  return text;
}

// "batch-size 12", as the progress of its runs calls it.
std::string SamplesInWords(const FewerSamples& fewer, int64_t samples) {
  return fewer.argument + " " + FormatNumber(samples);
}

// What of fewer samples makes it fit, if anything does; and the techniques beside.
const FewerSamples* FewerThatFit(const ProgramWays& ways) {
  for (const auto* fewer : {&ways.fewer, &ways.fewer_with}) {
    if (*fewer && (*fewer)->most > 0) return &**fewer;
  }
  return nullptr;
}
std::string OptionsOfFewer(const ProgramWays& ways) {
  const bool has_techniques = ways.fewer_with && FewerThatFit(ways) == &*ways.fewer_with;
  return has_techniques ? phantom::OptionsOf(ways.with) : "";
}

std::string SamplesTable(const ProgramWays& ways, const phantom::Card& card) {
  if (FewerThatFit(ways) == nullptr) return "";
  const FewerSamples& fewer = *FewerThatFit(ways);
  const std::string options = OptionsOfFewer(ways);
  std::string words = presenters::FitsInWords(fewer.held, card);
  if (fewer.too_many) {
    words += fmt::format("; with {} it {}", FormatNumber(*fewer.too_many),
                         session::HasRoomToSpare(card, fewer.held) ? "has no room to spare" : "does not fit");
  }
  return fmt::format("On the {}, with fewer samples at once{}, by its requests with room for all:\n",
                     card.title, options.empty() ? "" : " and " + options) +
         FitRow("with", "allocated", "taken", "") +
         FitRow(fmt::format("{} instead of {}", SamplesInWords(fewer, fewer.most), FormatNumber(fewer.asked)),
                InBinary(fewer.allocated_bytes), InBinary(fewer.held.reserved_bytes + card.context_bytes),
                words);
}

constexpr const char* kStopped = "Stopped as asked, before all was tried that may make it fit there.\n";
constexpr const char* kGivesRoom = "gives it room to spare there";

const char* WhatNoneDoes(bool fits) { return fits ? kGivesRoom : "makes it fit there"; }

// What it ran on, as one would ask for it again.
std::string CardOptions(const PhantomOptions& asked) {
  const PhantomOptions by_itself;
  std::string options = "--card " + asked.card;
  if (asked.gpus != by_itself.gpus) options += " --gpus " + asked.gpus;
  if (asked.world != by_itself.world) options += " --world " + asked.world + " --rank " + asked.rank;
  if (!asked.memory.empty()) options += " --memory " + asked.memory;
  if (!asked.addresses.empty()) options += " --addresses " + asked.addresses;
  return options;
}

std::string CommandWithFewer(const ProgramWays& ways, const PhantomOptions& asked,
                             const std::vector<std::string>& program) {
  const FewerSamples& fewer = *FewerThatFit(ways);
  const std::string options = OptionsOfFewer(ways);
  return fmt::format("tidemark phantom {}{} -- {}", CardOptions(asked), options.empty() ? "" : " " + options,
                     CommandLineOf(phantom::WithArgument(program, fewer.argument, fewer.most)));
}

// What fewer samples are known to do, and nothing else.
std::string FewerText(const ProgramWays& ways, const phantom::Card& card) {
  const FewerSamples& fewer = *FewerThatFit(ways);
  return fmt::format(
      "None of them {}{}{}.\n", WhatNoneDoes(FitsWithAllSamples(ways, card)),
      OptionsOfFewer(ways).empty() ? "; fewer samples at once do"
                                   : ", nor do fewer samples at once alone; both together do",
      fewer.is_the_most() ? "" : fmt::format(", at least {} of them", FormatNumber(fewer.most)));
}

// ", nor does batch 1, alone or with --amp bf16": as far as that was tried.
std::string NorDoFewer(const ProgramWays& ways) {
  const auto not_even_one = [](const std::optional<FewerSamples>& fewer) {
    return fewer && fewer->most == 0 && fewer->is_the_most();
  };
  if (!not_even_one(ways.fewer)) return "";
  return fmt::format(", nor does {}{}", SamplesInWords(*ways.fewer, 1),
                     not_even_one(ways.fewer_with) ? ", alone or with " + phantom::OptionsOf(ways.with) : "");
}

bool StateHasRoom(const ProgramWays& ways, const phantom::Card& card) {
  return ways.state_bytes <= session::UsableBytes(card);
}

// Why there is none to recommend.
std::string NoneText(const ProgramWays& ways, const phantom::Card& card, const PhantomOptions& asked,
                     const std::vector<std::string>& program) {
  if (ways.techniques.empty() || ways.were_stopped) return "";
  if (!StateHasRoom(ways, card)) {
    return fmt::format(
        "None of them makes it fit there, nor would fewer samples at once: its parameters and what its "
        "optimizers keep are {} alone.\n",
        InBinary(ways.state_bytes));
  }
  const char* const none_does = WhatNoneDoes(FitsAsItIs(ways));
  const std::string nor_do_fewer = NorDoFewer(ways);
  if (!nor_do_fewer.empty()) return fmt::format("None of them {}{}.\n", none_does, nor_do_fewer);
  const std::string argument = ways.samples ? ways.samples->name : "batch";
  const int64_t most = ways.samples ? ways.samples->values.back() : 64;
  return fmt::format(
      "None of them {}; fewer samples at once may: {}tidemark phantom {} --sweep {}=1..{} -- {} tells "
      "with how many it does.\n",
      none_does, ways.samples ? "" : "of a program that takes --batch N, ", CardOptions(asked), argument,
      most, CommandLineOf(program));
}

// What the one that is recommended does not do, or none without it.
std::string DoubtOf(const Way& best, const std::vector<Way>& found, const ProgramWays& ways) {
  if (ways.were_stopped) return "";
  if (!best.has_room_to_spare) return fmt::format("None of them {}{}.\n", kGivesRoom, NorDoFewer(ways));
  const bool has_both = !best.settings.empty() && best.has_techniques();
  const bool is_one_without = std::ranges::any_of(
      found, [](const Way& way) { return way.settings.empty() && way.has_room_to_spare; });
  if (!has_both || is_one_without) return "";
  return fmt::format("None of them {} with the allocator's settings as they are.\n",
                     WhatNoneDoes(FitsAsItIs(ways)));
}

std::string CommandThatShows(const Way& way, const PhantomOptions& asked,
                             const std::vector<std::string>& program) {
  return fmt::format("{}tidemark phantom {}{} -- {}",
                     way.settings.empty() ? "" : "PYTORCH_CUDA_ALLOC_CONF=" + way.settings + " ",
                     CardOptions(asked), way.has_techniques() ? " " + phantom::OptionsOf(way.techniques) : "",
                     CommandLineOf(program));
}

// That with room to spare, or else the first.
const Way& BestOf(const std::vector<Way>& found) {
  const auto with_room = std::ranges::find_if(found, &Way::has_room_to_spare);
  return with_room == found.end() ? found.front() : *with_room;
}

// What shows the cheapest with room to spare, or else the cheapest; "" where nothing makes it fit.
std::string BestCommand(const ProgramWays& ways, const phantom::Card& card, const PhantomOptions& asked,
                        const std::vector<std::string>& program) {
  const std::vector<Way> found = WaysOf(ways, card);
  const bool has_all_samples = !found.empty() && BestOf(found).has_room_to_spare;
  if (!has_all_samples && FewerThatFit(ways) != nullptr) return CommandWithFewer(ways, asked, program);
  return found.empty() ? "" : CommandThatShows(BestOf(found), asked, program);
}

std::string BestText(const ProgramWays& ways, const phantom::Card& card, const PhantomOptions& asked,
                     const std::vector<std::string>& program) {
  const std::string command = BestCommand(ways, card, asked, program);
  if (command.empty()) return NoneText(ways, card, asked, program);
  const std::string tells = command + " tells all of it.\n";
  const std::vector<Way> found = WaysOf(ways, card);
  if (!found.empty() && (BestOf(found).has_room_to_spare || FewerThatFit(ways) == nullptr))
    return DoubtOf(BestOf(found), found, ways) + tells;
  if (found.empty()) return FewerText(ways, card) + tells;
  return FewerText(ways, card) + tells +
         fmt::format("With as many samples as now, {} tells what only just fits.\n",
                     CommandThatShows(BestOf(found), asked, program));
}

Json SettingsJson(const ProgramWays& ways) {
  Json rows = Json::array();
  for (const advice::AllocatorTrial& trial : ways.settings) {
    rows.push_back(
        {{"allocator", trial.settings}, {"reserved_peak_bytes", trial.outcome.after.reserved_peak_bytes}});
  }
  return rows;
}

// As it is, or with the settings with which it fits.
bool EmptiesCache(const TechniqueVerdict& verdict) {
  return verdict.fits_with ? verdict.fits_with->held.empties_cache : verdict.held.empties_cache;
}

Json TechniquesJson(const ProgramWays& ways) {
  Json rows = Json::array();
  for (const TechniqueVerdict& verdict : ways.techniques) {
    rows.push_back({{"amp", verdict.techniques.amp},
                    {"checkpoint", verdict.techniques.checkpoint},
                    {"fits", verdict.fits},
                    {"empties_cache", EmptiesCache(verdict)},
                    {"ran_out_of_memory", verdict.ran_out},
                    {"failure", verdict.failure},
                    {"in_vain", verdict.in_vain},
                    {"fits_with", verdict.fits_with ? Json(verdict.fits_with->settings) : Json()},
                    {"allocated_peak_bytes", verdict.fits ? Json(verdict.allocated_bytes) : Json()},
                    {"reserved_peak_bytes", verdict.fits ? Json(verdict.held.reserved_bytes) : Json()}});
    AddNeedJson(verdict.needed, rows.back());
  }
  return rows;
}

Json SamplesJson(const FewerSamples& fewer, const phantom::Card& card) {
  const bool is_known = fewer.most > 0;
  return {{"argument", fewer.argument},
          {"asked", fewer.asked},
          {"most", is_known ? Json(fewer.most) : Json()},
          {"is_the_most", is_known ? Json(fewer.is_the_most()) : Json()},
          {"has_room_to_spare", is_known ? Json(session::HasRoomToSpare(card, fewer.held)) : Json()},
          {"too_many", fewer.too_many ? Json(*fewer.too_many) : Json()},
          {"failure", fewer.failure},
          {"allocated_peak_bytes", is_known ? Json(fewer.allocated_bytes) : Json()},
          {"reserved_peak_bytes", is_known ? Json(fewer.held.reserved_bytes) : Json()}};
}

}  // namespace

// One with a technique that changed nothing is the program as it is.
bool FitsAsItIs(const ProgramWays& ways) {
  return ways.as_it_is || std::ranges::any_of(ways.techniques, [](const TechniqueVerdict& verdict) {
           return verdict.fits && !verdict.in_vain.empty();
         });
}

bool FitsWithAllSamples(const ProgramWays& ways, const phantom::Card& card) {
  return FitsAsItIs(ways) || !WaysOf(ways, card).empty();
}

bool MayNeedFewerSamples(const ProgramWays& ways, const phantom::Card& card) {
  return ways.samples && !ways.techniques.empty() && StateHasRoom(ways, card) &&
         std::ranges::none_of(WaysOf(ways, card), &Way::has_room_to_spare);
}

std::vector<TechniqueVerdict> TechniquesForFewerSamples(const ProgramWays& ways, const phantom::Card& card) {
  if (NorDoFewer(ways).empty() || FitsWithAllSamples(ways, card)) return {};
  std::vector<TechniqueVerdict> candidates;
  std::ranges::copy_if(ways.techniques, std::back_inserter(candidates), [](const TechniqueVerdict& verdict) {
    return verdict.ran_out && verdict.in_vain.empty() && verdict.needed.allocated_bytes > 0;
  });
  return candidates;
}

TechniqueVerdict BestForFewerSamples(const std::vector<TechniqueVerdict>& candidates,
                                     const std::vector<TechniqueVerdict>& with_one) {
  enum class Rank : uint8_t { kFits, kRunsOut, kNotKnown };
  return std::ranges::min(candidates, {}, [&](const TechniqueVerdict& candidate) {
    const auto one = std::ranges::find(with_one, candidate.techniques, &TechniqueVerdict::techniques);
    if (one != with_one.end() && one->fits) return std::pair(Rank::kFits, candidate.needed.allocated_bytes);
    if (one != with_one.end() && one->needed.allocated_bytes > 0)
      return std::pair(Rank::kRunsOut, one->needed.allocated_bytes);
    return std::pair(Rank::kNotKnown, candidate.needed.allocated_bytes);
  });
}

std::string WaysText(const ProgramWays& ways, const phantom::Card& card, const PhantomOptions& asked,
                     const std::vector<std::string>& program) {
  std::string text = SettingsTable(ways, card) + TechniquesTable(ways, card) + SamplesTable(ways, card);
  for (const auto* fewer : {&ways.fewer, &ways.fewer_with}) {
    if (*fewer && !(*fewer)->failure.empty()) text += (*fewer)->failure + "\n";
  }
  if (ways.were_stopped) text += kStopped;
  return text + BestText(ways, card, asked, program);
}

void AddWaysJson(const ProgramWays& ways, const phantom::Card& card, const PhantomOptions& asked,
                 const std::vector<std::string>& program, Json& json) {
  json["allocator_settings"] = SettingsJson(ways);
  json["techniques"] = TechniquesJson(ways);
  json["fewer_samples"] = ways.fewer ? SamplesJson(*ways.fewer, card) : Json();
  Json& with = json["fewer_samples_with_techniques"];
  with = ways.fewer_with ? SamplesJson(*ways.fewer_with, card) : Json();
  if (ways.fewer_with) with.update({{"amp", ways.with.amp}, {"checkpoint", ways.with.checkpoint}});
  const std::string command = BestCommand(ways, card, asked, program);
  json["command"] = command.empty() ? Json() : Json(command);
}

}  // namespace tidemark::cli
