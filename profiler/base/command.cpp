#include "profiler/base/command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "profiler/base/child_environment.h"
#include "profiler/base/children.h"
#include "profiler/base/unique_fd.h"

namespace tidemark {
namespace {

constexpr int kAskEveryMs = 200;

// Returns when there is something to read.
void WaitForOutput(int fd, pid_t pid, const std::function<bool()>& goes_on) {
  pollfd waiting{fd, POLLIN, 0};
  bool asked_to_end = false;
  while (true) {
    if (!asked_to_end && !goes_on()) {
      asked_to_end = true;
      kill(pid, SIGTERM);
    }
    if (poll(&waiting, 1, kAskEveryMs) > 0) return;
  }
}

void ReadLines(int fd, pid_t pid, const CommandOptions& options, std::string& output) {
  std::array<char, 4096> bytes;
  size_t line_begin = 0;
  while (true) {
    if (options.goes_on) WaitForOutput(fd, pid, options.goes_on);
    const ssize_t count = read(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    output.append(bytes.data(), static_cast<size_t>(count));
    if (!options.on_line) continue;
    for (size_t end = output.find('\n', line_begin); end != std::string::npos;
         end = output.find('\n', line_begin)) {
      options.on_line(std::string_view(output).substr(line_begin, end - line_begin));
      line_begin = end + 1;
    }
  }
}

// The error number, or 0.
int Spawn(const std::vector<std::string>& words, int output_fd, const CommandOptions& options, pid_t* pid) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output_fd, STDOUT_FILENO);
  if (options.with_errors) {
    posix_spawn_file_actions_adddup2(&actions, output_fd, STDERR_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  const ChildEnvironment environment(options.environment);
  const int error =
      posix_spawnp(pid, arguments[0], &actions, nullptr, arguments.data(), environment.entries());
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

Result<CommandOutcome> RunCommand(const std::vector<std::string>& words, const CommandOptions& options) {
  int ends[2] = {};
  if (pipe2(ends, O_CLOEXEC) != 0) return Error{"No pipe can be made: " + std::string(std::strerror(errno))};
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  pid_t pid = 0;
  if (const int error = Spawn(words, writing.get(), options, &pid); error != 0) {
    return Error{words[0] + " cannot be started: " + std::strerror(error) + "."};
  }
  writing.Reset();
  CommandOutcome outcome;
  ReadLines(reading.get(), pid, options, outcome.output);
  const std::optional<int> status = WaitStatusOf(pid);
  if (!status) return Error{words[0] + " has ended, but nobody knows how: SIGCHLD is ignored."};
  outcome.exit_code = ExitCodeOfStatus(*status);
  return outcome;
}

}  // namespace tidemark
