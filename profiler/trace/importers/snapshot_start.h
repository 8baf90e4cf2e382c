// What was alive when a recorded history began: the end of it, undone entry by entry. On the way the entries
// that begin a segment learn its pool, where only the end tells it. O(entries) expected.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/timeline/segments.h"
#include "profiler/trace/importers/objects.h"
#include "profiler/trace/importers/snapshot_contents.h"

namespace tidemark::trace {

struct SnapshotStart {
  std::vector<SnapshotBlock> blocks;        // by address; `bytes` 0 where only the request is known
  std::vector<timeline::Segment> segments;  // by address; `pool` is a PoolIndex
  std::vector<StackId> stacks;              // of each segment, where its end tells it; 0 = not known
};

// `whole`: the end is that of the history, not of a later moment that was cut off.
SnapshotStart StartOf(const SnapshotContents& contents, Objects& objects, bool whole);

}  // namespace tidemark::trace
