#include "profiler/trace/importers/snapshot_start.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>

namespace tidemark::trace {
namespace {

using Action = TraceEntry::Action;

class Undoing {
  struct Ended {
    uint64_t until = 0;
    StackId stack = 0;
  };

 public:
  explicit Undoing(Objects& objects) : objects_(objects) {}

  void BeginWith(const SnapshotContents& contents) {
    for (const SnapshotSegment& segment : contents.segments) {
      segments_.Reserve({segment.address, segment.bytes, 0, segment.expandable, segment.device, segment.pool,
                         segment.stream});
      ends_[segment.address] = {timeline::EndOf(segment.address, segment.bytes), segment.stack};
    }
    for (const SnapshotBlock& block : contents.blocks) blocks_.insert_or_assign(block.address, block);
  }

  void Undo(Objects::Range trace, uint8_t device) {
    for (size_t i = trace.count; i > 0; --i) Undo(objects_.entry(trace.first + i - 1), device);
  }

  SnapshotStart Start() const {
    SnapshotStart start;
    for (const auto& [address, block] : blocks_) start.blocks.push_back(block);
    std::sort(start.blocks.begin(), start.blocks.end(),
              [](const auto& one, const auto& other) { return one.address < other.address; });
    segments_.AppendTo(start.segments);
    start.stacks.reserve(start.segments.size());
    for (const timeline::Segment& segment : start.segments) start.stacks.push_back(StackAt(segment.address));
    return start;
  }

 private:
  void Undo(TraceEntry& entry, uint8_t device) {
    switch (entry.action) {
      case Action::kAlloc:
        blocks_.erase(entry.address);
        return;
      case Action::kFreeCompleted:
        blocks_.insert_or_assign(entry.address, BlockFreedBy(entry, device, true));
        return;
      case Action::kFreeRequested:
        blocks_.try_emplace(entry.address, BlockFreedBy(entry, device, false)).first->second.pending_free =
            false;
        return;
      case Action::kSegmentAlloc:
      case Action::kSegmentMap:
        if (entry.pool == 0) entry.pool = PoolAt(entry.address);
        segments_.Release(entry.address, entry.bytes);
        ForgetStackOf(entry);
        return;
      case Action::kSegmentFree:
      case Action::kSegmentUnmap:
        segments_.Reserve({entry.address, entry.bytes, 0, entry.action == Action::kSegmentUnmap, device,
                           entry.pool, objects_.streams()[entry.stream]});
        return;
      default:
        return;
    }
  }

  // Of what lies there at the end; what began it was of the history where it is this entry. An expandable
  // segment keeps the stack of its first piece, however often that is unmapped and mapped again.
  void ForgetStackOf(const TraceEntry& entry) {
    const auto end = ends_.find(entry.address);
    if (end == ends_.end()) return;
    if (entry.action == Action::kSegmentAlloc || end->second.stack == entry.stack) ends_.erase(end);
  }

  // Of the segment of the end that covers the address; 0 where none does, or it was begun in the history.
  StackId StackAt(uint64_t address) const {
    const auto after = ends_.upper_bound(address);
    if (after == ends_.begin()) return 0;
    const Ended& end = std::prev(after)->second;
    return address < end.until ? end.stack : StackId{0};
  }

  // Of a segment that stays until the end, which tells it.
  PoolIndex PoolAt(uint64_t address) const {
    const timeline::Segment* const segment = segments_.At(address);
    return segment == nullptr ? PoolIndex{0} : segment->pool;
  }

  SnapshotBlock BlockFreedBy(const TraceEntry& entry, uint8_t device, bool pending) const {
    SnapshotBlock block;
    block.address = entry.address;
    block.requested_bytes = entry.bytes;
    block.stream = objects_.streams()[entry.stream];
    block.device = device;
    block.pending_free = pending;
    return block;
  }

  Objects& objects_;
  std::unordered_map<uint64_t, SnapshotBlock> blocks_;
  timeline::Segments segments_;
  std::map<uint64_t, Ended> ends_;  // the segments of the end that began before the history, by address
};

}  // namespace

SnapshotStart StartOf(const SnapshotContents& contents, Objects& objects, bool whole) {
  Undoing undoing(objects);
  if (whole) undoing.BeginWith(contents);
  for (size_t device = 0; device < contents.traces.size(); ++device) {
    undoing.Undo(contents.traces[device], static_cast<uint8_t>(device));
  }
  return undoing.Start();
}

}  // namespace tidemark::trace
