#include "profiler/capture/program/course_watch.h"

#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "profiler/base/thread_annotations.h"
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

bool Updates() { return TheCourse().IsUpdatedByHand() && TheCourse().WasUpdatedByHand(); }

// What is made while backward or an optimizer runs does not stay, if nothing else is known of it; nor what is
// made for an update by hand.
void OnPhase(Phase phase) {
  const bool nothing_stays = phase == Phase::kBackward || phase == Phase::kOptimizer || Updates();
  SetUsualBirthCategory(nothing_stays ? Category::kTemporary : Category::kUnknown);
  if (phase != Phase::kIdle) ForgetUpdateBlocks();
}

void OnUpdateEnds() {
  SetUsualBirthCategory(Category::kUnknown);
  EndUpdateBlocks();
}

// By what LibTorch calls operators that write to their first argument. Those of them that leave its values
// alone do not; c10d's receive what others computed, also into leaves that get gradients (a pipeline's).
bool WritesInPlace(std::string_view name) {
  static constexpr std::array kLeaveValues = {"aten::requires_grad_", "aten::detach_", "aten::resize_",
                                              "aten::set_"};
  return name.starts_with("aten::") && name.ends_with('_') &&
         std::ranges::find(kLeaveValues, name) == kLeaveValues.end();
}

template <typename Action>
void ForEachTensor(const c10::IValue& value, Action action) {
  if (value.isTensor()) action(value.toTensor());
  if (!value.isTensorList()) return;
  for (const at::Tensor& tensor : value.toTensorVector()) action(tensor);
}

// Of a program without an optimizer: it may update its parameters by hand.
std::unique_ptr<at::ObserverContext> BeginUpdate(const at::RecordFunction& function) {
  if (!EventStreamIsOpen() || !TheCourse().AwaitsUpdates()) return nullptr;
  TheCourse().EndUpdateThatIsOver();
  if (function.inputs().empty()) return nullptr;
  const bool is_in_place = WritesInPlace(function.name());
  if (is_in_place) {
    ForEachTensor(function.inputs()[0], [](const at::Tensor& tensor) {
      if (const uint64_t parameter = ParameterBlockOf(tensor)) TheCourse().WriteTo(parameter);
    });
    if (Updates()) SetUsualBirthCategory(Category::kTemporary);  // from the first that there ever is on
  }
  if (!TheCourse().IsBehindBackward()) return nullptr;
  for (size_t i = 0; i < function.inputs().size(); ++i) {
    const bool is_changed = is_in_place && i == 0;
    ForEachTensor(function.inputs()[i],
                  [is_changed](const at::Tensor& tensor) { ReadInUpdate(tensor, is_changed); });
  }
  return nullptr;
}

// As long as no optimizer has shown itself only: LibTorch puts every operator's arguments in boxes for it.
void WatchUpdates() {
  static Mutex mutex;
  static at::CallbackHandle watch = at::INVALID_CALLBACK_HANDLE;
  const MutexLock lock(mutex);
  const bool is_watched = watch != at::INVALID_CALLBACK_HANDLE;
  if (TheCourse().LacksOptimizer() == is_watched) return;
  if (is_watched) return at::removeCallback(std::exchange(watch, at::INVALID_CALLBACK_HANDLE));
  watch = at::addGlobalCallback(
      at::RecordFunctionCallback(BeginUpdate).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
}

struct OptimizerScope final : at::ObserverContext {
  OptimizerTurn turn;
};

std::unique_ptr<at::ObserverContext> BeginUserScope(const at::RecordFunction& function) {
  const std::optional<OptimizerTurn> turn = OptimizerTurn::Begin(function.name());
  if (!turn) return nullptr;
  auto scope = std::make_unique<OptimizerScope>();
  scope->turn = *turn;
  WatchUpdates();
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
  TheCourse().Begin(OnPhase, OnUpdateEnds);
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
    if (TheCourse().LacksOptimizer()) WatchUpdates();
  };
  at::addGlobalCallback(
      at::RecordFunctionCallback(BeginUserScope, EndUserScope).scopes({at::RecordScope::USER_SCOPE}));
}

}  // namespace tidemark::capture
