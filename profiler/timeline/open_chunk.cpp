#include "profiler/timeline/open_chunk.h"

#include <algorithm>

#include "profiler/base/check.h"

namespace tidemark::timeline {

const Replaced& ReplacedAt(std::span<const Replaced> replaced, size_t offset) {
  const auto found =
      std::lower_bound(replaced.begin(), replaced.end(), offset,
                       [](const Replaced& candidate, size_t wanted) { return candidate.offset < wanted; });
  TIDEMARK_CHECK(found != replaced.end() && found->offset == offset);
  return *found;
}

std::span<const Replaced> OpenChunk::replaced() const {
  return {replaced_.get(), replaced_count_.load(std::memory_order_acquire)};
}

void OpenChunk::Replay(SeriesValues& values, size_t from, size_t to) const {
  for (size_t offset = from; offset < to; ++offset) {
    if (effects_[offset] == Effect::kReplace) {
      const Replaced& gone = ReplacedAt(replaced(), offset);
      SubtractBlock(values, gone.category, gone.bytes, gone.rounded_bytes);
    }
    timeline::Replay(values, events_[offset], effects_[offset]);
  }
}

void OpenChunk::Append(const events::Event& event, const Ledger::Outcome& outcome, const SeriesValues& values,
                       int64_t time_ns) {
  events_[size_] = event;
  effects_[size_] = outcome.effect;
  if (outcome.effect == Effect::kReplace) KeepReplaced(outcome.block);
  if (size_ % kLeafEvents == 0) {
    BeginLeaf(values);
  } else if (outcome.effect != Effect::kNone) {
    Extend(values);
  }
  ++size_;
  if (size_ % kLeafEvents == 0) CloseLeaf(values, time_ns);
}

void OpenChunk::KeepReplaced(const LiveBlock& block) {
  if (replaced_ == nullptr) replaced_ = std::make_unique_for_overwrite<Replaced[]>(kChunkEvents);
  const uint32_t count = replaced_count_.load(std::memory_order_relaxed);
  replaced_[count] = {block.bytes, block.rounded_bytes, static_cast<uint32_t>(size_), block.category};
  replaced_count_.store(count + 1, std::memory_order_release);
}

void OpenChunk::BeginLeaf(const SeriesValues& values) {
  for (size_t series = 0; series < values.size(); ++series) open_[series] = {values[series], values[series]};
  open_peak_ = values;
  open_peak_offset_ = size_;
}

void OpenChunk::Extend(const SeriesValues& values) {
  for (size_t series = 0; series < values.size(); ++series) {
    open_[series].min = std::min(open_[series].min, values[series]);
    open_[series].max = std::max(open_[series].max, values[series]);
  }
  if (values[kAllocatedIndex] <= open_peak_[kAllocatedIndex]) return;
  open_peak_ = values;
  open_peak_offset_ = size_;
}

void OpenChunk::CloseLeaf(const SeriesValues& values, int64_t time_ns) {
  const size_t leaf = size_ / kLeafEvents - 1;
  for (size_t series = 0; series < values.size(); ++series) extents_[series][leaf] = open_[series];
  at_peak_[leaf] = open_peak_;
  peak_offset_[leaf] = static_cast<uint16_t>(open_peak_offset_);
  at_end_[leaf] = values;
  time_at_end_[leaf] = time_ns;
  CloseParents(leaf);
}

void OpenChunk::CloseParents(size_t leaf) {
  size_t child = leaf;
  for (size_t level = 1; level < kLevels && child % kFanOut == kFanOut - 1; ++level, child /= kFanOut) {
    const size_t first = kFirstNode[level - 1] + child - (kFanOut - 1);
    const size_t node = kFirstNode[level] + child / kFanOut;
    for (auto& of_series : extents_) {
      Extent extent = of_series[first];
      for (size_t other = first + 1; other < first + kFanOut; ++other) {
        extent.min = std::min(extent.min, of_series[other].min);
        extent.max = std::max(extent.max, of_series[other].max);
      }
      of_series[node] = extent;
    }
    size_t highest = first;
    for (size_t other = first + 1; other < first + kFanOut; ++other) {
      if (at_peak_[other][kAllocatedIndex] > at_peak_[highest][kAllocatedIndex]) highest = other;
    }
    at_peak_[node] = at_peak_[highest];
    peak_offset_[node] = peak_offset_[highest];
  }
}

}  // namespace tidemark::timeline
