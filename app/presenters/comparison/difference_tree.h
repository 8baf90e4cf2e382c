// Where in the model two runs differ, or one run at two moments: what is alive in either as one tree. Pure
// functions, any thread. O(blocks · levels + nodes · log) of both.
#pragma once

#include <optional>
#include <span>

#include "app/presenters/allocations/live_tree.h"
#include "app/presenters/comparison/state_comparison.h"
#include "profiler/base/progress.h"

namespace tidemark::presenters {

// The nodes of both trees (live_tree.h), of which two are one where they and all above them were split off by
// the same key and have the same title. Each tells its sides. Of a leaf `bytes` are those of the larger side,
// and of others at least the sum of those below: what only one side has keeps its room, and growth in one
// place does not hide that another shrank. `born` is of A. Nothing if `progress` said so.
std::optional<LiveTree> MakeDifferenceTree(const Moment& a, const Moment& b, std::span<const TreeKey> keys,
                                           const Selection& selection, const Progress& progress);

}  // namespace tidemark::presenters
