#include "profiler/capture/probe/reported_segments.h"

#include <iterator>
#include <vector>

#include "profiler/capture/cupti/driver_source.h"

namespace tidemark::capture {

using events::EventKind;

void ReportedSegments::Follow(uint64_t block, uint64_t block_bytes, int64_t reserved, uint16_t device) {
  const std::vector<cupti::Region> held = DriverRegions(block, block_bytes);
  const MutexLock lock(mutex_);
  for (const cupti::Region& region : held) {
    if (!segments_.contains(region.address)) Add(region.address, region.bytes, device);
  }
  // Where CUPTI tells all, that was it.
  const int64_t change = reserved - Reserved(device).load(std::memory_order_relaxed);
  if (change > 0 && block != 0) Grow(block, static_cast<uint64_t>(change), device);
  if (change < 0) Shrink(static_cast<uint64_t>(-change), device);
}

void ReportedSegments::Leave(uint64_t address, uint64_t bytes) {
  const MutexLock lock(mutex_);
  auto segment = segments_.lower_bound(address);
  while (segment != segments_.end() && segment->first - address < bytes) segment = Remove(segment);
}

void ReportedSegments::Add(uint64_t address, uint64_t bytes, uint16_t device) {
  segments_.emplace(address, Segment{bytes, device});
  Reserved(device).fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  listener_(EventKind::kSegmentAllocate, address, static_cast<int64_t>(bytes), device);
}

ReportedSegments::Segments::iterator ReportedSegments::Remove(Segments::iterator segment) {
  const auto [bytes, device] = segment->second;
  Reserved(device).fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  listener_(EventKind::kSegmentFree, segment->first, static_cast<int64_t>(bytes), device);
  return segments_.erase(segment);
}

// A segment that begins there, or one that does and was taken to be smaller.
void ReportedSegments::Grow(uint64_t address, uint64_t bytes, uint16_t device) {
  if (const auto known = segments_.find(address); known != segments_.end()) {
    bytes += known->second.bytes;
    Remove(known);
  }
  Add(address, bytes, device);
}

// From its highest; of the last a part may stay.
void ReportedSegments::Shrink(uint64_t bytes, uint16_t device) {
  for (auto segment = segments_.end(); segment != segments_.begin() && bytes > 0;) {
    --segment;
    if (segment->second.device != device) continue;
    const uint64_t address = segment->first;
    const uint64_t of_segment = segment->second.bytes;
    segment = Remove(segment);
    if (of_segment > bytes) return Add(address, of_segment - bytes, device);
    bytes -= of_segment;
  }
}

}  // namespace tidemark::capture
