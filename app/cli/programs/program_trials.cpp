#include "app/cli/programs/program_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "profiler/phantom/environment.h"
#include "profiler/phantom/programs/sweep.h"
#include "profiler/session/program_recorder.h"

namespace tidemark::cli {
namespace {

using Clock = std::chrono::steady_clock;

TrialRun RunOf(const phantom::SweepAnswer& answer, const std::shared_ptr<const session::ProgramRun>& run) {
  TrialRun told{nullptr, answer.sentence, answer.out_of_memory, answer.in_vain};
  if (!told.failure.empty()) return told;
  if (run == nullptr || run->view()->empty()) {
    told.failure = "it asked for no memory";
  } else {
    told.view = run->view();
    told.allocator_settings = run->description().allocator_settings;
    if (run->status().lost > 0) told.failure = "events were lost";
  }
  return told;
}

}  // namespace

Status RunTrials(const std::vector<std::string>& program, const ProgramLaunch& launch,
                 const std::vector<ProgramTrial>& trials, const TrialsWatch& watch) {
  session::RecorderOptions recorded;
  recorded.on_phantom = true;
  const auto recorder = session::ProgramRecorder::Start(recorded);
  if (!recorder) return recorder.error();
  phantom::SweepTask task{program, launch.environment, "", {}};
  task.environment.push_back((*recorder)->environment_entry());
  task.values.resize(trials.size());
  std::iota(task.values.begin(), task.values.end(), 0);
  for (const ProgramTrial& trial : trials) task.own_environments.push_back(trial.environment);
  task.at_once = 1;
  const auto began = Clock::now();
  size_t done = 0;
  const auto answered = [&](const phantom::SweepAnswer& answer) {
    done = std::min(done + 1, trials.size() - 1);
    watch.ran(static_cast<size_t>(answer.value), RunOf(answer, (*recorder)->Take(answer.process_id)));
  };
  return phantom::Sweep(task, answered, [&] {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - began).count();
    if (watch.progress) {
      watch.progress(fmt::format("running it {}{} · {} s", trials[done].title,
                                 trials.size() == 1 ? "" : fmt::format(", {} of {}", done + 1, trials.size()),
                                 seconds));
    }
    return !watch.goes_on || watch.goes_on();
  });
}

std::vector<std::string> CardEnvironment(const phantom::Card& card, bool with_own_memory) {
  std::vector<std::string> entries = {phantom::CardEntry(card)};
  if (with_own_memory) entries.push_back(fmt::format("{}={}", phantom::kMemoryVariable, card.memory_bytes));
  return entries;
}

}  // namespace tidemark::cli
