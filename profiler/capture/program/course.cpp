#include "profiler/capture/program/course.h"

#include <ATen/record_function.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "profiler/base/thread_annotations.h"
#include "profiler/capture/gates/gates.h"
#include "profiler/capture/gates/user_scope_gate.h"
#include "profiler/capture/program/block_roles.h"
#include "profiler/capture/stacks/python_frames.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/stream/optimizer_cycle.h"
#include "profiler/capture/torch/context.h"

namespace tidemark::capture {
namespace {

using events::Category;
using events::EventKind;
using events::Phase;

class Course {
 public:
  void Begin() {
    const MutexLock lock(mutex_);
    Enter(Phase::kIdle);
  }
  void RecordForward() {
    if (phase_.load(std::memory_order_relaxed) != Phase::kIdle) return;
    const MutexLock lock(mutex_);
    if (phase_ != Phase::kIdle) return;
    OpenStep();
    has_begun_ = true;
    Enter(Phase::kForward);
  }
  bool HasBegun() const { return has_begun_.load(std::memory_order_relaxed); }
  bool IsBetweenPasses() const {
    const Phase phase = phase_.load(std::memory_order_relaxed);
    return phase != Phase::kBackward && phase != Phase::kOptimizer;
  }
  void BeginBackward() {
    const MutexLock lock(mutex_);
    if (backward_depth_++ == 0 && phase_ != Phase::kOptimizer) Enter(Phase::kBackward);
  }
  void EndBackward() {
    const MutexLock lock(mutex_);
    if (--backward_depth_ == 0 && phase_ == Phase::kBackward) Enter(Phase::kIdle);
  }
  // Whether it is the optimizer's turn: inside backward it is not.
  bool BeginOptimizer() {
    const MutexLock lock(mutex_);
    if (phase_ == Phase::kBackward) return false;
    if (optimizer_depth_++ > 0) return true;
    OpenStep();
    Enter(Phase::kOptimizer);
    return true;
  }
  void EndOptimizer(const void* optimizer) {
    const MutexLock lock(mutex_);
    if (--optimizer_depth_ > 0) return;
    if (cycle_.Completes(optimizer)) {
      EmitNumbered(EventKind::kStepEnd, step_++);
      step_is_open_ = false;
    }
    Enter(Phase::kIdle);
  }

 private:
  void OpenStep() TIDEMARK_REQUIRES(mutex_) {
    if (!step_is_open_) EmitNumbered(EventKind::kStepBegin, step_);
    step_is_open_ = true;
  }
  void Enter(Phase phase) TIDEMARK_REQUIRES(mutex_) {
    phase_ = phase;
    const bool nothing_stays = phase == Phase::kBackward || phase == Phase::kOptimizer;
    SetUsualBirthCategory(nothing_stays ? Category::kTemporary : Category::kUnknown);
    EmitPhase(phase);
  }

  Mutex mutex_;
  std::atomic<Phase> phase_{Phase::kIdle};
  std::atomic<bool> has_begun_{false};
  int backward_depth_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  int optimizer_depth_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  bool step_is_open_ TIDEMARK_GUARDED_BY(mutex_) = false;
  int64_t step_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  OptimizerCycle cycle_ TIDEMARK_GUARDED_BY(mutex_);
};

Course& TheCourse() {
  static auto& course = *new Course;  // threads of LibTorch outlive main
  return course;
}

struct OptimizerScope final : at::ObserverContext {
  bool has_turn = false;
  events::NameId name = 0;
  const void* optimizer = nullptr;  // Python's object
};

// "Optimizer.step#AdamW.step" → "AdamW state".
std::string StateName(std::string_view scope) {
  scope.remove_prefix(kOptimizerScopePrefix.size());
  return std::string(scope.substr(0, scope.find('.'))) + " state";
}

std::unique_ptr<at::ObserverContext> BeginUserScope(const at::RecordFunction& function) {
  const std::string_view name = function.name();
  if (!EventStreamIsOpen() || !name.starts_with(kOptimizerScopePrefix)) return nullptr;
  auto scope = std::make_unique<OptimizerScope>();
  scope->name = Intern(StateName(name));
  // torch/optim/optimizer.py, profile_hook_step: its wrapper takes the optimizer first.
  scope->optimizer = FirstArgumentOf("wrapper", "/torch/optim/optimizer.py");
  scope->has_turn = TheCourse().BeginOptimizer();
  BeginOptimizerBlocks();
  return scope;
}

void EndUserScope(const at::RecordFunction& /*function*/, at::ObserverContext* context) {
  if (!EventStreamIsOpen() || context == nullptr) return;
  const auto& scope = *static_cast<OptimizerScope*>(context);
  EndOptimizerBlocks(scope.name);
  if (scope.has_turn) TheCourse().EndOptimizer(scope.optimizer);
}

}  // namespace

void WatchCourse() {
  TheCourse().Begin();
  TheGates().backward_begins = [] { TheCourse().BeginBackward(); };
  TheGates().backward_ended = [] { TheCourse().EndBackward(); };
  at::addGlobalCallback(
      at::RecordFunctionCallback(BeginUserScope, EndUserScope).scopes({at::RecordScope::USER_SCOPE}));
}

bool HasTrainingBegun() { return TheCourse().HasBegun(); }

bool IsBetweenPasses() { return TheCourse().IsBetweenPasses(); }

void OnForwardRecorded() { TheCourse().RecordForward(); }

}  // namespace tidemark::capture
