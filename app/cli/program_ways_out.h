// After a program ran out of memory: what of its allocator's settings would have made room. The program's own
// settings are not ours to change. Takes parts of a second; main thread only.
#pragma once

#include <string>
#include <vector>

#include "app/cli/report.h"
#include "profiler/advice/what_if.h"
#include "profiler/session/run.h"

namespace tidemark::cli {

// The settings with which all that it asked for until it ended has room, the one that reserves least first.
// Fails with a sentence where its card or its PyTorch is not known.
Result<std::vector<advice::AllocatorTrial>> FindRoom(const session::Run& run);

std::string RoomRows(const std::vector<advice::AllocatorTrial>& trials);
Json RoomJson(const std::vector<advice::AllocatorTrial>& trials);

}  // namespace tidemark::cli
