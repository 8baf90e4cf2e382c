// What was alive when a recorded history began: the end of it, undone entry by entry. On the way the entries
// that begin a segment learn its pool, where only the end tells it. O(entries) expected.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "profiler/timeline/segments.h"
#include "profiler/trace/importers/objects.h"
#include "profiler/trace/importers/snapshot_contents.h"

namespace tidemark::trace {

struct SnapshotStart {
  std::vector<SnapshotBlock> blocks;        // by address; `bytes` 0 where only the request is known
  std::vector<timeline::Segment> segments;  // by address; `pool` is a PoolIndex
  std::map<uint64_t, StackId> stacks;       // by address, of those segments that are there until the end
};

// `whole`: the end is that of the history, not of a later moment that was cut off.
SnapshotStart StartOf(const SnapshotContents& contents, Objects& objects, bool whole);

}  // namespace tidemark::trace
