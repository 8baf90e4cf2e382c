// The course of a training that we do not own, as phases and steps, as far as LibTorch tells of it:
//   forward    from the first operator that records for backward
//   backward   while autograd's engine runs
//   optimizer  during the step() of a torch.optim.Optimizer, which announces itself to profilers; what its
//              closure runs is forward and backward as elsewhere
//   evaluation while a model is called without gradients, and none of these runs
// A step ends with an optimizer's, and the next begins with the next forward: several backwards make one step
// where gradients are accumulated. With several optimizers it ends once each has stepped (optimizer_cycle.h);
// what was told as steps before the second was known is taken back by an end with the first step's number,
// and that again where the second is of another training (joined_steps.h). Optimizers that step inside
// backward, each once its gradient is there, have one turn together, which ends with the outermost backward.
// A program without an optimizer steps where it writes to its parameters itself (updates_by_hand.h); one that
// does not has no complete step, and an evaluation is none of any. All else is idle.
//
// Any thread. What asks takes no lock; what changes the course takes one, and tells the stream under it, so
// that threads that train at once tell of each begin and each end once, and in that order.
#pragma once

#include <atomic>
#include <cstdint>

#include "profiler/base/immortal.h"
#include "profiler/base/thread_annotations.h"
#include "profiler/capture/course/optimizer_cycle.h"
#include "profiler/capture/course/updates_by_hand.h"
#include "profiler/capture/gates/gates.h"
#include "profiler/events/event.h"

namespace tidemark::capture {

class Course {
 public:
  // Before the first operator that is to be seen. `phase_begins` is told of every phase before the stream is,
  // `update_ends` of the end of every update by hand; neither may ask the course to change.
  void Begin(void (*phase_begins)(events::Phase) = nullptr, void (*update_ends)() = nullptr);

  // An operator has recorded something for backward, ever.
  bool HasBegun() const { return has_begun_.load(std::memory_order_relaxed); }
  // Neither backward nor an optimizer runs: what is made then may stay.
  bool IsBetweenPasses() const {
    const events::Phase phase = phase_.load(std::memory_order_relaxed);
    return phase != events::Phase::kBackward && phase != events::Phase::kOptimizer;
  }
  bool IsInForward() const { return phase_.load(std::memory_order_relaxed) == events::Phase::kForward; }

  // An operator has recorded something for backward.
  void RecordForward() {
    if (Rests(phase_.load(std::memory_order_relaxed))) BeginForward();
  }
  // So has one within an optimizer's step, in the closure that it was given: a forward, and a backward after
  // it, before the optimizer goes on.
  void BeginClosure();
  void BeginBackward();
  void EndBackward();
  // A model is called without gradients; several threads may each call one.
  void BeginEvaluation();
  void EndEvaluation();
  // Whether it has a turn of its own: inside backward it has not, and then it has none to end.
  bool BeginOptimizer();
  // Its address, for it to be known by; null where that is not found.
  void EndOptimizer(const void* optimizer);

  // No optimizer has stepped, nor was any made: parameters may be updated by hand. Of such a program, by the
  // addresses of their blocks: which got a gradient, and which is written to in place, by an operator that
  // begins.
  bool LacksOptimizer() const {
    return !has_optimizer_.load(std::memory_order_relaxed) &&
           !TheGates().optimizer_was_made.load(std::memory_order_relaxed);
  }
  void GiveGradientTo(uint64_t parameter);
  bool AwaitsUpdates() const { return update_.load(std::memory_order_relaxed) != Update::kNone; }
  bool IsBehindBackward() const {
    return AwaitsUpdates() && phase_.load(std::memory_order_relaxed) == events::Phase::kIdle;
  }
  // What is made meanwhile may be made for the update only.
  bool IsUpdatedByHand() const {
    return IsBehindBackward() && update_.load(std::memory_order_relaxed) != Update::kEnded;
  }
  // Backward runs, and what it makes may be for such an update.
  bool MayBeUpdatedByHand() const {
    return phase_.load(std::memory_order_relaxed) == events::Phase::kBackward && LacksOptimizer();
  }
  bool WasUpdatedByHand() const { return was_updated_by_hand_.load(std::memory_order_relaxed); }
  void WriteTo(uint64_t parameter);
  // Before another operator begins, anything else is freed (under the allocator's lock) or the program ends:
  // what an update that is over made for itself is gone by then, and the step ends. A program that is killed
  // before, or ends by _exit, has not ended it.
  void EndUpdateThatIsOver();

 private:
  // By hand.
  enum class Update {
    kNone,
    kAwaited,  // backward has run, and no pass after one has begun
    kOver,     // but for what it made
    kEnded,    // until that pass begins
  };
  static bool Rests(events::Phase phase) {
    return phase == events::Phase::kIdle || phase == events::Phase::kEvaluation;
  }
  void BeginForward();
  void OpenStep() TIDEMARK_REQUIRES(mutex_);
  void EndTurn(const void* optimizer) TIDEMARK_REQUIRES(mutex_);
  void EndUpdate() TIDEMARK_REQUIRES(mutex_);
  void EndUpdatesBeforePass() TIDEMARK_REQUIRES(mutex_);
  void Rest() TIDEMARK_REQUIRES(mutex_);
  void Enter(events::Phase phase) TIDEMARK_REQUIRES(mutex_);

  Mutex mutex_;
  void (*phase_begins_)(events::Phase) TIDEMARK_GUARDED_BY(mutex_) = nullptr;
  void (*update_ends_)() TIDEMARK_GUARDED_BY(mutex_) = nullptr;
  std::atomic<events::Phase> phase_{events::Phase::kIdle};
  std::atomic<bool> has_begun_{false};
  std::atomic<bool> has_optimizer_{false};
  std::atomic<Update> update_{Update::kNone};
  std::atomic<bool> was_updated_by_hand_{false};
  int backward_depth_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  int optimizer_depth_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  int evaluations_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  bool stepped_in_backward_ TIDEMARK_GUARDED_BY(mutex_) = false;
  bool pass_since_turn_ TIDEMARK_GUARDED_BY(mutex_) = false;  // something ran forward or backward
  bool step_is_open_ TIDEMARK_GUARDED_BY(mutex_) = false;
  int64_t step_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  int64_t joined_ TIDEMARK_GUARDED_BY(mutex_) = 0;  // into the first step, beside it
  OptimizerCycle cycle_ TIDEMARK_GUARDED_BY(mutex_);
  UpdatesByHand updates_ TIDEMARK_GUARDED_BY(mutex_);
};

namespace detail {
extern constinit Immortal<Course> the_course;
}
// The process's own.
inline Course& TheCourse() { return detail::the_course.object; }

}  // namespace tidemark::capture
