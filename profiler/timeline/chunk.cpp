#include "profiler/timeline/chunk.h"

#include <algorithm>

#include "profiler/base/check.h"

namespace tidemark::timeline {
namespace {

const Replaced& ReplacedAt(const Chunk& chunk, size_t offset) {
  const Replaced* begin = chunk.replaced.get();
  const Replaced* end = begin + chunk.replaced_count.load(std::memory_order_acquire);
  const Replaced* found = std::lower_bound(
      begin, end, offset, [](const Replaced& replaced, size_t wanted) { return replaced.offset < wanted; });
  TIDEMARK_CHECK(found != end && found->offset == offset);
  return *found;
}

}  // namespace

void Replay(SeriesValues& values, const Chunk& chunk, size_t offset) {
  const Effect effect = chunk.effects[offset];
  if (effect == Effect::kReplace) {
    const Replaced& replaced = ReplacedAt(chunk, offset);
    SubtractBlock(values, replaced.category, replaced.bytes, replaced.rounded_bytes);
  }
  Replay(values, chunk.events[offset], effect);
}

SeriesValues ValuesBefore(const Chunk& chunk, size_t offset) {
  const size_t leaf = offset / kLeafEvents;
  SeriesValues values = leaf == 0 ? chunk.values_before : chunk.at_end[leaf - 1];
  for (size_t at = leaf * kLeafEvents; at < offset; ++at) Replay(values, chunk, at);
  return values;
}

int64_t ValueBefore(const Chunk& chunk, Series series, size_t offset) {
  if (offset % kLeafEvents != 0) return ValueOf(ValuesBefore(chunk, offset), series);
  const size_t leaf = offset / kLeafEvents;
  return ValueOf(leaf == 0 ? chunk.values_before : chunk.at_end[leaf - 1], series);
}

int64_t TimeBefore(const Chunk& chunk, size_t offset) {
  const size_t leaf = offset / kLeafEvents;
  int64_t time_ns = leaf == 0 ? chunk.time_before : chunk.time_at_end[leaf - 1];
  for (size_t at = leaf * kLeafEvents; at < offset; ++at)
    time_ns = std::max(time_ns, chunk.events[at].time_ns);
  return time_ns;
}

void ChunkWriter::Append(const events::Event& event, const Ledger::Outcome& outcome,
                         const SeriesValues& values, int64_t time_ns) {
  chunk_->events[size_] = event;
  chunk_->effects[size_] = outcome.effect;
  if (outcome.effect == Effect::kReplace) KeepReplaced(outcome.block);
  if (size_ % kLeafEvents == 0) {
    BeginLeaf(values);
  } else if (outcome.effect != Effect::kNone) {
    Extend(values);
  }
  ++size_;
  if (size_ % kLeafEvents == 0) CloseLeaf(values, time_ns);
}

void ChunkWriter::KeepReplaced(const LiveBlock& block) {
  if (chunk_->replaced == nullptr)
    chunk_->replaced = std::make_unique_for_overwrite<Replaced[]>(kChunkEvents);
  const uint32_t count = chunk_->replaced_count.load(std::memory_order_relaxed);
  chunk_->replaced[count] = {block.bytes, block.rounded_bytes, static_cast<uint32_t>(size_), block.category};
  chunk_->replaced_count.store(count + 1, std::memory_order_release);
}

void ChunkWriter::BeginLeaf(const SeriesValues& values) {
  for (size_t series = 0; series < values.size(); ++series) open_[series] = {values[series], values[series]};
  open_peak_ = values;
  open_peak_offset_ = size_;
}

void ChunkWriter::Extend(const SeriesValues& values) {
  for (size_t series = 0; series < values.size(); ++series) {
    open_[series].min = std::min(open_[series].min, values[series]);
    open_[series].max = std::max(open_[series].max, values[series]);
  }
  if (values[kAllocatedIndex] <= open_peak_[kAllocatedIndex]) return;
  open_peak_ = values;
  open_peak_offset_ = size_;
}

void ChunkWriter::CloseLeaf(const SeriesValues& values, int64_t time_ns) {
  const size_t leaf = size_ / kLeafEvents - 1;
  for (size_t series = 0; series < values.size(); ++series) chunk_->extents[series][leaf] = open_[series];
  chunk_->at_peak[leaf] = open_peak_;
  chunk_->peak_offset[leaf] = static_cast<uint16_t>(open_peak_offset_);
  chunk_->at_end[leaf] = values;
  chunk_->time_at_end[leaf] = time_ns;
  CloseParents(leaf);
}

void ChunkWriter::CloseParents(size_t leaf) {
  size_t child = leaf;
  for (size_t level = 1; level < kLevels && child % kFanOut == kFanOut - 1; ++level, child /= kFanOut) {
    const size_t first = kFirstNode[level - 1] + child - (kFanOut - 1);
    const size_t node = kFirstNode[level] + child / kFanOut;
    for (auto& extents : chunk_->extents) {
      Extent extent = extents[first];
      for (size_t other = first + 1; other < first + kFanOut; ++other) {
        extent.min = std::min(extent.min, extents[other].min);
        extent.max = std::max(extent.max, extents[other].max);
      }
      extents[node] = extent;
    }
    size_t highest = first;
    for (size_t other = first + 1; other < first + kFanOut; ++other) {
      if (chunk_->at_peak[other][kAllocatedIndex] > chunk_->at_peak[highest][kAllocatedIndex])
        highest = other;
    }
    chunk_->at_peak[node] = chunk_->at_peak[highest];
    chunk_->peak_offset[node] = chunk_->peak_offset[highest];
  }
}

}  // namespace tidemark::timeline
