#include "app/cli/programs/program_ways.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/programs/fit_row.h"
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

bool HasRoomToSpare(const phantom::Replayed& with, const phantom::Card& card) {
  return with.retries == 0 && session::HoldsWithEase(card, with.fullest_reserved_bytes);
}

// The cheapest first: settings alone, then techniques in the order in which they were tried, each with other
// settings only where it takes them. What changed nothing is none.
std::vector<Way> WaysOf(const ProgramWays& ways, const phantom::Card& card) {
  std::vector<Way> found;
  for (const advice::AllocatorTrial& trial : ways.settings)
    found.push_back({trial.settings, {}, HasRoomToSpare(trial.outcome.after, card)});
  for (const TechniqueVerdict& verdict : ways.techniques) {
    const bool does_it = verdict.fits || !verdict.fits_with.empty();
    if (!does_it || !verdict.in_vain.empty()) continue;
    const bool has_room = !verdict.empties_cache && session::HoldsWithEase(card, verdict.reserved_bytes);
    found.push_back({verdict.fits_with, verdict.techniques, has_room});
  }
  return found;
}

std::string SettingsInWords(const phantom::Replayed& with, const phantom::Card& card) {
  if (with.retries > 0) return "fits, but nearly full: PyTorch empties its cache";
  return HasRoomToSpare(with, card) ? "fits" : "fits if its context is no larger than estimated";
}

std::string SettingsTable(const ProgramWays& ways, const phantom::Card& card) {
  if (ways.settings.empty()) return "";
  const phantom::Replayed& with = ways.settings.front().outcome.after;
  return fmt::format("On the {}, with PYTORCH_CUDA_ALLOC_CONF, tried on what it asked for:\n", card.title) +
         FitRow("with", "allocated", "taken", "") +
         FitRow(ways.fits_with(), InBinary(with.allocated_peak_bytes),
                InBinary(with.fullest_reserved_bytes + card.context_bytes), SettingsInWords(with, card));
}

std::string InWords(const TechniqueVerdict& verdict, const phantom::Card& card) {
  std::string words = presenters::VerdictOf(verdict);
  const std::string what = presenters::WhatIsShort(verdict, card, ByteUnit::kMebibytes);
  if (!what.empty()) words += ": " + what;
  const std::string why = presenters::WhyVerdict(verdict);
  if (why.empty()) return words;
  if (verdict.fits && verdict.empties_cache) return words + ", but " + why;
  return words + (verdict.fits || verdict.ran_out ? "; " : ": ") + why;
}

std::string TechniqueRow(const TechniqueVerdict& verdict, const phantom::Card& card) {
  const std::string options = phantom::OptionsOf(verdict.techniques);
  if (!verdict.fits) return FitRow(options, "–", "–", InWords(verdict, card));
  return FitRow(options, InBinary(verdict.allocated_bytes),
                InBinary(verdict.reserved_bytes + card.context_bytes), InWords(verdict, card));
}

std::string TechniquesTable(const ProgramWays& ways, const phantom::Card& card) {
  if (ways.techniques.empty()) return "";
  std::string text =
      fmt::format("On the {}, with techniques that it does not use itself, as if it did:\n", card.title) +
      FitRow("with", "allocated", "taken", "");
  for (const TechniqueVerdict& verdict : ways.techniques) text += TechniqueRow(verdict, card);
  return text;
}

constexpr const char* kGivesRoom = "gives it room to spare there";

// What none of them does: of a program that fits with one that changed nothing, and so as it is, no more is
// asked.
const char* WhatNoneDoes(const ProgramWays& ways) {
  const bool fits_as_it_is = std::ranges::any_of(ways.techniques, &TechniqueVerdict::fits);
  return fits_as_it_is ? kGivesRoom : "makes it fit there";
}

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

