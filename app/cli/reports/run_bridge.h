// The bridge of a recorded run: what the textbook says of the settings in force at its end, step by step to
// what was measured. Reads the networks' files; any thread.
#pragma once

#include "app/presenters/moment/bridge.h"
#include "profiler/base/result.h"
#include "profiler/session/run.h"

namespace tidemark::cli {

// An error where the run names no network, or one that cannot be read, or has no complete step.
Result<presenters::Bridge> BridgeOf(const session::Run& run);

}  // namespace tidemark::cli
