#include "app/presenters/run/program_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "app/presenters/run/run_end.h"
#include "profiler/phantom/address_order.h"
#include "profiler/session/card_fit.h"
#include "profiler/session/one_card.h"

namespace tidemark::presenters {
namespace {

using timeline::Series;

int64_t PeakOf(const timeline::View& view, Series series) {
  return ValueOf(view.PeakIn(series, view.first(), view.end()).values, series);
}

template <typename Band>
std::string RangeOf(const Band& band, ByteUnit unit) {
  return FormatRange(band.least_bytes, band.most_bytes, unit) + ", by the order of the driver's addresses";
}

template <typename Band>
std::string ExactRangeOf(const Band& band) {
  return FormatExactBytes(band.least_bytes) + " to " + FormatExactBytes(band.most_bytes);
}

std::string TextOf(const Result<session::ReservedBand>& band, ByteUnit unit) {
  if (!band) return "not known: " + band.error().message;
  std::string text = band->bytes.is_moved() ? RangeOf(band->bytes, unit)
                                            : "the same in every order of addresses that was tried";
  if (band->at_the_cliff)
    text += "; the card is nearly full, and with one more segment what is reserved jumps";
  return text;
}

// Of a run on several.
std::string TextOf(const std::vector<timeline::DevicePeaks>& devices, ByteUnit unit) {
  std::vector<std::string> each;
  each.reserve(devices.size());
  for (const timeline::DevicePeaks& device : devices)
    each.push_back(fmt::format("{} on {}", FormatBytes(device.reserved_bytes, unit),
                               session::TitleOfCard(device.device)));
  return fmt::format("{}", fmt::join(each, ", "));
}

void AddCard(ProgramFacts& told, const timeline::View& view, const session::HeldPeak& held,
             const phantom::Card& card, ByteUnit unit) {
  const session::CardFit fit = session::FitOfFullest(view, card, {}, held, {});
  told.facts.push_back(
      {view.devices().size() > 1 ? "Of the fullest card, with the context" : "Of the card, with the context",
       fmt::format("{}{}, {} of it; the context's {} are {}", fit.is_at_least ? "at least " : "",
                   FormatBytes(fit.taken_bytes(), unit), session::ShareOf(card, fit.taken_bytes()),
                   FormatBytes(card.context_bytes, unit),
                   card.context_is_measured ? "as measured" : "an estimate"),
       FormatExactBytes(fit.taken_bytes())});
}

// How long the name of what ran is at the title's beginning: until it says on what, in the words of the
// description's device. A name may say "on" itself, and a title may name no device.
size_t LengthOfName(const events::RunDescription& description) {
  const std::string& title = description.title;
  const auto begin_of = [&title](std::string_view what, const std::string& place) {
    return place.empty() ? std::string::npos : title.rfind(fmt::format(" on {}{}", what, place));
  };
  return std::min({begin_of("", description.device), begin_of("", description.device_name),
                   begin_of("the ", description.device_name), title.size()});
}

}  // namespace

bool IsProgram(const events::RunDescription& description) {
  return !description.title.empty() && description.settings_json.empty();
}

std::string NameOfProgram(const events::RunDescription& description) {
  return description.title.substr(0, LengthOfName(description));
}

std::string TitleWithName(const events::RunDescription& description, const std::string& name) {
  const size_t length = LengthOfName(description);
  return length == description.title.size() ? description.title : name + description.title.substr(length);
}

bool InfersContents(const events::RunDescription& description) {
  return IsProgram(description) && !description.command.empty();
}

std::string FitCommand(const events::RunDescription& description, size_t cards_used,
                       const std::vector<phantom::Card>& known) {
  const auto card = session::CardOf(description.device_name, description.device_bytes, known);
  std::string command = "tidemark fit --card " + (card ? card->name : "NAME");
  if (session::IsLimited(description, known))
    command += fmt::format(" --memory {}MiB", description.device_bytes >> 20);
  if (cards_used > 1) command += fmt::format(" --gpus {}", cards_used);
  if (description.pretended_world > 0)
    command += fmt::format(" --world {} --rank {}", description.pretended_world, description.rank);
  const std::string& addresses = description.address_order;
  if (!addresses.empty() && addresses != phantom::TextOf(phantom::AddressOrder()))
    command += " --addresses " + addresses;
  return command + " -- " + (description.command.empty() ? "PROGRAM" : description.command);
}

int64_t PassesWithoutSteps(const timeline::View& view, const session::RunStatus& status,
                           const events::RunDescription& description) {
  if (status.steps_done > 0 || !IsProgram(description)) return 0;
  // A program that runs backward is no evaluation, though it never steps.
  const bool trains =
      std::ranges::count(view.phases(), events::Phase::kBackward, &timeline::PhaseSpan::phase) > 0;
  if (trains) return 0;
  return std::ranges::count(view.phases(), events::Phase::kEvaluation, &timeline::PhaseSpan::phase);
}

std::string WhyNoStep(const session::RunStatus& status, const events::RunDescription& description) {
  if (status.steps_done > 0 || !IsProgram(description)) return "";
  if (!description.ending.empty()) return " (it ended before a first one did)";
  if (status.cut_off) return " (what is recorded ends before a first one does)";
  const bool is_watched = !description.torch_build_id.empty();  // by the recorder of programs on the phantom
  if (!is_watched) return " (it tells of no whole step)";
  return " (a step ends with an Optimizer.step(), or once parameters are written to in place after "
         "backward; the recorded process told of neither: what torch.compile compiles tells of nothing)";
}

std::string DoubtOfSweep(const std::string& option,
                         const std::vector<std::optional<int64_t>>& allocated_peaks) {
  if (allocated_peaks.size() < 2 || !allocated_peaks.front()) return "";
  const bool are_alike =
      std::ranges::adjacent_find(allocated_peaks, std::not_equal_to()) == allocated_peaks.end();
  return are_alike ? fmt::format(
                         "Every value of --{} takes just as much memory: the program may not make use of it.",
                         option)
                   : "";
}

std::string HowFull(const session::HeldOfCard& held, const phantom::Card& card) {
  if (held.empties_cache) return kNearlyFull;
  return session::HasRoomToSpare(card, held) ? "" : "if its context is no larger than estimated";
}

std::string FitsInWords(const session::HeldOfCard& held, const phantom::Card& card) {
  const std::string how_full = HowFull(held, card);
  return how_full.empty() ? "fits" : (held.empties_cache ? "fits, but " : "fits ") + how_full;
}

std::string VerdictOf(const session::TechniqueAnswer& answer) {
  if (answer.fits) return "fits";
  return answer.ran_out ? "does not fit" : "no answer";
}

std::string ChangedNothing(const session::TechniqueAnswer& answer) {
  return answer.in_vain.empty() ? "" : fmt::format("{} changed nothing", fmt::join(answer.in_vain, " and "));
}

std::string WhyVerdict(const session::TechniqueAnswer& answer, const phantom::Card& card) {
  if (!answer.fits && !answer.ran_out) return answer.failure;
  std::vector<std::string> why;
  std::string how_full = answer.fits ? HowFull(answer.held, card) : "";
  if (!how_full.empty()) why.push_back(std::move(how_full));
  std::string in_vain = ChangedNothing(answer);
  if (!in_vain.empty()) why.push_back(std::move(in_vain));
  return fmt::format("{}", fmt::join(why, "; "));
}

std::string HowMuchShort(const session::Need& needed, const phantom::Card& card, ByteUnit unit) {
  const auto is_short = [&](const char* how, int64_t bytes) {
    const int64_t short_bytes = bytes + card.context_bytes - card.memory_bytes;
    return short_bytes > 0 ? fmt::format("{} {} short", how, FormatBytes(short_bytes, unit)) : "";
  };
  if (needed.allocated_bytes == 0) return "";
  const std::string at_least = is_short("at least", needed.allocated_bytes);
  return at_least.empty() ? is_short("at most", needed.reserved_bytes) : at_least;
}

std::string WhatIsShort(const session::TechniqueAnswer& answer, const phantom::Card& card, ByteUnit unit) {
  if (!answer.fits_with) return HowMuchShort(answer.needed, card, unit);
  return fmt::format("with PYTORCH_CUDA_ALLOC_CONF={} it has room", answer.fits_with->settings);
}

std::string ReplaysInWords(const timeline::GraphReplays& replays) {
  std::string text = FormatNumber(replays.in_all);
  if (replays.steps == 0) return text;
  text += fmt::format(", in {} of {} steps", FormatNumber(replays.steps), FormatNumber(replays.of_steps));
  if (replays.most_in_step > 1) text += fmt::format(", up to {} in one", FormatNumber(replays.most_in_step));
  return text;
}

ProgramFacts MakeProgramFacts(const timeline::View& view, const events::RunDescription& description,
                              const session::RunStatus& status, const std::vector<phantom::Card>& known,
                              const timeline::GraphReplays& replays, const Band& band, ByteUnit unit) {
  ProgramFacts told;
  const auto card = session::CardOf(description.device_name, description.device_bytes, known);
  const char* const limited = session::IsLimited(description, known) ? "limited to " : "";
  const auto add = [&told](const char* title, std::string text) {
    if (!text.empty()) told.facts.push_back({title, std::move(text)});
  };
  const auto add_bytes = [&](const char* title, int64_t bytes) {
    told.facts.push_back({title, FormatBytes(bytes, unit), FormatExactBytes(bytes)});
  };
  const auto add_range = [&told](const char* title, std::string text, const auto* range) {
    const bool is_range = range != nullptr && range->is_moved();
    told.facts.push_back({title, std::move(text), is_range ? ExactRangeOf(*range) : ""});
  };
  add(kCommandFact, description.command);
  add(description.producer.starts_with("tidemark") ? "Recorded by" : "Read from", description.producer);
  add("Card", card ? fmt::format("{}, {}{}", card->title, limited, FormatBytes(card->memory_bytes, unit))
                   : description.device_name);
  const bool has_ended = status.state > session::RunState::kPaused;
  if (const int64_t passes = PassesWithoutSteps(view, status, description); passes > 0) {
    add("Passes", FormatNumber(passes) + ", without gradients");
  } else {
    add("Steps", FormatNumber(status.steps_done) + (has_ended ? WhyNoStep(status, description) : ""));
  }
  if (replays.in_all > 0) add("Graph replays", ReplaysInWords(replays));
  const int64_t allocated_bytes = view.empty() ? 0 : PeakOf(view, Series::kAllocated);
  if (allocated_bytes > 0) {
    add_bytes("Allocated at the peak", allocated_bytes);
    const int64_t reserved_bytes = PeakOf(view, Series::kReserved);
    if (reserved_bytes > 0) add_bytes("Reserved at its highest", reserved_bytes);  // else not told
    if (view.devices().size() > 1) add("Reserved on each card", TextOf(view.devices(), unit));
    if (band) add_range("Reserved in other orders", TextOf(*band, unit), *band ? &(*band)->bytes : nullptr);
    if (band && *band && (*band)->bytes.allocated.is_moved())
      add_range("Allocated in other orders", RangeOf((*band)->bytes.allocated, unit),
                &(*band)->bytes.allocated);
    if (band && *band && (*band)->late_frees_bytes) {
      const int64_t late_bytes = *(*band)->late_frees_bytes;
      add("Reserved with late frees",
          fmt::format(
              "{}, if what other streams used comes back with the end of its step only",
              late_bytes > (*band)->bytes.most_bytes ? "up to " + FormatBytes(late_bytes, unit) : "no more"));
    }
    if (card) AddCard(told, view, session::HeldPeakOf(reserved_bytes, allocated_bytes), *card, unit);
  }
  add("Ended early", EndingInWords(status, description.ending, view));
  add("Its error output", status.error_output);
  told.notes = description.notes;
  return told;
}

}  // namespace tidemark::presenters
