// Any file that opens, for the commands that read one. Main thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/session/run.h"

namespace tidemark::cli {

// Shows how far it has read, on a terminal.
Result<std::unique_ptr<session::Run>> OpenRecording(const std::string& file);

// Why the recording is not the whole story: cut short, events lost.
std::vector<std::string> WarningsOf(const session::Run& run);

}  // namespace tidemark::cli
