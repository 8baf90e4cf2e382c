// The window, for subcommands that open it: the command line knows what is to be shown, and main.cpp how.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "profiler/lessons/session_code.h"
#include "profiler/session/run.h"

namespace tidemark::cli {

// What the window shows first; nothing = it starts a run of its own.
struct WindowContent {
  std::vector<std::filesystem::path> recordings = {};         // several are the ranks of one run
  std::shared_ptr<session::Run> run = nullptr;                // with a recording, the one that it follows
  std::function<bool()> closes = {};                          // asked now and then; true closes the window
  std::optional<lessons::SessionState> state = std::nullopt;  // to begin with
  std::function<void()> opened = {};                          // called once it is open
  std::optional<float> scale = std::nullopt;                  // of all in it; none = as it was last
};

// Opens the window and returns the program's exit code when it closes.
using WindowOpener = std::function<int(const WindowContent& content)>;

}  // namespace tidemark::cli
