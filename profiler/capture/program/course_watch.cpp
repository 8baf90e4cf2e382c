#include "profiler/capture/program/course_watch.h"

#include <ATen/record_function.h>

#include <memory>
#include <optional>

#include "profiler/capture/course/course.h"
#include "profiler/capture/course/optimizer_turn.h"
#include "profiler/capture/gates/gates.h"
#include "profiler/capture/operators/context.h"
#include "profiler/capture/operators/layer_scopes.h"
#include "profiler/capture/program/block_watch.h"
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
  OptimizerTurn turn;
};

std::unique_ptr<at::ObserverContext> BeginUserScope(const at::RecordFunction& function) {
  const std::optional<OptimizerTurn> turn = OptimizerTurn::Begin(function.name());
  if (!turn) return nullptr;
  auto scope = std::make_unique<OptimizerScope>();
  scope->turn = *turn;
  BeginOptimizerBlocks();
  return scope;
}

void EndUserScope(const at::RecordFunction& /*function*/, at::ObserverContext* context) {
  if (!EventStreamIsOpen() || context == nullptr) return;
  const OptimizerTurn& turn = static_cast<OptimizerScope*>(context)->turn;
  EndOptimizerBlocks(turn.state);
  turn.End();
}

bool BeginEvaluation() {
  if (!BeginEvaluationBlocks()) return false;
  TheCourse().BeginEvaluation();
  return true;
}

void EndEvaluation() {
  EndEvaluationBlocks();
  TheCourse().EndEvaluation();
}

}  // namespace

void WatchCourse() {
  TheCourse().Begin(OnPhase);
  SetEvaluationListener({BeginEvaluation, EndEvaluation});
  TheGates().backward_begins = [] {
    EndForwardBlocks();
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
