// Runs another program to its end and reads what it says. Any thread; the child gets no input.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark {

struct CommandOutcome {
  int exit_code = 0;   // 128 + N if signal N ended it
  std::string output;  // standard output, and standard error where that is asked for
};

struct CommandOptions {
  bool with_errors = false;                            // read standard error too; else it is thrown away
  std::function<void(std::string_view line)> on_line;  // as they come
  std::function<bool()> goes_on = {};  // asked five times a second; false: it is asked to end (SIGTERM)
  std::vector<std::string> environment = {};  // changes to ours: child_environment.h
};

// `words[0]` is looked up in PATH. An error is only that it cannot be started, or that how it ended was kept
// for nobody (children.h).
Result<CommandOutcome> RunCommand(const std::vector<std::string>& words, const CommandOptions& options = {});

}  // namespace tidemark
