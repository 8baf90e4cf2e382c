// What the program wants the run to do next: run, pause, one step, one operator, at which pace, up to which
// step, with which settings. A receiving thread puts commands in; the run asks at step boundaries and, while
// it goes operator by operator, before each operator.
//
// Thread safe.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <optional>

#include "profiler/base/thread_annotations.h"
#include "profiler/capture/transport/messages.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::training {

class RunControl {
 public:
  // `report` is called, under the control's lock, when the activity changes and when a step limit is reached.
  // `may_run` says whether a step may begin now for other reasons; while it is false it is asked again each
  // millisecond.
  RunControl(std::function<void(transport::ActivityChanged)> report, std::function<bool()> may_run);

  void Apply(const transport::Command& command);

  struct Next {
    enum class Kind : uint8_t { kStep, kChange, kRestart, kStop };
    Kind kind = Kind::kStep;
    networks::TrainingSettings settings;  // of kChange and kRestart
  };
  // At a step boundary: waits until there is something to do.
  Next AwaitNext(int64_t steps_done);

  // Before an operator, on whichever thread: waits while operators are let through one by one. Costs one load
  // when they are not.
  void AwaitOperator();

 private:
  using Clock = std::chrono::steady_clock;

  void ApplyMode(transport::RunMode mode) TIDEMARK_REQUIRES(mutex_);
  std::optional<Next> TakeOrder() TIDEMARK_REQUIRES(mutex_);
  bool LimitReached() const TIDEMARK_REQUIRES(mutex_);
  bool StepAllowed() const TIDEMARK_REQUIRES(mutex_);
  void BeginStep() TIDEMARK_REQUIRES(mutex_);
  void SetActivity(transport::Activity activity) TIDEMARK_REQUIRES(mutex_);

  const std::function<void(transport::ActivityChanged)> report_;
  const std::function<bool()> may_run_;

  Mutex mutex_;
  std::condition_variable_any changed_;
  transport::RunMode mode_ TIDEMARK_GUARDED_BY(mutex_) = transport::RunMode::kRun;
  int64_t steps_allowed_ TIDEMARK_GUARDED_BY(mutex_) = 0;      // while mode_ is not kRun
  int64_t operators_allowed_ TIDEMARK_GUARDED_BY(mutex_) = 0;  // while operators_one_by_one_
  bool in_step_ TIDEMARK_GUARDED_BY(mutex_) = false;
  bool stop_ TIDEMARK_GUARDED_BY(mutex_) = false;
  std::optional<networks::TrainingSettings> change_ TIDEMARK_GUARDED_BY(mutex_);
  std::optional<networks::TrainingSettings> restart_ TIDEMARK_GUARDED_BY(mutex_);
  std::chrono::nanoseconds period_ TIDEMARK_GUARDED_BY(mutex_){0};
  Clock::time_point next_step_ TIDEMARK_GUARDED_BY(mutex_){};
  int64_t step_limit_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  bool limit_reported_ TIDEMARK_GUARDED_BY(mutex_) = false;
  int64_t steps_done_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  transport::Activity activity_ TIDEMARK_GUARDED_BY(mutex_) = transport::Activity::kRunning;
  // Written under mutex_, read without.
  std::atomic<bool> operators_one_by_one_{false};
};

}  // namespace tidemark::training
