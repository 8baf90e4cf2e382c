#include "profiler/timeline/ledger.h"

#include <algorithm>

#include "profiler/base/wrapping.h"

namespace tidemark::timeline {

using events::Category;
using events::Event;
using events::EventKind;

namespace {

constexpr auto kRequested = static_cast<size_t>(Series::kRequested);
constexpr auto kReserved = static_cast<size_t>(Series::kReserved);

void Move(SeriesValues& values, Category from, Category to, int64_t rounded_bytes) {
  SubtractFrom(values[static_cast<size_t>(from)], rounded_bytes);
  AddTo(values[static_cast<size_t>(to)], rounded_bytes);
}

}  // namespace

void AddBlock(SeriesValues& values, Category category, int64_t bytes, int64_t rounded_bytes) {
  AddTo(values[static_cast<size_t>(category)], rounded_bytes);
  AddTo(values[kAllocatedIndex], rounded_bytes);
  AddTo(values[kRequested], bytes);
}

void SubtractBlock(SeriesValues& values, Category category, int64_t bytes, int64_t rounded_bytes) {
  SubtractFrom(values[static_cast<size_t>(category)], rounded_bytes);
  SubtractFrom(values[kAllocatedIndex], rounded_bytes);
  SubtractFrom(values[kRequested], bytes);
}

void Replay(SeriesValues& values, const Event& event, Effect effect) {
  switch (effect) {
    case Effect::kNone:
      return;
    case Effect::kAllocate:
    case Effect::kReplace:
      return AddBlock(values, event.category, event.bytes, event.rounded_bytes);
    case Effect::kFree:
      return SubtractBlock(values, event.category, event.bytes, event.rounded_bytes);
    case Effect::kReserve:
      return AddTo(values[kReserved], event.rounded_bytes);
    case Effect::kRelease:
      return SubtractFrom(values[kReserved], event.rounded_bytes);
    case Effect::kLevel:
      values[static_cast<size_t>(SeriesOf(event.level))] = event.bytes;
      return;
    case Effect::kMove:
      break;
  }
  const auto from = static_cast<Category>(static_cast<int>(effect) - static_cast<int>(Effect::kMove));
  Move(values, from, event.category, event.rounded_bytes);
}

Ledger::Outcome Ledger::Apply(Event& event, EventIndex index, Health& health) {
  switch (event.kind) {
    case EventKind::kAllocate:
      return ApplyAllocate(event, index, health);
    case EventKind::kFreeRequested:
    case EventKind::kFreeCompleted:
      return ApplyFree(event, health);
    case EventKind::kCategorize:
      return ApplyCategorize(event, health);
    case EventKind::kTensorShape:
      return ApplyShape(event, health);
    case EventKind::kSegmentAllocate:
    case EventKind::kSegmentFree:
    case EventKind::kSegmentMap:
    case EventKind::kSegmentUnmap:
      return ApplySegment(event, index, health);
    case EventKind::kCounter:
      return ApplyCounter(event);
    default:
      return {};
  }
}

Ledger::Outcome Ledger::ApplyAllocate(Event& event, EventIndex index, Health& health) {
  Outcome outcome;
  outcome.effect = Effect::kAllocate;
  event.bytes = std::max<int64_t>(event.bytes, 0);
  event.rounded_bytes = std::max<int64_t>(event.rounded_bytes, 0);
  if (blocks_.Find(event.address) != nullptr) {
    ++health.double_allocations;
    outcome.ended = true;
    outcome.block = blocks_.Remove(event.address);
    if (!outcome.block.pending_free) {
      outcome.effect = Effect::kReplace;
      SubtractBlock(values_, outcome.block.category, outcome.block.bytes, outcome.block.rounded_bytes);
    }
  }
  AddBlock(values_, event.category, event.bytes, event.rounded_bytes);
  blocks_.Add({event.address, event.bytes, event.rounded_bytes, event.category, event.name, event.layer,
               event.op, event.stream, index, false, event.device, event.pool, 0});
  return outcome;
}

Ledger::Outcome Ledger::ApplyFree(Event& event, Health& health) {
  Outcome outcome;
  LiveBlock* block = blocks_.Find(event.address);
  const bool completed = event.kind == EventKind::kFreeCompleted;
  if (block == nullptr || (block->pending_free && !completed)) {
    ++health.unmatched_frees;
    event.bytes = std::max<int64_t>(event.bytes, 0);
    event.rounded_bytes = 0;
    return outcome;
  }
  event.bytes = block->bytes;
  event.rounded_bytes = block->rounded_bytes;
  event.category = block->category;
  event.name = block->name;
  if (!block->pending_free) {
    outcome.effect = Effect::kFree;
    SubtractBlock(values_, block->category, block->bytes, block->rounded_bytes);
  }
  block->pending_free = true;
  outcome.block = *block;
  if (completed) {
    outcome.ended = true;
    blocks_.Remove(event.address);
  }
  return outcome;
}

// Who says what a block holds need not know where it lies.
LiveBlock* Ledger::BlockTold(Event& event, Health& health) {
  LiveBlock* block = blocks_.Find(event.address);
  if (block == nullptr) {
    ++health.unmatched_tensors;
    event.bytes = std::max<int64_t>(event.bytes, 0);
    event.rounded_bytes = 0;
    return nullptr;
  }
  event.bytes = block->bytes;
  event.rounded_bytes = block->rounded_bytes;
  event.device = block->device;
  return block;
}

Ledger::Outcome Ledger::ApplyCategorize(Event& event, Health& health) {
  Outcome outcome;
  LiveBlock* block = BlockTold(event, health);
  if (block == nullptr) return outcome;
  if (event.name == 0) event.name = block->name;
  if (!block->pending_free && block->category != event.category) {
    outcome.effect = static_cast<Effect>(static_cast<int>(Effect::kMove) + static_cast<int>(block->category));
    Move(values_, block->category, event.category, block->rounded_bytes);
  }
  block->category = event.category;
  block->name = event.name;
  outcome.block = *block;
  return outcome;
}

Ledger::Outcome Ledger::ApplyShape(Event& event, Health& health) {
  Outcome outcome;
  LiveBlock* block = BlockTold(event, health);
  if (block == nullptr) return outcome;
  event.category = block->category;
  if (block->shape != 0 || block->pending_free || event.name == 0) return outcome;
  block->shape = event.name;
  outcome.has_shape = true;
  outcome.block = *block;
  return outcome;
}

Ledger::Outcome Ledger::ApplySegment(Event& event, EventIndex index, Health& health) {
  Outcome outcome;
  event.bytes = std::max<int64_t>(event.bytes, 0);
  const bool reserves = event.kind == EventKind::kSegmentAllocate || event.kind == EventKind::kSegmentMap;
  if (reserves) {
    event.rounded_bytes =
        segments_.Reserve({event.address, event.bytes, index, event.kind == EventKind::kSegmentMap,
                           event.device, event.pool, event.stream, event.name});
    AddTo(values_[kReserved], event.rounded_bytes);
    outcome.effect = Effect::kReserve;
  } else {
    if (event.bytes == 0) event.bytes = segments_.SizeAt(event.address);
    event.rounded_bytes = segments_.Release(event.address, event.bytes);
    SubtractFrom(values_[kReserved], event.rounded_bytes);
    outcome.effect = Effect::kRelease;
  }
  if (event.rounded_bytes != event.bytes) ++health.unmatched_segments;
  return outcome;
}

Ledger::Outcome Ledger::ApplyCounter(const Event& event) {
  Outcome outcome;
  if (event.level == events::Level::kNone) return outcome;
  outcome.effect = Effect::kLevel;
  values_[static_cast<size_t>(SeriesOf(event.level))] = event.bytes;
  return outcome;
}

void Ledger::Restore(const std::vector<LiveBlock>& blocks, const std::vector<Segment>& segments) {
  for (const LiveBlock& block : blocks) blocks_.Add(block);
  for (const Segment& segment : segments) segments_.Reserve(segment);
}

}  // namespace tidemark::timeline
