#include "app/cli/programs/program_techniques.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/programs/fit_row.h"
#include "app/cli/programs/program_trials.h"
#include "app/cli/programs/settings_trial.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/advice/needs.h"
#include "profiler/base/format.h"
#include "profiler/session/card_fit.h"

namespace tidemark::cli {
namespace {

session::TechniqueAnswer AnswerOf(const TrialRun& run) {
  session::TechniqueAnswer answer{run.failure.empty(), run.ran_out, run.failure};
  answer.in_vain = run.in_vain;
  if (!answer.fits) return answer;
  const timeline::DevicePeaks highest = session::HighestOfCards(*run.view);
  answer.allocated_bytes = highest.allocated_bytes;
  answer.reserved_bytes = highest.reserved_bytes;
  return answer;
}

std::string InWords(const TechniqueVerdict& verdict, const phantom::Card& card) {
  std::string words = presenters::VerdictOf(verdict);
  const std::string what = presenters::WhatIsShort(verdict, card, ByteUnit::kMebibytes);
  if (!what.empty()) words += ": " + what;
  const std::string why = presenters::WhyVerdict(verdict);
  if (why.empty()) return words;
  return words + (verdict.fits || verdict.ran_out ? "; " : ": ") + why;
}

std::string TrialTitle(const phantom::Techniques& techniques) {
  const std::string options = phantom::OptionsOf(techniques);
  return options.empty() ? "as it is" : "with " + options;
}

ProgramTrial TrialOf(const phantom::Techniques& techniques, const phantom::Card& card) {
  ProgramTrial trial{TrialTitle(techniques), CardEnvironment(card, /*with_own_memory=*/true)};
  for (std::string& entry : phantom::EnvironmentOf(techniques)) trial.environment.push_back(std::move(entry));
  return trial;
}

std::string RowText(const TechniqueVerdict& verdict, const phantom::Card& card) {
  const std::string options = phantom::OptionsOf(verdict.techniques);
  if (!verdict.fits) return FitRow(options, "–", "–", InWords(verdict, card));
  return FitRow(options, FormatBytes(verdict.allocated_bytes, ByteUnit::kMebibytes),
                FormatBytes(verdict.reserved_bytes + card.context_bytes, ByteUnit::kMebibytes),
                InWords(verdict, card));
}

// With which memory ran out, and what was told of that.
struct RanOut {
  size_t technique = 0;
  session::TechniqueAnswer answer;
};

// What those need, and whether other settings of the allocator would do.
Status TellNeeds(const std::vector<std::string>& program, const ProgramLaunch& launch,
                 const TechniquesToRun& next, std::vector<RanOut> ran_out, const TechniquesWatch& watch) {
  phantom::Card with_room_for_all = next.card;
  with_room_for_all.memory_bytes = advice::kRoomForAllBytes;
  std::vector<ProgramTrial> trials;
  for (const RanOut& one : ran_out) {
    trials.push_back(TrialOf(next.techniques[one.technique], with_room_for_all));
    trials.back().title += ", with room for all";
  }
  const auto ran = [&](size_t trial, const TrialRun& run) {
    if (!run.failure.empty()) return;  // then it is not known what it needs
    auto& [technique, answer] = ran_out[trial];
    answer.needed_bytes = session::NeededBytes(*run.view);
    const std::vector<advice::AllocatorTrial> fitting =
        SettingsThatFit(*run.view, run.allocator_settings, next.card, launch.Allocator());
    if (!fitting.empty()) answer.fits_with = fitting.front().settings;
    watch.answered(technique, answer);
  };
  return RunTrials(program, launch, trials, {ran, watch.progress, watch.goes_on});
}

constexpr const char* kGivesRoom = "gives it room to spare there";

// What none of them does: of a program that fits with one that changed nothing, and so as it is, no more is
// asked.
const char* WhatNoneDoes(const std::vector<TechniqueVerdict>& verdicts) {
  const bool fits_as_it_is = std::ranges::any_of(verdicts, &TechniqueVerdict::fits);
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
std::string NoneText(const std::vector<TechniqueVerdict>& verdicts, const phantom::Card& card,
                     const std::string& command, int64_t state_bytes) {
  if (state_bytes > card.memory_bytes - card.context_bytes) {
    return fmt::format(
        "None of them makes it fit there, nor would fewer samples at once: its parameters and what its "
        "optimizers keep are {} alone.\n",
        FormatBytes(state_bytes, ByteUnit::kMebibytes));
  }
  return fmt::format(
      "None of them {}; fewer samples at once may: of a program that takes --batch N, tidemark phantom "
      "--sweep batch=1..64 -- {} tells with how many it does.\n",
      WhatNoneDoes(verdicts), command);
}

// The first with room to spare, or else that fits, or else that would with other settings of the allocator.
std::string BestText(const std::vector<TechniqueVerdict>& verdicts, const phantom::Card& card,
                     const PhantomOptions& asked, const std::string& command, int64_t state_bytes) {
  const auto has_room = [&](const TechniqueVerdict& verdict) {
    return verdict.fits && session::HoldsWithEase(card, verdict.reserved_bytes);
  };
  const auto fits = [](const TechniqueVerdict& verdict) { return verdict.fits; };
  const auto would_fit = [](const TechniqueVerdict& verdict) { return !verdict.fits_with.empty(); };
  const auto first = [&](const auto& is_wanted) {
    return std::ranges::find_if(verdicts, [&](const TechniqueVerdict& verdict) {
      return verdict.in_vain.empty() && is_wanted(verdict);
    });
  };
  auto best = first(has_room);
  std::string doubt;
  if (best == verdicts.end()) {
    best = first(fits);
    doubt = fmt::format("None of them {}.\n", kGivesRoom);
  }
  if (best == verdicts.end()) {
    best = first(would_fit);
    doubt =
        fmt::format("None of them {} with the allocator's settings as they are.\n", WhatNoneDoes(verdicts));
  }
  if (best == verdicts.end()) return NoneText(verdicts, card, command, state_bytes);
  const std::string settings =
      best->fits_with.empty() ? "" : fmt::format("PYTORCH_CUDA_ALLOC_CONF={} ", best->fits_with);
  return doubt + fmt::format("{}tidemark phantom {} {} -- {} tells all of it.\n", settings,
                             CardOptions(asked), phantom::OptionsOf(best->techniques), command);
}

}  // namespace

Status TryTechniques(const std::vector<std::string>& program, const ProgramLaunch& launch,
                     const TechniquesToRun& next, const TechniquesWatch& watch) {
  ProgramLaunch looking_out = launch;
  for (std::string& entry : phantom::EnvironmentForSome())
    looking_out.environment.push_back(std::move(entry));
  std::vector<ProgramTrial> trials;
  for (const phantom::Techniques& techniques : next.techniques)
    trials.push_back(TrialOf(techniques, next.card));
  std::vector<RanOut> ran_out;
  const auto ran = [&](size_t technique, const TrialRun& run) {
    const session::TechniqueAnswer answer = AnswerOf(run);
    if (answer.ran_out) ran_out.push_back({technique, answer});
    watch.answered(technique, answer);
  };
  Status status = RunTrials(program, looking_out, trials, {ran, watch.progress, watch.goes_on});
  if (!status || ran_out.empty() || next.takes_what_there_is || (watch.goes_on && !watch.goes_on()))
    return status;
  return TellNeeds(program, looking_out, next, std::move(ran_out), watch);
}

std::string TechniquesText(const std::vector<TechniqueVerdict>& verdicts, const phantom::Card& card,
                           const PhantomOptions& asked, const std::string& command, int64_t state_bytes) {
  if (verdicts.empty()) return "";
  std::string text =
      fmt::format("On the {}, with techniques that it does not use itself, as if it did:\n", card.title) +
      FitRow("with", "allocated", "taken", "");
  for (const TechniqueVerdict& verdict : verdicts) text += RowText(verdict, card);
  return text + BestText(verdicts, card, asked, command, state_bytes);
}

Json TechniquesJson(const std::vector<TechniqueVerdict>& verdicts) {
  Json rows = Json::array();
  for (const TechniqueVerdict& verdict : verdicts) {
    rows.push_back({{"amp", verdict.techniques.amp},
                    {"checkpoint", verdict.techniques.checkpoint},
                    {"fits", verdict.fits},
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

}  // namespace tidemark::cli