// Why there is none to recommend.
std::string NoneText(const ProgramWays& ways, const phantom::Card& card, const PhantomOptions& asked,
                     const std::string& command) {
  if (ways.techniques.empty()) return "";
  if (ways.state_bytes > card.memory_bytes - card.context_bytes) {
    return fmt::format(
        "None of them makes it fit there, nor would fewer samples at once: its parameters and what its "
        "optimizers keep are {} alone.\n",
        InBinary(ways.state_bytes));
  }
  const std::string argument = ways.samples ? ways.samples->name : "batch";
  const int64_t most = ways.samples ? ways.samples->values.back() : 64;
  return fmt::format(
      "None of them {}; fewer samples at once may: {}tidemark phantom {} --sweep {}=1..{} -- {} tells "
      "with how many it does.\n",
      WhatNoneDoes(ways), ways.samples ? "" : "of a program that takes --batch N, ", CardOptions(asked),
      argument, most, command);
}

// What the one that is recommended does not do, or none without it.
std::string DoubtOf(const Way& best, const std::vector<Way>& found, const ProgramWays& ways) {
  if (!best.has_room_to_spare) return fmt::format("None of them {}.\n", kGivesRoom);
  const bool has_both = !best.settings.empty() && best.has_techniques();
  const bool is_one_without = std::ranges::any_of(
      found, [](const Way& way) { return way.settings.empty() && way.has_room_to_spare; });
  if (!has_both || is_one_without) return "";
  return fmt::format("None of them {} with the allocator's settings as they are.\n", WhatNoneDoes(ways));
}

std::string CommandThatShows(const Way& way, const PhantomOptions& asked, const std::string& command) {
  return fmt::format("{}tidemark phantom {}{} -- {}",
                     way.settings.empty() ? "" : "PYTORCH_CUDA_ALLOC_CONF=" + way.settings + " ",
                     CardOptions(asked), way.has_techniques() ? " " + phantom::OptionsOf(way.techniques) : "",
                     command);
}

std::string BestText(const ProgramWays& ways, const phantom::Card& card, const PhantomOptions& asked,
                     const std::string& command) {
  const std::vector<Way> found = WaysOf(ways, card);
  if (found.empty()) return NoneText(ways, card, asked, command);
  const auto with_room = std::ranges::find_if(found, &Way::has_room_to_spare);
  const Way& best = with_room == found.end() ? found.front() : *with_room;
  return DoubtOf(best, found, ways) + CommandThatShows(best, asked, command) + " tells all of it.\n";
}

Json SettingsJson(const ProgramWays& ways) {
  Json rows = Json::array();
  for (const advice::AllocatorTrial& trial : ways.settings) {
    rows.push_back(
        {{"allocator", trial.settings}, {"reserved_peak_bytes", trial.outcome.after.reserved_peak_bytes}});
  }
  return rows;
}

Json TechniquesJson(const ProgramWays& ways) {
  Json rows = Json::array();
  for (const TechniqueVerdict& verdict : ways.techniques) {
    rows.push_back({{"amp", verdict.techniques.amp},
                    {"checkpoint", verdict.techniques.checkpoint},
                    {"fits", verdict.fits},
                    {"empties_cache", verdict.empties_cache},
                    {"ran_out_of_memory", verdict.ran_out},
                    {"failure", verdict.failure},
                    {"in_vain", verdict.in_vain},
                    {"needed_bytes", verdict.needed_bytes > 0 ? Json(verdict.needed_bytes) : Json()},
                    {"fits_with", verdict.fits_with.empty() ? Json() : Json(verdict.fits_with)},
                    {"allocated_peak_bytes", verdict.fits ? Json(verdict.allocated_bytes) : Json()},
                    {"reserved_peak_bytes", verdict.fits ? Json(verdict.reserved_bytes) : Json()}});
  }
  return rows;
}

}  // namespace

std::string WaysText(const ProgramWays& ways, const phantom::Card& card, const PhantomOptions& asked,
                     const std::string& command) {
  return SettingsTable(ways, card) + TechniquesTable(ways, card) + BestText(ways, card, asked, command);
}

void AddWaysJson(const ProgramWays& ways, Json& json) {
  json["allocator_settings"] = SettingsJson(ways);
  json["techniques"] = TechniquesJson(ways);
}

}  // namespace tidemark::cli
