#include "profiler/capture/course/course.h"

#include <utility>

#include "profiler/capture/stream/event_stream.h"

namespace tidemark::capture {

using events::EventKind;
using events::Phase;

void Course::Begin(void (*phase_begins)(Phase), void (*update_ends)()) {
  const MutexLock lock(mutex_);
  phase_begins_ = phase_begins;
  update_ends_ = update_ends;
  Enter(Phase::kIdle);
}

void Course::BeginForward() {
  const MutexLock lock(mutex_);
  if (!Rests(phase_)) return;
  EndUpdatesBeforePass();
  OpenStep();
  has_begun_ = true;
  pass_since_turn_ = true;
  Enter(Phase::kForward);
}

void Course::BeginClosure() {
  const MutexLock lock(mutex_);
  if (phase_ != Phase::kOptimizer) return;
  has_begun_ = true;
  pass_since_turn_ = true;
  Enter(Phase::kForward);
}

void Course::BeginBackward() {
  const MutexLock lock(mutex_);
  if (backward_depth_ == 0) EndUpdatesBeforePass();
  pass_since_turn_ = true;
  if (backward_depth_++ == 0 && phase_ != Phase::kOptimizer) Enter(Phase::kBackward);
}

void Course::EndBackward() {
  const MutexLock lock(mutex_);
  if (backward_depth_ == 0) return;  // it began before anybody listened
  if (--backward_depth_ > 0 || phase_ != Phase::kBackward) return;
  const bool stepped = std::exchange(stepped_in_backward_, false);
  if (optimizer_depth_ > 0) return Enter(Phase::kOptimizer);
  if (stepped) EndTurn(&stepped_in_backward_);  // for all of them: no optimizer lies there
  update_ = LacksOptimizer() ? Update::kAwaited : Update::kNone;
  Rest();
}

void Course::BeginEvaluation() {
  const MutexLock lock(mutex_);
  if (evaluations_++ > 0 || phase_ != Phase::kIdle) return;
  EndUpdatesBeforePass();
  Enter(Phase::kEvaluation);
}

void Course::EndEvaluation() {
  const MutexLock lock(mutex_);
  if (--evaluations_ == 0 && phase_ == Phase::kEvaluation) Enter(Phase::kIdle);
}

bool Course::BeginOptimizer() {
  const MutexLock lock(mutex_);
  if (update_ == Update::kOver) EndUpdate();
  has_optimizer_ = true;
  update_ = Update::kNone;
  if (phase_ == Phase::kBackward) {
    stepped_in_backward_ = true;
    OpenStep();
    return false;
  }
  if (optimizer_depth_++ > 0) return true;
  OpenStep();
  Enter(Phase::kOptimizer);
  return true;
}

void Course::EndOptimizer(const void* optimizer) {
  const MutexLock lock(mutex_);
  if (--optimizer_depth_ > 0) return;
  EndTurn(optimizer);
  Rest();
}

void Course::GiveGradientTo(uint64_t parameter) {
  const MutexLock lock(mutex_);
  if (LacksOptimizer()) updates_.GotGradient(parameter);
}

void Course::WriteTo(uint64_t parameter) {
  const MutexLock lock(mutex_);
  if (update_ == Update::kOver) EndUpdate();
  if (!LacksOptimizer() || !AwaitsUpdates() || !Rests(phase_)) return;
  was_updated_by_hand_ = true;
  if (updates_.WriteTo(parameter) && update_ == Update::kAwaited) update_ = Update::kOver;
}

void Course::EndUpdateThatIsOver() {
  if (update_.load(std::memory_order_relaxed) != Update::kOver) return;
  const MutexLock lock(mutex_);
  if (update_ == Update::kOver) EndUpdate();
}

void Course::EndUpdate() {
  update_ = Update::kEnded;
  if (update_ends_ != nullptr) update_ends_();
  EndTurn(&updates_);
}

void Course::EndUpdatesBeforePass() {
  if (!updates_.HasBegun()) return;  // gradients are accumulated
  const bool is_broken_off = LacksOptimizer() && update_ == Update::kAwaited;
  if (update_ == Update::kOver || is_broken_off) EndUpdate();
  updates_.EndTurn();
  update_ = Update::kNone;
}

void Course::EndTurn(const void* optimizer) {
  using Turn = OptimizerCycle::Turn;
  const Turn turn = cycle_.After(optimizer, std::exchange(pass_since_turn_, false));
  if (turn == Turn::kBeganSecond) EmitNumbered(EventKind::kStepBegin, step_ = 1);
  if (turn == Turn::kEndsFirst) joined_ = std::exchange(step_, 0);
  if (turn == Turn::kEndsOther) step_ += joined_;
  if (turn == Turn::kEndsStep || turn == Turn::kEndsFirst || turn == Turn::kEndsOther) {
    EmitNumbered(EventKind::kStepEnd, step_++);
    step_is_open_ = false;
  }
}

void Course::OpenStep() {
  if (!step_is_open_) EmitNumbered(EventKind::kStepBegin, step_);
  step_is_open_ = true;
}

void Course::Rest() { Enter(evaluations_ > 0 ? Phase::kEvaluation : Phase::kIdle); }

void Course::Enter(Phase phase) {
  phase_ = phase;
  if (phase_begins_ != nullptr) phase_begins_(phase);
  EmitPhase(phase);
}

constinit Immortal<Course> detail::the_course;

}  // namespace tidemark::capture
