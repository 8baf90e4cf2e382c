#include "profiler/capture/program/block_watch.h"

#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/SparseTensorImpl.h>
#include <ATen/core/grad_mode.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/TensorWrapper.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/capture/course/course.h"
#include "profiler/capture/gates/gates.h"
#include "profiler/capture/operators/context.h"
#include "profiler/capture/roles/block_roles.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/torch/allocator_events.h"
#include "profiler/capture/torch/autocast_cache.h"
#include "profiler/capture/torch/library_workspaces.h"
#include "profiler/capture/torch/tensor_blocks.h"
#include "profiler/events/tensor_names.h"

namespace tidemark::capture {
namespace {

using events::Category;
using events::NameId;

thread_local Category category_around_cast = Category::kUnknown;
thread_local uint64_t last_born_address = 0;  // of this thread's blocks
thread_local int64_t last_born_bytes = 0;

thread_local bool follows_evaluation = false;  // nothing has recorded gradients since
thread_local int depth_around_closure = 0;     // of optimizers, where one runs its closure

constexpr const char* kBucketName = "DDP bucket";
constexpr const char* kStateByHand = "state by hand";
constexpr int64_t kSmallestSendBuffer = 1 << 20;  // all others are not looked at: a forward makes many

BlockRoles& Roles() {
  static auto& roles = *new BlockRoles;  // threads of LibTorch outlive main
  return roles;
}

Block BlockOf(const at::Tensor& tensor) {
  c10::StorageImpl* const storage = PlainStorageOf(tensor);
  if (storage == nullptr || !tensor.key_set().has_backend(c10::BackendComponent::CUDABit)) return {};
  const uint64_t address = AddressOf(*storage);
  return {address, address == 0 ? 0 : static_cast<int64_t>(storage->nbytes())};
}

// "768×3072": programs have names for their tensors, LibTorch has none.
std::string ShapeOf(const at::Tensor& tensor) {
  std::string text;
  for (const int64_t size : tensor.sizes()) text += (text.empty() ? "" : "×") + std::to_string(size);
  return text.empty() ? "scalar" : text;
}

void Announce(const Block& block, Category role, NameId name) {
  EmitCategory(block.address, block.bytes, role, name);
}

void TakeForInputs(const std::vector<Block>& copied) {
  for (const Block& block : copied) {
    if (Roles().Take(block.address, Category::kInput)) Announce(block, Category::kInput, 0);
  }
}

// Before anything else is said of its blocks.
void BeginForward() {
  follows_evaluation = false;
  if (!TheCourse().HasBegun()) TakeForInputs(Roles().TakeAwaitingForward());
  if (current_context.optimizer_depth == 0) return TheCourse().RecordForward();
  depth_around_closure = std::exchange(current_context.optimizer_depth, 0);
  TheCourse().BeginClosure();
}

void TakeForActivation(const Block& block) {
  if (block.address == 0) return;
  BeginForward();
  if (Roles().Take(block.address, Category::kActivation)) Announce(block, Category::kActivation, 0);
}

// Within what the transforms of torch.func put around it.
const at::Tensor& Unwrapped(const at::Tensor& tensor) {
  if (const auto* wrapper = at::functorch::maybeGetTensorWrapper(tensor)) return Unwrapped(wrapper->value());
  if (const auto* batched = at::functorch::maybeGetBatchedImpl(tensor)) return Unwrapped(batched->value());
  return tensor;
}

// By what it is called in this LibTorch: some tag the object.
template <typename Slot>
void* PythonsObject(const Slot& slot) {
  if constexpr (requires { slot.load_pyobj(); }) {
    return slot.load_pyobj();
  } else {
    return slot._unchecked_untagged_pyobj();
  }
}

bool IsPythons(const at::Tensor& tensor) {
  return tensor.defined() && tensor.key_set().has(c10::DispatchKey::Python);
}

// Of one whose memory Python's side knows, if it has any.
void AskFor(const at::Tensor& tensor, Category category, const at::Tensor& parameter) {
  const auto object_of = [](const at::Tensor& one) {
    return PythonsObject(*one.unsafeGetTensorImpl()->pyobj_slot());
  };
  if (!tensor.key_set().has_backend(c10::BackendComponent::CUDABit)) return;
  void* const object = object_of(tensor);
  void* const of = object_of(parameter);
  if (object != nullptr && of != nullptr)
    Tell(TheGates().wrapped, object, static_cast<uint8_t>(category), of);
}

void OnTensorSaved(const void* object) {
  const auto& saved = *static_cast<const at::Tensor*>(object);
  if (!saved.defined()) return;
  const at::Tensor& tensor = Unwrapped(saved);
  if (IsPythons(tensor)) return AskFor(tensor, Category::kActivation, tensor);
  if (tensor.key_set().has(c10::DispatchKey::Functionalize)) return;  // has its layout, and is no such tensor
  switch (tensor.layout()) {
    case c10::kSparse: {
      const auto& sparse = static_cast<const at::SparseTensorImpl&>(*tensor.unsafeGetTensorImpl());
      TakeForActivation(BlockOf(sparse.indices()));
      return TakeForActivation(BlockOf(sparse.values()));
    }
    case c10::kSparseCsr:
    case c10::kSparseCsc:
    case c10::kSparseBsr:
    case c10::kSparseBsc: {
      const auto& sparse = static_cast<const at::SparseCsrTensorImpl&>(*tensor.unsafeGetTensorImpl());
      TakeForActivation(BlockOf(sparse.compressed_indices()));
      TakeForActivation(BlockOf(sparse.plain_indices()));
      return TakeForActivation(BlockOf(sparse.values()));
    }
    default:
      return TakeForActivation(BlockOf(tensor));
  }
}

void OnAccumulatorMade(const void* /*node*/, const void* object) {
  const auto& tensor = *static_cast<const at::Tensor*>(object);
  const Block block = BlockOf(tensor);
  if (block.address == 0) return;
  // Autocast records its casts of parameters, which it keeps, where no gradients are recorded, too.
  if (!current_context.evaluates) BeginForward();
  if (!Roles().Take(block.address, Category::kParameter, 0, block.bytes)) return;
  Announce(block, Category::kParameter,
           Intern(std::string(events::kNamelessParameter) + " " + ShapeOf(tensor)));
}

void OnTensorKnown(const void* block, int64_t bytes, Category category, const char* name) {
  const auto address = reinterpret_cast<uint64_t>(block);
  if (category == Category::kActivation) return TakeForActivation({address, bytes});
  if (category == Category::kInput) {
    if (Roles().TakeArgument(address)) Announce({address, bytes}, category, 0);
    return;
  }
  const NameId gradient_name = category == Category::kParameter ? Intern(events::GradientName(name)) : 0;
  if (Roles().Take(address, category, gradient_name, bytes))
    Announce({address, bytes}, category, Intern(name));
}

// What a hook puts gradients into, to be sent together, was there before them and has room for several.
bool IsSendBuffer(const Block& gradient, const at::Tensor& parameter) {
  return gradient.bytes > static_cast<int64_t>(parameter.nbytes()) &&
         Roles().WasBeforeGradients(gradient.address);
}

void OnGradientAccumulated(const void* object) {
  const at::Tensor& leaf = static_cast<const torch::autograd::AccumulateGrad*>(object)->variable;
  if (IsPythons(leaf.grad())) return AskFor(leaf.grad(), Category::kGradient, leaf);
  const Block parameter = BlockOf(leaf);
  if (!Roles().Is(parameter.address, Category::kParameter)) return;
  if (TheCourse().LacksOptimizer()) TheCourse().GiveGradientTo(parameter.address);
  const Block block = BlockOf(leaf.grad());
  if (IsSendBuffer(block, leaf)) {
    if (Roles().Take(block.address, Category::kCommunication))
      Announce(block, Category::kCommunication, Intern("buffer of gradients"));
    return;
  }
  const bool in_bucket = Roles().Is(block.address, Category::kCommunication);  // gradient_as_bucket_view
  if (block.address == 0 || !Roles().Take(block.address, Category::kGradient)) return;
  NameId name = in_bucket ? Intern(kBucketName) : Roles().GradientNameOf(parameter.address);
  if (name == 0) name = Intern("gradient " + ShapeOf(leaf));
  Announce(block, Category::kGradient, name);
}

void OnCastBegins(const void* object, int8_t type) {
  category_around_cast = current_context.birth_category;
  const auto& tensor = *static_cast<const at::Tensor*>(object);
  if (BlockOf(tensor).address != 0 &&
      AutocastWillKeep(tensor, static_cast<at::ScalarType>(type), c10::DeviceType::CUDA)) {
    current_context.birth_category = Category::kAutocastCache;
  }
}

void OnCastEnded() { current_context.birth_category = category_around_cast; }

// By its thread, which a thread's context stands for.
Maker ThisEvaluation() { return reinterpret_cast<Maker>(&current_context); }

Maker MakerHere() {
  if (current_context.optimizer_depth > 0) return kOptimizer;
  if (current_context.evaluates) return ThisEvaluation();
  if (TheCourse().IsUpdatedByHand()) return kUpdate;
  if (TheCourse().MayBeUpdatedByHand()) return kBackward;
  return TheCourse().IsInForward() ? kForward : kNobody;
}

void TakeForOutputs(Maker maker) {
  for (const uint64_t address : Roles().TakeMadeBy(maker)) {
    if (Roles().Take(address, Category::kOutput)) Announce({address, 0}, Category::kOutput, 0);
  }
}

void AnnounceLeft(const Left& left) {
  for (const Block& state : left.state) Announce(state, Category::kOptimizerState, Intern(kStateByHand));
  for (const Block& kept : left.unknown) Announce(kept, Category::kUnknown, 0);
}

// Results of evaluations, as a trainer puts them together between passes.
bool JoinsResults() {
  if (!follows_evaluation || current_context.layer != 0 || current_context.optimizer_depth > 0) return false;
  static const NameId cat = Intern("aten::cat");
  static const NameId stack = Intern("aten::stack");
  return (current_context.op == cat || current_context.op == stack) && !at::GradMode::is_enabled();
}

void OnBorn(uint64_t address, int64_t bytes, Category category) {
  last_born_address = address;
  last_born_bytes = bytes;
  const Birth birth{.category = category,
                    .maker = MakerHere(),
                    .before_gradients = bytes >= kSmallestSendBuffer && TheCourse().IsBetweenPasses(),
                    .in_model = current_context.layer != 0,
                    .bytes = bytes};
  if (IsFromBirth(category) || birth.maker != kNobody || birth.before_gradients || birth.in_model)
    Roles().Born(address, birth);
  if (JoinsResults() && Roles().Take(address, Category::kOutput))
    Announce({address, bytes}, Category::kOutput, 0);
}

// A batch: what was just made and is at once filled from the host, where gradients are recorded, or before an
// evaluation. A parameter that is moved to the card is not (Module.to, load_state_dict); what was copied
// before it may be a buffer of the same model.
void OnCopiedFromHost(const void* device) {
  const Block block{reinterpret_cast<uint64_t>(device), last_born_bytes};
  if (block.address == 0 || block.address != std::exchange(last_born_address, 0)) return;
  const bool records_gradients = at::GradMode::is_enabled();
  // An optimizer records none, but a closure that begins does.
  const bool in_optimizer = current_context.optimizer_depth > 0;
  if (in_optimizer ? !records_gradients : !TheCourse().IsBetweenPasses()) return;
  if (current_context.evaluates) return;  // the model makes it itself
  if (records_gradients && TheCourse().HasBegun()) return TakeForInputs({block});
  Roles().AwaitUse(block, records_gradients);
}

// A moving average begins so, or a state_dict() that is kept: neither a module's code makes one, nor a pass.
// All of the original, and little more room than that: no buffer that several things go into.
void OnCopiedOnDevice(const void* to, const void* from, size_t bytes) {
  constexpr int64_t kMostUnsplit = 1 << 20;  // of a block that is taken whole (CUDACachingAllocator.cpp)
  const Block copy{reinterpret_cast<uint64_t>(to), static_cast<int64_t>(bytes)};
  const auto original = reinterpret_cast<uint64_t>(from);
  if (copy.address == 0 || copy.address != std::exchange(last_born_address, 0)) return;
  if (last_born_bytes - copy.bytes > kMostUnsplit || current_context.layer != 0) return;
  if (!TheCourse().IsBetweenPasses() || !Roles().TakeCopy(copy.address, {original, copy.bytes})) return;
  const std::string gradient = NameOf(Roles().GradientNameOf(original));
  Announce(copy, Category::kParameter, Intern(events::CopyName(gradient)));
}

// Another thread's blocks are none of theirs.
thread_local std::optional<BirthScope> bucket_birth;

void OnBucketsBegin() { bucket_birth.emplace(Category::kCommunication, Intern(kBucketName)); }
void OnBucketsEnded() { bucket_birth.reset(); }

void OnDies(uint64_t address) {
  const Death death = Roles().Died(address);
  const bool was_state = death.was_read && TheCourse().IsUpdatedByHand() && TheCourse().WasUpdatedByHand();
  const bool is_of_update =
      death.maker == kUpdate || death.was_read || death.role == Category::kOptimizerState;
  if (was_state) Announce({address, 0}, Category::kOptimizerState, Intern(kStateByHand));
  if (!is_of_update) TheCourse().EndUpdateThatIsOver();
  if (death.maker == kForward || (death.maker == kUpdate && TheCourse().WasUpdatedByHand()))
    Announce({address, 0}, Category::kTemporary, 0);
}

}  // namespace

void WatchBlocks() {
  SetUsualBirthCategory(Category::kUnknown);
  SetBlockObserver({OnBorn, OnDies});
  AttachToLibraryWorkspaces([](uint64_t block) { Roles().Take(block, Category::kWorkspace); });
  Gates& gates = TheGates();
  gates.memory_reported = OnCudaReport;
  gates.tensor_saved = OnTensorSaved;
  gates.accumulator_made = OnAccumulatorMade;
  gates.tensor_known = OnTensorKnown;
  gates.gradient_accumulated = OnGradientAccumulated;
  gates.cast_begins = OnCastBegins;
  gates.cast_ended = OnCastEnded;
  gates.copied_from_host = OnCopiedFromHost;
  gates.copied_on_device = OnCopiedOnDevice;
  gates.buckets_begin = OnBucketsBegin;
  gates.buckets_ended = OnBucketsEnded;
}

bool BeginEvaluationBlocks() {
  if (at::GradMode::is_enabled() || current_context.optimizer_depth > 0) return false;
  TakeForInputs(Roles().TakeAwaitingEvaluation());
  return true;
}

void EndEvaluationBlocks() {
  TakeForOutputs(ThisEvaluation());
  follows_evaluation = true;
}

void EndForwardBlocks() { TakeForOutputs(kForward); }

void ReadInUpdate(const at::Tensor& tensor, bool is_changed) {
  const Block block = BlockOf(tensor);
  if (block.address == 0 || block.address == last_born_address) return;  // torch.zeros fills what it made
  if (Roles().ReadInUpdate(block, is_changed) != Category::kGradient) return;
  Announce(block, Category::kGradient, Intern("gradient " + ShapeOf(tensor)));
}

void EndUpdateBlocks() { AnnounceLeft(Roles().EndUpdate()); }

void ForgetUpdateBlocks() { AnnounceLeft(Roles().ForgetUpdate()); }

uint64_t ParameterBlockOf(const at::Tensor& tensor) {
  const Block block = BlockOf(tensor);
  return Roles().Is(block.address, Category::kParameter) ? block.address : 0;
}

void BeginOptimizerBlocks() { ++current_context.optimizer_depth; }

void EndClosureBlocks() { current_context.optimizer_depth += std::exchange(depth_around_closure, 0); }

void EndOptimizerBlocks(NameId name) {
  EndClosureBlocks();
  if (--current_context.optimizer_depth > 0) return;
  for (const uint64_t address : Roles().TakeMadeBy(kOptimizer)) {
    if (Roles().Take(address, Category::kOptimizerState))
      Announce({address, 0}, Category::kOptimizerState, name);
  }
}

}  // namespace tidemark::capture
