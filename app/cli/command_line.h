// The command line: `tidemark SUBCOMMAND …`. Everything it does goes through the same session, textbook and
// trace modules as the window.
//
// Exit codes: 0 done, 1 failed (one sentence on stderr), 2 wrong usage (one sentence on stderr), 130
// interrupted.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

namespace tidemark::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitInterrupted = 130;

// Opens the window, with a recording in it if one is named, and returns the program's exit code when it
// closes.
using WindowOpener = std::function<int(const std::optional<std::filesystem::path>& recording)>;

int RunCommandLine(int argc, char** argv, const WindowOpener& open_window);

}  // namespace tidemark::cli
