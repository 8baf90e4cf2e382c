#include "profiler/capture/program/course_watch.h"

#include <ATen/record_function.h>

#include <memory>
#include <string_view>

#include "profiler/capture/course/course.h"
#include "profiler/capture/gates/gates.h"
#include "profiler/capture/gates/user_scope_gate.h"
#include "profiler/capture/operators/context.h"
#include "profiler/capture/operators/layer_scopes.h"
#include "profiler/capture/program/block_watch.h"
#include "profiler/capture/stacks/python_frames.h"
#include "profiler/capture/stream/event_stream.h"

namespace tidemark::capture {
namespace {

using events::Category;
using events::Phase;

// What is made while backward or an optimizer runs does not stay, if nothing else is known of it.
void OnPhase(Phase phase) {
  const bool nothing_stays = phase == Phase::kBackward || phase == Phase::kOptimizer;
  SetUsualBirthCategory(nothing_stays ? Category::kTemporary : Category::kUnknown);
}

struct OptimizerScope final : at::ObserverContext {
  bool has_turn = false;
  events::NameId name = 0;
  const void* optimizer = nullptr;  // Python's object
};

std::unique_ptr<at::ObserverContext> BeginUserScope(const at::RecordFunction& function) {
  const std::string_view name = function.name();
  if (!EventStreamIsOpen() || !name.starts_with(kOptimizerScopePrefix)) return nullptr;
  auto scope = std::make_unique<OptimizerScope>();
  scope->name = Intern(OptimizerStateName(name));
  scope->optimizer = FirstArgumentOf(kOptimizerWrapper, kOptimizerFile);
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
  TheCourse().Begin(OnPhase);
  TheGates().backward_begins = [] {
    TheCourse().BeginBackward();
    BeginEngine();
  };
  TheGates().backward_ended = [] {
    EndEngine();
    TheCourse().EndBackward();
    EndClosureBlocks();
  };
  at::addGlobalCallback(
      at::RecordFunctionCallback(BeginUserScope, EndUserScope).scopes({at::RecordScope::USER_SCOPE}));
}

}  // namespace tidemark::capture
