#include "app/cli/programs/program_techniques.h"

#include "app/cli/programs/program_trials.h"
#include "app/cli/programs/settings_trial.h"
#include "profiler/advice/needs.h"
#include "profiler/session/card_fit.h"

namespace tidemark::cli {
namespace {

session::TechniqueAnswer AnswerOf(const TrialRun& run, const phantom::Card& card) {
  session::TechniqueAnswer answer{run.failure.empty(), run.ran_out, run.failure};
  answer.in_vain = run.in_vain;
  if (!answer.fits) return answer;
  answer.allocated_bytes = session::HighestOfCards(*run.view).allocated_bytes;
  answer.held = session::HeldBy(*run.view, card);
  return answer;
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

// With which memory ran out, and what was told of that.
struct RanOut {
  size_t technique = 0;
  session::TechniqueAnswer answer;
};

bool GoesOn(const TechniquesWatch& watch) { return !watch.goes_on || watch.goes_on(); }

// Of as many runs as there are to be, which become more with each that runs out.
void TellShare(size_t runs, size_t expected, const TechniquesWatch& watch) {
  if (watch.share) watch.share(static_cast<double>(runs) / static_cast<double>(expected));
}

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
  const auto tell_need = [&](RanOut& one, const TrialRun& run) {
    one.answer.needed = session::NeedOf(*run.view);
    const std::vector<advice::AllocatorTrial> fitting =
        SettingsThatFit(*run.view, run.allocator_settings, next.card, launch.Allocator(),
                        [&](double) { return GoesOn(watch); });
    if (!GoesOn(watch)) return;  // before all were tried
    if (!fitting.empty())
      one.answer.fits_with = {fitting.front().settings, session::HeldBy(fitting.front().outcome.after)};
    watch.answered(one.technique, one.answer);
  };
  const auto ran = [&](size_t trial, const TrialRun& run) {
    if (run.failure.empty()) tell_need(ran_out[trial], run);  // else it is not known what it needs
    TellShare(next.techniques.size() + trial + 1, next.techniques.size() + ran_out.size(), watch);
  };
  return RunTrials(program, launch, trials, {ran, watch.progress, watch.goes_on});
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
    const session::TechniqueAnswer answer = AnswerOf(run, next.card);
    if (answer.ran_out) ran_out.push_back({technique, answer});
    watch.answered(technique, answer);
    const size_t again = next.takes_what_there_is ? 0 : ran_out.size();
    TellShare(technique + 1, next.techniques.size() + again, watch);
  };
  Status status = RunTrials(program, looking_out, trials, {ran, watch.progress, watch.goes_on});
  if (!status || ran_out.empty() || next.takes_what_there_is || !GoesOn(watch)) return status;
  return TellNeeds(program, looking_out, next, std::move(ran_out), watch);
}

}  // namespace tidemark::cli
