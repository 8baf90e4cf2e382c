#include "profiler/timeline/segments.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace tidemark::timeline {

uint64_t EndOf(uint64_t address, int64_t bytes) {
  const uint64_t room = std::numeric_limits<uint64_t>::max() - address;
  return address + std::min(room, static_cast<uint64_t>(std::max<int64_t>(bytes, 0)));
}

namespace {

uint64_t SegmentEnd(const Segment& segment) { return EndOf(segment.address, segment.bytes); }

Segment PartOf(const Segment& segment, uint64_t from, uint64_t until) {
  Segment part = segment;
  part.address = from;
  part.bytes = static_cast<int64_t>(until - from);
  return part;
}

bool Joins(const Segment& left, const Segment& right) {
  const bool fits = left.bytes <= std::numeric_limits<int64_t>::max() - right.bytes;
  return left.expandable && right.expandable && left.device == right.device && left.pool == right.pool &&
         left.stream == right.stream && SegmentEnd(left) == right.address && fits;
}

}  // namespace

void Segments::Insert(Segment segment) {
  if (segment.expandable) {
    auto next = segments_.lower_bound(segment.address);
    // Of one pool all have one name, which not every piece may tell.
    if (next != segments_.end() && Joins(segment, next->second)) {
      segment.bytes += next->second.bytes;
      if (segment.pool_name == 0) segment.pool_name = next->second.pool_name;
      next = segments_.erase(next);
    }
    if (next != segments_.begin() && Joins(std::prev(next)->second, segment)) {
      Segment& before = std::prev(next)->second;
      before.bytes += segment.bytes;
      if (before.pool_name == 0) before.pool_name = segment.pool_name;
      return;
    }
  }
  segments_.emplace(segment.address, segment);
}

int64_t Segments::Reserve(const Segment& segment) {
  Segment kept = segment;
  kept.bytes = static_cast<int64_t>(SegmentEnd(segment) - segment.address);
  if (kept.bytes == 0) return 0;
  const int64_t reserved_before = Release(kept.address, kept.bytes);
  Insert(kept);
  return kept.bytes - reserved_before;
}

int64_t Segments::Release(uint64_t address, int64_t bytes) {
  const uint64_t end = EndOf(address, bytes);
  int64_t removed = 0;
  auto next = segments_.lower_bound(address);
  if (next != segments_.begin() && SegmentEnd(std::prev(next)->second) > address) --next;
  while (next != segments_.end() && next->second.address < end) {
    const Segment segment = next->second;
    next = segments_.erase(next);
    const uint64_t from = std::max(segment.address, address);
    const uint64_t until = std::min(SegmentEnd(segment), end);
    removed += static_cast<int64_t>(until - from);
    if (segment.address < from) segments_.emplace(segment.address, PartOf(segment, segment.address, from));
    if (until < SegmentEnd(segment)) segments_.emplace(until, PartOf(segment, until, SegmentEnd(segment)));
  }
  return removed;
}

int64_t Segments::SizeAt(uint64_t address) const {
  const auto found = segments_.find(address);
  return found == segments_.end() ? 0 : found->second.bytes;
}

const Segment* Segments::At(uint64_t address) const {
  const auto after = segments_.upper_bound(address);
  if (after == segments_.begin()) return nullptr;
  const Segment& segment = std::prev(after)->second;
  return address < SegmentEnd(segment) ? &segment : nullptr;
}

void Segments::AppendTo(std::vector<Segment>& segments) const {
  segments.reserve(segments.size() + segments_.size());
  for (const auto& [address, segment] : segments_) segments.push_back(segment);
}

}  // namespace tidemark::timeline
