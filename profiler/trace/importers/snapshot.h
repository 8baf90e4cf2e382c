// PyTorch memory snapshots as events: what was alive before the recorded history began (worked out backwards
// from what the snapshot found at its end), then the history, in order. Blocks get the sizes that the
// allocator gave them (block_sizes.h); annotations become steps, the optimizer's phase and scopes.
#pragma once

#include <string>

#include "profiler/base/progress.h"
#include "profiler/base/result.h"
#include "profiler/trace/importers/event_writer.h"
#include "profiler/trace/importers/objects.h"
#include "profiler/trace/importers/pickle.h"
#include "profiler/trace/tide.h"

namespace tidemark::trace {

// `read`: what a reader made of a file. Empties `objects`' entries on the way. O(entries · log blocks).
Result<TideSummary> ImportSnapshot(const ReadObjects& read, Objects& objects, const std::string& file_name,
                                   const AcceptEvents& accept, const Progress& progress);

}  // namespace tidemark::trace
