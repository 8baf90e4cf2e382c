#include "profiler/capture/probe/training_watch.h"

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "profiler/base/thread_annotations.h"
#include "profiler/capture/gates/gates.h"
#include "profiler/capture/gates/user_scope_gate.h"
#include "profiler/capture/probe/allocator_events.h"
#include "profiler/capture/probe/tensor_blocks.h"
#include "profiler/capture/roles/block_roles.h"
#include "profiler/capture/roles/course.h"
#include "profiler/capture/stacks/python_frames.h"
#include "profiler/capture/stream/event_stream.h"

namespace tidemark::capture {
namespace {

using events::Category;

// Of this thread, the outermost one: some optimizers step others.
struct OptimizerScope {
  const std::byte* scope = nullptr;  // LibTorch's object; null if there is none
  const void* optimizer = nullptr;   // Python's object; null where it is not found
  events::NameId state = 0;
  bool has_turn = false;
};
thread_local OptimizerScope optimizer_at_work;

thread_local bool makes_buckets = false;
thread_local uint64_t last_born = 0;  // since a cast or an accumulation began
thread_local uint64_t arriving_gradient = 0;
thread_local uint64_t cast_block = 0;

// torch/csrc/autograd/record_function_ops.h: a PythonRecordFunction is a RecordFunction behind a table of
// virtual functions and two counts.
constexpr size_t kLargestHeadBytes = 64;

// Nothing else is taken for a block: the tensor may lie elsewhere, or be laid out otherwise.
uint64_t Known(uint64_t address) { return address != 0 && LiesInSegment(address) ? address : 0; }

void Assume(uint64_t block, Category role, events::NameId name = 0) {
  if (block == 0 || !Roles().Take(block, role)) return;
  events::Event event;
  event.kind = events::EventKind::kCategorize;
  event.source = events::Source::kAllocator;
  event.address = block;
  event.category = role;
  event.name = name;
  Emit(event);
}

void OnTensorSaved(const void* tensor) {
  TheCourse().RecordForward();
  Assume(Known(BlockOfTensor(tensor)), Category::kActivation);
}

void OnAccumulatorMade(const void* tensor) {
  TheCourse().RecordForward();
  Assume(Known(BlockOfTensor(tensor)), Category::kParameter);
}

// Which block each torch::autograd::AccumulateGrad made its leaf's gradient.
class Gradients {
 public:
  // The block that it held is returned.
  uint64_t Replace(const void* node, uint64_t block) {
    const MutexLock lock(mutex_);
    return std::exchange(blocks_[node], block);
  }

 private:
  Mutex mutex_;
  std::unordered_map<const void*, uint64_t> blocks_ TIDEMARK_GUARDED_BY(mutex_);
};

Gradients& TheGradients() {
  static auto& gradients = *new Gradients;  // threads of LibTorch outlive main
  return gradients;
}

void OnGradientArrives(const void* gradients) {
  arriving_gradient = Known(BlockOfFirst(gradients));
  last_born = 0;
}

// It was copied into a block of its own, or kept as it came, or added to the one before: that one keeps its
// role then, and what came is no gradient.
void OnGradientAccumulated(const void* node) {
  const uint64_t block = last_born != 0 ? last_born : arriving_gradient;
  if (block == 0) return;
  const uint64_t before = TheGradients().Replace(node, block);
  if (last_born == 0 && before != block && Roles().Is(before, Category::kGradient)) {
    TheGradients().Replace(node, before);
    return;
  }
  Assume(block, Category::kGradient);
}

void OnCastBegins(const void* tensor, int8_t /*scalar_type*/) {
  cast_block = Known(BlockOfTensor(tensor));
  last_born = 0;
}

// Autocast keeps its copies of leaves (at::autocast::cached_cast).
void OnCastEnded() {
  if (cast_block != 0 && Roles().Is(cast_block, Category::kParameter))
    Assume(last_born, Category::kAutocastCache);
}

}  // namespace

void OnUserScopeBegins(std::string_view name, const void* scope) {
  if (!EventStreamIsOpen() || optimizer_at_work.scope != nullptr ||
      !name.starts_with(kOptimizerScopePrefix)) {
    return;
  }
  optimizer_at_work.scope = static_cast<const std::byte*>(scope);
  optimizer_at_work.optimizer = FirstArgumentOf(kOptimizerWrapper, kOptimizerFile);
  optimizer_at_work.state = Intern(OptimizerStateName(name));
  optimizer_at_work.has_turn = TheCourse().BeginOptimizer();
}

void OnRecordFunctionEnds(const void* record_function) {
  const auto* const place = static_cast<const std::byte*>(record_function);
  const std::byte* const scope = optimizer_at_work.scope;
  if (scope == nullptr || place < scope || place >= scope + kLargestHeadBytes) return;
  const OptimizerScope ended = std::exchange(optimizer_at_work, {});
  if (!EventStreamIsOpen()) return;
  for (const uint64_t block : Roles().TakeMadeByOptimizer()) {
    Assume(block, Category::kOptimizerState, ended.state);
  }
  if (ended.has_turn) TheCourse().EndOptimizer(ended.optimizer);
}

void WatchTraining() {
  TheCourse().Begin();
  Gates& gates = TheGates();
  gates.tensor_saved = OnTensorSaved;
  gates.accumulator_made = OnAccumulatorMade;
  gates.gradient_arrives = OnGradientArrives;
  gates.gradient_accumulated = OnGradientAccumulated;
  gates.backward_begins = [] { TheCourse().BeginBackward(); };
  gates.backward_ended = [] { TheCourse().EndBackward(); };
  gates.cast_begins = OnCastBegins;
  gates.cast_ended = OnCastEnded;
  gates.buckets_begin = [] { makes_buckets = true; };
  gates.buckets_ended = [] { makes_buckets = false; };
}

Category CategoryAtBirth() {
  if (makes_buckets) return Category::kCommunication;
  return TheCourse().IsBetweenPasses() ? Category::kUnknown : Category::kTemporary;
}

void OnBlockBorn(uint64_t address, Category category) {
  last_born = address;
  const bool in_optimizer = optimizer_at_work.scope != nullptr;
  if (IsFromBirth(category) || in_optimizer) Roles().Born(address, category, in_optimizer);
}

void OnBlockDied(uint64_t address) { Roles().Died(address); }

}  // namespace tidemark::capture
