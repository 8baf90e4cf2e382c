// The command line: `tidemark SUBCOMMAND …`. Everything it does goes through the same session, textbook and
// trace modules as the window.
//
// Exit codes: 0 done, 1 failed (one sentence on stderr), 2 wrong usage (one sentence on stderr), 130
// interrupted.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "profiler/lessons/session_code.h"
#include "profiler/session/run.h"

namespace tidemark::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitNoProgram = 127;  // as a shell says it
inline constexpr int kExitInterrupted = 130;

// What the window shows first; nothing = it starts a run of its own.
struct WindowContent {
  std::vector<std::filesystem::path> recordings;              // several are the ranks of one run
  std::shared_ptr<session::Run> run;                          // with a recording, the one that it follows
  std::function<bool()> closes;                               // asked now and then; true closes the window
  std::optional<lessons::SessionState> state = std::nullopt;  // to begin with
  std::function<void()> opened = {};                          // called once it is open
};

// Opens the window and returns the program's exit code when it closes.
using WindowOpener = std::function<int(const WindowContent& content)>;

int RunCommandLine(int argc, char** argv, const WindowOpener& open_window);

}  // namespace tidemark::cli
