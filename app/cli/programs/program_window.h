// A user's program, with the window beside it. Main thread only.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/console/window_opener.h"
#include "profiler/base/result.h"
#include "profiler/phantom/programs/program.h"
#include "profiler/session/run.h"

namespace tidemark::cli {

// Asks the program to end (SIGTERM), kills it where it has not ended 10 s later, and waits for what runs it.
void EndInOrder(session::Run& run, std::future<void>& running);

// Runs the program, whose end is the run's Stop(), and shows its memory meanwhile, until both have ended;
// `ended` tells of the program in between, or of why it did not begin. The program begins when the window is
// open: where it cannot be, not at all. A window that is closed ends the program in order. No `show` = no
// window. The exit code is the program's, or the window's where only that failed.
Result<int> RunBesideWindow(const std::vector<std::string>& program,
                            const std::vector<std::string>& environment, phantom::ProgramStop& stop,
                            const std::shared_ptr<session::Run>& run,
                            const std::function<void(const Result<int>&)>& ended, const WindowOpener& show);

}  // namespace tidemark::cli
