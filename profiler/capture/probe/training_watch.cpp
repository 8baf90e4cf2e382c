#include "profiler/capture/probe/training_watch.h"

#include <atomic>
#include <cstddef>
#include <string_view>
#include <utility>

#include "profiler/capture/course/course.h"
#include "profiler/capture/course/optimizer_turn.h"
#include "profiler/capture/gates/gates.h"
#include "profiler/capture/gates/gradient_mode.h"
#include "profiler/capture/gates/user_scope_gate.h"
#include "profiler/capture/operators/context.h"
#include "profiler/capture/operators/layer_scopes.h"
#include "profiler/capture/probe/saved_blocks.h"
#include "profiler/capture/probe/tensor_blocks.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/events/tensor_names.h"

namespace tidemark::capture {
namespace {

using events::Category;
using events::EventKind;

// The outermost one: some optimizers step others.
struct OptimizerScope {
  const std::byte* scope = nullptr;  // LibTorch's object; null if there is none
  OptimizerTurn turn;
  bool runs_closure = false;  // until its backward has ended
};
// The first block that was born since a cast or an accumulation began, and lives. What comes after it is a
// hook's, which runs inside of the accumulation, as is all that an optimizer makes in one.
struct FirstBirth {
  uint64_t block = 0;
  bool is_awaited = false;
};
// What this thread is at.
struct AtWork {
  FirstBirth first_birth;
  uint64_t arriving_gradient = 0;
  uint64_t cast_block = 0;
  bool makes_buckets = false;
  OptimizerScope optimizer;
};
constinit thread_local AtWork at_work{};

constexpr FirstBirth kAwaited{0, true};

std::atomic<bool> watches_training{false};  // the gate at optimizers' ranges is no listener's

constinit SavedBlocks saved_blocks;

// torch/csrc/autograd/record_function_ops.h: a PythonRecordFunction is a RecordFunction behind a table of
// virtual functions and two counts.
constexpr size_t kLargestHeadBytes = 64;

// Who reads the ring knows what blocks there are, and finds out what they hold by this.
events::Event HintOf(events::EventKind kind, uint64_t block) {
  events::Event event;
  event.kind = kind;
  event.source = events::Source::kAllocator;
  event.address = block;
  return event;
}
// False: it is lost.
bool Hint(events::EventKind kind, uint64_t block, uint64_t bytes = 0, uint64_t rounded_bytes = 0) {
  events::Event event = HintOf(kind, block);
  event.bytes = static_cast<int64_t>(bytes);
  event.rounded_bytes = static_cast<int64_t>(rounded_bytes);
  return Emit(event);
}

uint64_t AddressOf(const void* object) { return reinterpret_cast<uint64_t>(object); }

void RecordForward() {
  OptimizerScope& optimizer = at_work.optimizer;
  if (optimizer.scope == nullptr) return TheCourse().RecordForward();
  if (!std::exchange(optimizer.runs_closure, true)) TheCourse().BeginClosure();
}

void OnTensorSaved(const void* tensor) {
  RecordForward();
  const uint64_t block = BlockOfTensor(tensor);
  if (block == 0 || saved_blocks.Has(block)) return;
  if (Hint(EventKind::kTensorSaved, block)) saved_blocks.Add(block);
}

void OnAccumulatorMade(const void* node, const void* tensor) {
  RecordForward();
  const uint64_t block = BlockOfTensor(tensor);
  if (Hint(EventKind::kLeafUsed, block, AddressOf(IdentityOfTensor(tensor)), AddressOf(node))) {
    saved_blocks.Add(block);
  }
}

void OnTensorKnown(const void* block, int64_t /*bytes*/, Category category, const char* name) {
  events::Event hint = HintOf(EventKind::kTensorKnown, AddressOf(block));
  hint.category = category;
  hint.name = Intern(name, events::Source::kAllocator);
  if (category == Category::kParameter)
    hint.op = Intern(events::GradientName(name), events::Source::kAllocator);
  Emit(hint);
}

void OnGradientArrives(const void* gradients) {
  AtWork& here = at_work;
  here.arriving_gradient = BlockOfFirst(gradients);
  here.first_birth = kAwaited;
}

void OnGradientAccumulated(const void* node) {
  AtWork& here = at_work;
  const uint64_t made = std::exchange(here.first_birth, {}).block;
  const uint64_t arrived = std::exchange(here.arriving_gradient, 0);
  if (made != 0 || arrived != 0) Hint(EventKind::kGradientAccumulated, arrived, AddressOf(node), made);
}

void OnCastBegins(const void* tensor, int8_t /*scalar_type*/) {
  AtWork& here = at_work;
  here.cast_block = BlockOfTensor(tensor);
  here.first_birth = kAwaited;
}

bool BeginEvaluation() {
  if (at_work.optimizer.scope != nullptr || RecordsGradients()) return false;
  TheCourse().BeginEvaluation();
  return true;
}

void EndEvaluation() {
  events::Event end = HintOf(EventKind::kEvaluationEnd, 0);
  Emit(end);
  TheCourse().EndEvaluation();
}

void OnCastEnded() {
  AtWork& here = at_work;
  const uint64_t made = std::exchange(here.first_birth, {}).block;
  if (made != 0 && here.cast_block != 0) Hint(EventKind::kCastMade, made, here.cast_block);
}

}  // namespace

void OnUserScopeBegins(std::string_view name, const void* scope) {
  OptimizerScope& optimizer = at_work.optimizer;
  if (!watches_training.load(std::memory_order_relaxed) || optimizer.scope != nullptr) return;
  const auto turn = OptimizerTurn::Begin(name, events::Source::kAllocator);
  if (!turn) return;
  optimizer = {.scope = static_cast<const std::byte*>(scope), .turn = *turn, .runs_closure = false};
  at_work.first_birth.is_awaited = false;
}

void OnRecordFunctionEnds(const void* record_function) {
  const auto* const place = static_cast<const std::byte*>(record_function);
  const std::byte* const scope = at_work.optimizer.scope;
  if (scope == nullptr || place < scope || place >= scope + kLargestHeadBytes) return;
  const OptimizerScope ended = std::exchange(at_work.optimizer, {});
  if (!EventStreamIsOpen()) return;
  events::Event end = HintOf(EventKind::kOptimizerEnd, 0);
  end.name = ended.turn.state;
  Emit(end);
  ended.turn.End();
}

void WatchTraining() {
  watches_training = true;
  TheCourse().Begin();
  Gates& gates = TheGates();
  gates.tensor_saved = OnTensorSaved;
  gates.accumulator_made = OnAccumulatorMade;
  gates.tensor_known = OnTensorKnown;
  gates.gradient_arrives = OnGradientArrives;
  gates.gradient_accumulated = OnGradientAccumulated;
  gates.backward_begins = [] {
    TheCourse().BeginBackward();
    BeginEngine();
  };
  gates.backward_ended = [] {
    EndEngine();
    TheCourse().EndBackward();
    at_work.optimizer.runs_closure = false;
  };
  gates.cast_begins = OnCastBegins;
  gates.cast_ended = OnCastEnded;
  gates.buckets_begin = [] { at_work.makes_buckets = true; };
  gates.buckets_ended = [] { at_work.makes_buckets = false; };
}

void WatchEvaluations() { SetEvaluationListener({BeginEvaluation, EndEvaluation}); }

events::NameId OptimizerAtWork() {
  const OptimizerScope& optimizer = at_work.optimizer;
  return optimizer.runs_closure ? 0 : optimizer.turn.state;
}

Category OnBlockBorn(uint64_t address) {
  saved_blocks.Remove(address);  // that was another one
  AtWork& here = at_work;
  if (std::exchange(here.first_birth.is_awaited, false)) here.first_birth.block = address;
  if (here.makes_buckets) return Category::kCommunication;
  if (current_context.evaluates && OptimizerAtWork() == 0) return Category::kOutput;  // for now: a hint
  return TheCourse().IsBetweenPasses() ? Category::kUnknown : Category::kTemporary;
}

void OnBlockDied(uint64_t address) {
  AtWork& here = at_work;
  if (here.first_birth.block == address) here.first_birth = kAwaited;
  if (here.arriving_gradient == address) here.arriving_gradient = 0;
}

}  // namespace tidemark::capture
