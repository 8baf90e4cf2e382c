#include "app/cli/programs/program_techniques.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/cli/programs/fit_row.h"
#include "app/cli/programs/program_trials.h"
#include "profiler/base/format.h"
#include "profiler/session/card_fit.h"

namespace tidemark::cli {
namespace {

TechniqueVerdict VerdictOf(const phantom::Techniques& techniques, const TrialRun& run) {
  TechniqueVerdict verdict{techniques, run.failure.empty(), run.ran_out, run.failure};
  verdict.in_vain = run.in_vain;
  if (!verdict.fits) return verdict;
  const timeline::DevicePeaks highest = session::HighestOfCards(*run.view);
  verdict.allocated_bytes = highest.allocated_bytes;
  verdict.reserved_bytes = highest.reserved_bytes;
  return verdict;
}

std::string InWords(const TechniqueVerdict& verdict) {
  if (!verdict.fits && !verdict.ran_out) return "no answer: " + verdict.failure;
  std::string words = verdict.fits ? "fits" : "does not fit";
  if (verdict.in_vain.empty()) return words;
  return fmt::format("{}; {} changed nothing", words, fmt::join(verdict.in_vain, " "));
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
  if (!asked.memory.empty()) options += " --memory " + asked.memory;
  if (!asked.addresses.empty()) options += " --addresses " + asked.addresses;
  return options;
}

}  // namespace

Result<std::vector<TechniqueVerdict>> TryTechniques(
    const std::vector<std::string>& program, const ProgramLaunch& launch, const phantom::Card& card,
    const std::function<void(std::string_view line)>& progress) {
  const std::vector<phantom::Techniques> all = phantom::TechniquesToTry();
  ProgramLaunch looking_out = launch;
  for (std::string& entry : phantom::EnvironmentForSome())
    looking_out.environment.push_back(std::move(entry));
  std::vector<ProgramTrial> trials;
  for (const phantom::Techniques& techniques : all) {
    trials.push_back({"with " + phantom::OptionsOf(techniques), CardEnvironment(card, true)});
    for (std::string& entry : phantom::EnvironmentOf(techniques))
      trials.back().environment.push_back(std::move(entry));
  }
  std::vector<TechniqueVerdict> verdicts;
  const auto ran = [&](size_t trial, const TrialRun& run) { verdicts.push_back(VerdictOf(all[trial], run)); };
  const Status tried = RunTrials(program, looking_out, trials, {ran, progress});
  if (!tried) return tried.error();
  return verdicts;
}

std::string TechniquesText(const std::vector<TechniqueVerdict>& verdicts, const phantom::Card& card,
                           const PhantomOptions& asked, const std::string& command) {
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
