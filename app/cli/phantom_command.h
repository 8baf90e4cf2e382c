// A user's program on the phantom, for the commands that run one. Main thread only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/cli/console/window_opener.h"
#include "app/cli/programs/phantom_order.h"
#include "app/cli/programs/program_launch.h"
#include "profiler/session/program_run.h"

namespace tidemark::cli {

// What is told of it on standard error when it has ended; "" for what `tidemark phantom` tells.
using SummaryOf = std::function<std::string(const session::ProgramRun&, const ProgramLaunch&)>;

// Runs it as asked and gives its exit code. No `summary_of`: what `tidemark phantom` tells.
int RunOnPhantom(const PhantomOptions& options, const std::vector<std::string>& program,
                 const WindowOpener& open_window, const SummaryOf& summary_of);

}  // namespace tidemark::cli
