#include "app/cli/programs/program_techniques.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/programs/fit_row.h"
#include "app/cli/programs/program_trials.h"
#include "app/presenters/run/program_facts.h"
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

std::string InWords(const TechniqueVerdict& verdict) {
  std::string words = presenters::VerdictOf(verdict);
  const std::string why = presenters::WhyVerdict(verdict);
  if (why.empty()) return words;
  return words + (verdict.fits || verdict.ran_out ? "; " : ": ") + why;
}

std::string TrialTitle(const phantom::Techniques& techniques) {
  const std::string options = phantom::OptionsOf(techniques);
  return options.empty() ? "as it is" : "with " + options;
}

std::string RowText(const TechniqueVerdict& verdict, const phantom::Card& card) {
  const std::string options = phantom::OptionsOf(verdict.techniques);
  if (!verdict.fits) return FitRow(options, "–", "–", InWords(verdict));
  return FitRow(options, FormatBytes(verdict.allocated_bytes, ByteUnit::kMebibytes),
                FormatBytes(verdict.reserved_bytes + card.context_bytes, ByteUnit::kMebibytes),
                InWords(verdict));
}

constexpr const char* kGivesRoom = "gives it room to spare there";

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

}  // namespace

Status TryTechniques(const std::vector<std::string>& program, const ProgramLaunch& launch,
                     const TechniquesToRun& next, const TechniquesWatch& watch) {
  ProgramLaunch looking_out = launch;
  for (std::string& entry : phantom::EnvironmentForSome())
    looking_out.environment.push_back(std::move(entry));
  std::vector<ProgramTrial> trials;
  for (const phantom::Techniques& techniques : next.techniques) {
    trials.push_back({TrialTitle(techniques), CardEnvironment(next.card, true)});
    for (std::string& entry : phantom::EnvironmentOf(techniques))
      trials.back().environment.push_back(std::move(entry));
  }
  const auto ran = [&](size_t, const TrialRun& run) { watch.answered(AnswerOf(run)); };
  return RunTrials(program, looking_out, trials, {ran, watch.progress, watch.goes_on});
}

std::string TechniquesText(const std::vector<TechniqueVerdict>& verdicts, const phantom::Card& card,
                           const PhantomOptions& asked, const std::string& command, int64_t state_bytes) {
  if (verdicts.empty()) return "";
  std::string text =
      fmt::format("On the {}, with techniques that it does not use itself, as if it did:\n", card.title) +
      FitRow("with", "allocated", "taken", "");
  for (const TechniqueVerdict& verdict : verdicts) text += RowText(verdict, card);
  const auto helps = [](const TechniqueVerdict& verdict) { return verdict.fits && verdict.in_vain.empty(); };
  const auto gives_room = [&](const TechniqueVerdict& verdict) {
    return helps(verdict) && session::HoldsWithEase(card, verdict.reserved_bytes);
  };
  auto best = std::ranges::find_if(verdicts, gives_room);
  const bool has_room = best != verdicts.end();
  if (!has_room) best = std::ranges::find_if(verdicts, helps);
  if (best == verdicts.end()) {
    if (state_bytes > card.memory_bytes - card.context_bytes) {
      return text + fmt::format(
                        "None of them makes it fit there, nor would fewer samples at once: its "
                        "parameters and what its optimizers keep are {} alone.\n",
                        FormatBytes(state_bytes, ByteUnit::kMebibytes));
    }
    const bool fits_as_it_is = std::ranges::any_of(verdicts, &TechniqueVerdict::fits);
    return text + fmt::format("None of them {}; fewer samples at once may (tidemark phantom --sweep).\n",
                              fits_as_it_is ? kGivesRoom : "makes it fit there");
  }
  if (!has_room) text += fmt::format("None of them {}.\n", kGivesRoom);
  return text + fmt::format("tidemark phantom {} {} -- {} tells all of it.\n", CardOptions(asked),
                            phantom::OptionsOf(best->techniques), command);
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
                    {"allocated_peak_bytes", verdict.fits ? Json(verdict.allocated_bytes) : Json()},
                    {"reserved_peak_bytes", verdict.fits ? Json(verdict.reserved_bytes) : Json()}});
  }
  return rows;
}

}  // namespace tidemark::cli
