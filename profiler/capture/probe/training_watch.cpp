#include "profiler/capture/probe/training_watch.h"

#include <tsl/robin_map.h>

#include <cstddef>
#include <string_view>
#include <utility>

#include "profiler/base/thread_annotations.h"
#include "profiler/capture/gates/gates.h"
#include "profiler/capture/gates/user_scope_gate.h"
#include "profiler/capture/operators/layer_scopes.h"
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
thread_local uint64_t arriving_gradient = 0;
thread_local uint64_t cast_block = 0;

// The first block of this thread that was born since a cast or an accumulation began, and lives. What comes
// after it is a hook's, which runs inside of the accumulation, as is all that an optimizer makes in one.
struct FirstBirth {
  uint64_t block = 0;
  bool is_awaited = false;
};
thread_local FirstBirth first_birth;

void AwaitFirstBirth() { first_birth = {0, true}; }

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

// Which gradient each leaf has: a turn of its block's (block_roles.h), so that one that has died is nobody's.
// A leaf is known by its c10::TensorImpl: its own block may hold other leaves, as the flat weights of an RNN
// do, and its AccumulateGrad goes with the graph.
class Gradients {
 public:
  void BeginNode(const void* node, const void* leaf) {
    const MutexLock lock(mutex_);
    leaves_[AddressOf(node)] = AddressOf(leaf);
  }
  // Whether the leaf of the AccumulateGrad has one that lives.
  bool HasOne(const void* node) {
    const MutexLock lock(mutex_);
    const auto found = gradients_.find(LeafOf(AddressOf(node)));
    return found != gradients_.end() && found->second.turn != 0 &&
           Roles().TurnOf(found->second.block, Category::kGradient) == found->second.turn;
  }
  void Replace(const void* node, uint64_t block) {
    const MutexLock lock(mutex_);
    gradients_[LeafOf(AddressOf(node))] = {block, Roles().TurnOf(block, Category::kGradient)};
  }

 private:
  struct Gradient {
    uint64_t block = 0;
    uint64_t turn = 0;
  };
  static uint64_t AddressOf(const void* object) { return reinterpret_cast<uint64_t>(object); }
  // Of a node that was made before anybody listened: the node stands for it.
  uint64_t LeafOf(uint64_t node) TIDEMARK_REQUIRES(mutex_) {
    const auto found = leaves_.find(node);
    return found == leaves_.end() ? node : found->second;
  }

  Mutex mutex_;
  // By node; the next that is made where one was takes its place.
  tsl::robin_map<uint64_t, uint64_t, AddressHash> leaves_ TIDEMARK_GUARDED_BY(mutex_);
  tsl::robin_map<uint64_t, Gradient, AddressHash> gradients_ TIDEMARK_GUARDED_BY(mutex_);  // by leaf
};

Gradients& TheGradients() {
  static auto& gradients = *new Gradients;  // threads of LibTorch outlive main
  return gradients;
}

void OnAccumulatorMade(const void* node, const void* tensor) {
  TheCourse().RecordForward();
  TheGradients().BeginNode(node, IdentityOfTensor(tensor));
  Assume(Known(BlockOfTensor(tensor)), Category::kParameter);
}

void OnParameterKnown(const void* block, int64_t /*bytes*/, const char* /*name*/) {
  Assume(Known(reinterpret_cast<uint64_t>(block)), Category::kParameter);
}

void OnGradientArrives(const void* gradients) {
  arriving_gradient = Known(BlockOfFirst(gradients));
  AwaitFirstBirth();
}

// It was copied into a block of its own, or kept as it came, or added to the one before: that one keeps its
// role then, and what came is no gradient.
void OnGradientAccumulated(const void* node) {
  const uint64_t copy = std::exchange(first_birth, {}).block;
  const uint64_t arrived = std::exchange(arriving_gradient, 0);
  const uint64_t block = copy != 0 ? copy : arrived;
  if (block == 0) return;
  if (copy == 0 && TheGradients().HasOne(node)) return;
  Assume(block, Category::kGradient);
  TheGradients().Replace(node, block);
}

void OnCastBegins(const void* tensor, int8_t /*scalar_type*/) {
  cast_block = Known(BlockOfTensor(tensor));
  AwaitFirstBirth();
}

// Autocast keeps its copies of leaves (at::autocast::cached_cast), unless its cache is off: who knows nothing
// of LibTorch's types cannot ask.
void OnCastEnded() {
  const uint64_t copy = std::exchange(first_birth, {}).block;
  if (cast_block != 0 && Roles().Is(cast_block, Category::kParameter)) Assume(copy, Category::kAutocastCache);
}

}  // namespace

void OnUserScopeBegins(std::string_view name, const void* scope) {
  if (!EventStreamIsOpen() || optimizer_at_work.scope != nullptr ||
      !name.starts_with(kOptimizerScopePrefix)) {
    return;
  }
  optimizer_at_work.scope = static_cast<const std::byte*>(scope);
  optimizer_at_work.optimizer = FirstArgumentOf(kOptimizerWrapper, kOptimizerFile);
  optimizer_at_work.state = Intern(OptimizerStateName(name), events::Source::kAllocator);
  first_birth.is_awaited = false;
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
  gates.parameter_known = OnParameterKnown;
  gates.gradient_arrives = OnGradientArrives;
  gates.gradient_accumulated = OnGradientAccumulated;
  gates.backward_begins = [] {
    TheCourse().BeginBackward();
    BeginEngine();
  };
  gates.backward_ended = [] {
    EndEngine();
    TheCourse().EndBackward();
  };
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
  if (std::exchange(first_birth.is_awaited, false)) first_birth.block = address;
  const bool in_optimizer = optimizer_at_work.scope != nullptr;
  if (IsFromBirth(category) || in_optimizer) Roles().Born(address, category, in_optimizer);
}

void OnBlockDied(uint64_t address) {
  if (first_birth.block == address) AwaitFirstBirth();
  if (arriving_gradient == address) arriving_gradient = 0;
  Roles().Died(address);
}

}  // namespace tidemark::capture
