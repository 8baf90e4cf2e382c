#include "profiler/training/run_control.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace tidemark::training {

using transport::Activity;
using transport::RunMode;

RunControl::RunControl(std::function<void(transport::ActivityChanged)> report, std::function<bool()> may_run)
    : report_(std::move(report)), may_run_(std::move(may_run)) {}

void RunControl::Apply(const transport::Command& command) {
  const MutexLock lock(mutex_);
  if (const auto* change = std::get_if<transport::Change>(&command)) {
    // A restart that still waits takes the newer settings along.
    (restart_ ? restart_ : change_) = change->settings;
  } else if (const auto* restart = std::get_if<transport::Restart>(&command)) {
    restart_ = restart->settings;
    change_.reset();
    operators_one_by_one_.store(false);
  } else if (const auto* mode = std::get_if<transport::SetMode>(&command)) {
    ApplyMode(mode->mode);
  } else if (const auto* pace = std::get_if<transport::SetPace>(&command)) {
    period_ = std::chrono::nanoseconds(
        pace->steps_per_second > 0 ? static_cast<int64_t>(1e9 / pace->steps_per_second) : 0);
    next_step_ = Clock::now();
  } else if (const auto* limit = std::get_if<transport::SetStepLimit>(&command)) {
    step_limit_ = limit->steps;
    limit_reported_ = false;
  } else if (std::holds_alternative<transport::Stop>(command)) {
    stop_ = true;
    operators_one_by_one_.store(false);
  }
  changed_.notify_all();
}

void RunControl::ApplyMode(RunMode mode) {
  if (mode != RunMode::kPause && LimitReached()) step_limit_ = 0;  // going on past it is what was asked for
  const bool halted_in_step = in_step_ && operators_one_by_one_.load();
  switch (mode) {
    case RunMode::kRun:
      operators_one_by_one_.store(false);
      break;
    case RunMode::kPause:
      steps_allowed_ = 0;
      operators_allowed_ = 0;
      break;
    case RunMode::kOneStep:
      if (mode_ == RunMode::kRun) {
        steps_allowed_ = in_step_ ? 0 : 1;
      } else if (!halted_in_step) {  // halted between operators, the one step is the rest of this one
        ++steps_allowed_;
      }
      operators_one_by_one_.store(false);
      break;
    case RunMode::kOneOperator:
      operators_allowed_ = halted_in_step ? operators_allowed_ + 1 : 1;
      steps_allowed_ = 0;
      operators_one_by_one_.store(true);
      break;
  }
  mode_ = mode;
}

bool RunControl::LimitReached() const { return step_limit_ > 0 && steps_done_ >= step_limit_; }

bool RunControl::StepAllowed() const {
  if (LimitReached()) return false;
  return mode_ == RunMode::kRun || steps_allowed_ > 0 ||
         (operators_one_by_one_.load() && operators_allowed_ > 0);
}

std::optional<RunControl::Next> RunControl::TakeOrder() {
  if (stop_) return Next{Next::Kind::kStop, {}};
  if (restart_) {
    limit_reported_ = false;
    steps_done_ = 0;
    return Next{Next::Kind::kRestart, *std::exchange(restart_, std::nullopt)};
  }
  if (change_) return Next{Next::Kind::kChange, *std::exchange(change_, std::nullopt)};
  return std::nullopt;
}

void RunControl::SetActivity(Activity activity) {
  const bool limit_news = LimitReached() && !std::exchange(limit_reported_, LimitReached());
  if (activity_ == activity && !limit_news) return;
  activity_ = activity;
  report_({activity, steps_done_});
}

void RunControl::BeginStep() {
  if (mode_ != RunMode::kRun && steps_allowed_ > 0) --steps_allowed_;
  SetActivity(Activity::kRunning);
  in_step_ = true;
  // A step that came late is not made up for.
  next_step_ = std::max(next_step_, Clock::now() - period_) + period_;
}

RunControl::Next RunControl::AwaitNext(int64_t steps_done) {
  const MutexLock lock(mutex_);
  steps_done_ = steps_done;
  in_step_ = false;
  while (true) {
    if (auto order = TakeOrder()) return *order;
    if (!StepAllowed()) {
      SetActivity(Activity::kPaused);
      changed_.wait(mutex_);
    } else if (!may_run_()) {
      changed_.wait_for(mutex_, std::chrono::milliseconds(1));
    } else if (period_.count() > 0 && mode_ == RunMode::kRun && Clock::now() < next_step_) {
      changed_.wait_until(mutex_, next_step_);
    } else {
      BeginStep();
      return {};
    }
  }
}

void RunControl::AwaitOperator() {
  if (!operators_one_by_one_.load(std::memory_order_relaxed)) return;
  const MutexLock lock(mutex_);
  while (operators_one_by_one_.load() && operators_allowed_ == 0) {
    SetActivity(Activity::kPaused);
    changed_.wait(mutex_);
  }
  if (operators_allowed_ > 0) --operators_allowed_;
  SetActivity(Activity::kRunning);
}

}  // namespace tidemark::training
