// How far the order of addresses moves what a run on the phantom reserved, with the allocator that it had.
// Any thread; replays the run, which takes seconds at most.
#pragma once

#include <optional>

#include "profiler/base/progress.h"
#include "profiler/base/result.h"
#include "profiler/events/run_description.h"
#include "profiler/session/allocator_trial.h"
#include "profiler/session/reserved_band.h"
#include "profiler/session/run.h"

namespace tidemark::cli {

// The allocator that the run had: that of its torch, where the run is of a user's program on the phantom.
Result<session::AllocatorOf> AllocatorOfRun(const events::RunDescription& description);

// Of a run that has ended. Nothing for one on a real card, whose driver had its order. `progress` (0..1) may
// return false to cancel, which is an error.
std::optional<Result<session::ReservedBand>> RecordedBand(const session::Run& run,
                                                          const Progress& progress = {});

}  // namespace tidemark::cli
