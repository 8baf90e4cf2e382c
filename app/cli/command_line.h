// The command line: `tidemark SUBCOMMAND …`. Everything it does goes through the same session, textbook and
// trace modules as the window.
#pragma once

#include "app/cli/console/window_opener.h"

namespace tidemark::cli {

// Returns the exit code (exit_codes.h). Main thread, once.
int RunCommandLine(int argc, char** argv, const WindowOpener& open_window);

}  // namespace tidemark::cli
