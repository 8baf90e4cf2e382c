#include "profiler/capture/roles/role_inference.h"

#include <algorithm>
#include <iterator>

namespace tidemark::capture {

using events::Category;
using events::Event;
using events::EventKind;

namespace {

bool IsOfOptimizer(const Event& event) { return event.kind == EventKind::kAllocate && event.name != 0; }
bool IsOfEvaluation(const Event& event) {
  return event.kind == EventKind::kAllocate && event.category == Category::kOutput;
}
bool IsOfForward(const Event& event) {
  return event.kind == EventKind::kAllocate && event.phase == events::Phase::kForward;
}
bool IsOfMaker(const Event& event) {
  return IsOfOptimizer(event) || IsOfEvaluation(event) || IsOfForward(event);
}

Maker MakerOf(const Event& event) {
  if (IsOfOptimizer(event)) return kOptimizer;
  if (IsOfEvaluation(event)) return event.thread;
  return IsOfForward(event) ? kForward : kNobody;
}

bool EndsForward(const Event& event) {
  return event.kind == EventKind::kPhase && event.phase == events::Phase::kBackward;
}

}  // namespace

std::span<const Event> RoleInference::Infer(std::span<const Event> events) {
  const auto tells = [](const Event& event) {
    return events::IsHint(event) || IsOfMaker(event) || EndsForward(event) ||
           event.kind == EventKind::kFreeCompleted;
  };
  if (std::ranges::none_of(events, tells)) {
    for (const Event& event : events) Follow(event);
    return events;
  }
  inferred_.clear();
  inferred_.reserve(events.size());
  for (const Event& event : events) {
    if (events::IsHint(event)) {
      Take(event);
    } else {
      Follow(event);
      inferred_.push_back(event);
      if (IsOfOptimizer(event)) inferred_.back().name = 0;
      if (IsOfEvaluation(event)) inferred_.back().category = Category::kTemporary;
      if (IsOfForward(event)) inferred_.back().phase = events::Phase::kIdle;
    }
  }
  return inferred_;
}

void RoleInference::Follow(const Event& event) {
  if (EndsForward(event)) return FindOutputs(kForward, event);
  if (event.source != events::Source::kAllocator) return;
  switch (event.kind) {
    case EventKind::kAllocate:
      return Born(event);
    case EventKind::kFreeCompleted:
      outside_.erase(event.address);
      if (roles_.Died(event.address).maker == kForward) Announce(event.address, Category::kTemporary, event);
      return;
    case EventKind::kCategorize:
      roles_.Take(event.address, event.category);
      return;
    case EventKind::kSegmentAllocate:
      segments_[event.address] = event.address + static_cast<uint64_t>(event.bytes);
      return;
    case EventKind::kSegmentFree:
      segments_.erase(event.address);
      return;
    default:
      return;
  }
}

// What was there before is gone, though its end may be lost.
void RoleInference::Born(const Event& event) {
  if (!LiesInSegment(event.address)) outside_.insert(event.address);
  if (IsFromBirth(event.category) || IsOfMaker(event) || event.layer != 0) {
    roles_.Born(event.address,
                {.category = event.category, .maker = MakerOf(event), .in_model = event.layer != 0});
  } else {
    roles_.Died(event.address);
  }
}

void RoleInference::Take(const Event& hint) {
  switch (hint.kind) {
    case EventKind::kTensorSaved:
      return Assume(Known(hint.address), Category::kActivation, hint);
    case EventKind::kLeafUsed:
      leaves_[static_cast<uint64_t>(hint.rounded_bytes)] = {static_cast<uint64_t>(hint.bytes), hint.address};
      return Assume(Known(hint.address), Category::kParameter, hint);
    case EventKind::kGradientAccumulated:
      return FindGradient(hint);
    case EventKind::kCastMade:
      // Autocast keeps its copies of leaves (at::autocast::cached_cast), unless its cache is off: who knows
      // nothing of LibTorch's types cannot ask.
      if (roles_.Is(static_cast<uint64_t>(hint.bytes), Category::kParameter)) {
        Assume(Known(hint.address), Category::kAutocastCache, hint);
      }
      return;
    case EventKind::kOptimizerEnd:
      return FindOptimizerState(hint);
    case EventKind::kEvaluationEnd:
      return FindOutputs(hint.thread, hint);
    case EventKind::kTensorKnown:
      if (hint.category == Category::kInput) return FindArgument(hint);
      return Assume(Known(hint.address), hint.category, hint, hint.name, hint.op);
    default:
      return;
  }
}

// It was copied into a block of its own, or kept as it came, or added to the one before: that one keeps its
// role then, and what came is no gradient.
void RoleInference::FindGradient(const Event& hint) {
  const uint64_t copy = Known(static_cast<uint64_t>(hint.rounded_bytes));
  const uint64_t block = copy != 0 ? copy : Known(hint.address);
  if (block == 0) return;
  const Leaf leaf = LeafOf(static_cast<uint64_t>(hint.bytes));
  Gradient& gradient = gradients_[leaf.tensor];
  const bool has_one =
      gradient.turn != 0 && roles_.TurnOf(gradient.block, Category::kGradient) == gradient.turn;
  if (copy == 0 && has_one) return;
  Assume(block, Category::kGradient, hint, roles_.GradientNameOf(leaf.block));
  gradient = {block, roles_.TurnOf(block, Category::kGradient)};
}

void RoleInference::FindArgument(const Event& hint) {
  const uint64_t block = Known(hint.address);
  if (block != 0 && roles_.TakeArgument(block)) Announce(block, Category::kInput, hint);
}

void RoleInference::FindOptimizerState(const Event& hint) {
  for (const uint64_t block : roles_.TakeMadeBy(kOptimizer)) {
    Assume(block, Category::kOptimizerState, hint, hint.name);
  }
}

void RoleInference::FindOutputs(Maker maker, const Event& end) {
  for (const uint64_t block : roles_.TakeMadeBy(maker)) Assume(block, Category::kOutput, end);
}

void RoleInference::Assume(uint64_t block, Category role, const Event& hint, events::NameId name,
                           events::NameId gradient_name) {
  if (block != 0 && roles_.Take(block, role, gradient_name)) Announce(block, role, hint, name);
}

void RoleInference::Announce(uint64_t block, Category role, const Event& cause, events::NameId name) {
  Event event;
  event.time_ns = cause.time_ns;
  event.thread = cause.thread;
  event.kind = EventKind::kCategorize;
  event.source = events::Source::kAllocator;
  event.address = block;
  event.category = role;
  event.name = name;
  inferred_.push_back(event);
}

bool RoleInference::LiesInSegment(uint64_t address) const {
  const auto next = segments_.upper_bound(address);
  return next != segments_.begin() && address < std::prev(next)->second;
}

uint64_t RoleInference::Known(uint64_t address) const {
  return LiesInSegment(address) || outside_.contains(address) ? address : 0;
}

// Of a node that was made before anybody listened: the node stands for it.
RoleInference::Leaf RoleInference::LeafOf(uint64_t node) const {
  const auto found = leaves_.find(node);
  return found == leaves_.end() ? Leaf{node, 0} : found->second;
}

}  // namespace tidemark::capture
