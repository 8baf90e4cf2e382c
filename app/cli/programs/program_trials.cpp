#include "app/cli/programs/program_trials.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "profiler/phantom/environment.h"

namespace tidemark::cli {
namespace {

TrialRun RunOf(const phantom::RunAnswer& answer, const std::shared_ptr<const session::ProgramRun>& run) {
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

// "NAME=value" entries, beside those of the launch.
std::vector<std::string> EnvironmentOf(const ProgramTrial& trial) {
  std::vector<std::string> entries = phantom::EnvironmentOf(trial.techniques);
  entries.push_back(phantom::CardEntry(trial.card));
  if (trial.has_own_memory)
    entries.push_back(fmt::format("{}={}", phantom::kMemoryVariable, trial.card.memory_bytes));
  return entries;
}

}  // namespace

Status ProgramTrials::Start() {
  session::RecorderOptions recorded;
  recorded.on_phantom = true;
  auto recorder = session::ProgramRecorder::Start(recorded);
  if (!recorder) return recorder.error();
  std::vector<std::string> environment = launch_.environment;
  for (std::string& entry : phantom::EnvironmentForSome()) environment.push_back(std::move(entry));
  environment.push_back((*recorder)->environment_entry());
  Result<phantom::WarmProgram> warm = phantom::WarmProgram::Of(program_, environment);
  if (!warm) return warm.error();
  recorder_ = std::move(*recorder);
  began_ = Clock::now();
  warm_ = std::move(*warm);
  return Done{};
}

Status ProgramTrials::Run(const std::vector<ProgramTrial>& trials, const TrialsWatch& watch) {
  if (!warm_) {
    if (Status started = Start(); !started) return started;
  }
  std::vector<phantom::RunOrder> orders;
  orders.reserve(trials.size());
  for (const ProgramTrial& trial : trials) {
    const TrialArgument argument = trial.argument.value_or(TrialArgument());
    orders.push_back({argument.value, argument.name, EnvironmentOf(trial)});
  }
  size_t done = 0;
  const auto answered = [&](const phantom::RunAnswer& answer) {
    watch.ran(done++, RunOf(answer, recorder_->Take(answer.process_id)));
  };
  const auto goes_on = [&] {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - *began_).count();
    if (watch.progress && done < trials.size()) {
      watch.progress(fmt::format("running it {}{} · {} s", trials[done].title,
                                 trials.size() == 1 ? "" : fmt::format(", {} of {}", done + 1, trials.size()),
                                 seconds));
    }
    return !watch.goes_on || watch.goes_on();
  };
  return warm_->Run(orders, {answered, goes_on, 1});
}

}  // namespace tidemark::cli
