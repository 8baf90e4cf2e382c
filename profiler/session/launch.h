// What it takes to start a trainer for a device: the program, its environment, and a description to begin
// with. Everything that can be found wrong before a process exists is found here, with a sentence.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/events/run_description.h"
#include "profiler/session/run.h"

namespace tidemark::session {

struct Launch {
  std::filesystem::path executable;
  std::vector<std::string> environment;  // "NAME=value", in addition to our own
  events::RunDescription description;    // until the trainer sends its own
};

Result<Launch> PrepareLaunch(const LiveOptions& options);

}  // namespace tidemark::session
