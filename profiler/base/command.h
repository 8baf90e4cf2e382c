// Runs another program and reads what it says. Any thread; the child gets no input, but as RunningCommand.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/base/unique_fd.h"

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

// What a command has said, line by line. One thread at a time.
class CommandLines {
 public:
  // The next whole line, without its end; it is valid until the next Add. Nothing where there is none yet.
  std::optional<std::string_view> Next();
  void Add(std::string_view bytes) { text_ += bytes; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  size_t line_begin_ = 0;
};

// To its end. `words[0]` is looked up in PATH. An error is only that it cannot be started, or that how it
// ended was kept for nobody (children.h).
Result<CommandOutcome> RunCommand(const std::vector<std::string>& words, const CommandOptions& options = {});

// One that is told lines and answers them. One thread at a time; it is ended with its owner.
class RunningCommand {
 public:
  // `environment` and errors as above.
  static Result<std::unique_ptr<RunningCommand>> Start(const std::vector<std::string>& words,
                                                       const std::vector<std::string>& environment);
  ~RunningCommand();
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;

  // A line of its input. Where it has ended nobody hears it; reading tells of that.
  void Tell(std::string_view line);
  // Reads lines of both its outputs while `reads_on` says so of the last one; false where there are no more.
  // `goes_on` as in CommandOptions.
  bool Read(const std::function<bool(std::string_view line)>& reads_on, const std::function<bool()>& goes_on);
  // All that it has said.
  const std::string& output() const { return lines_.text(); }

 private:
  RunningCommand(pid_t pid, UniqueFd input, UniqueFd output)
      : pid_(pid), input_(std::move(input)), output_(std::move(output)) {}

  const pid_t pid_;
  const UniqueFd input_;
  const UniqueFd output_;
  CommandLines lines_;
};

}  // namespace tidemark
