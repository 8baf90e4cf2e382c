#include "profiler/base/command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "profiler/base/child_environment.h"
#include "profiler/base/children.h"

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

// Until `reads_on` says no of a line, or the output ends, which is false.
bool ReadLines(int fd, pid_t pid, const std::function<bool(std::string_view)>& reads_on,
               const std::function<bool()>& goes_on, CommandLines& lines) {
  std::array<char, 4096> bytes;
  while (true) {
    while (const std::optional<std::string_view> line = lines.Next()) {
      if (!reads_on(*line)) return true;
    }
    if (goes_on) WaitForOutput(fd, pid, goes_on);
    const ssize_t count = read(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    lines.Add({bytes.data(), static_cast<size_t>(count)});
  }
}

struct Streams {
  int input = -1;  // -1: none
  int output = -1;
  bool with_errors = false;
};

// The error number, or 0.
int Spawn(const std::vector<std::string>& words, const Streams& streams,
          const std::vector<std::string>& changes, pid_t* pid) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (streams.input >= 0) {
    posix_spawn_file_actions_adddup2(&actions, streams.input, STDIN_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  posix_spawn_file_actions_adddup2(&actions, streams.output, STDOUT_FILENO);
  if (streams.with_errors) {
    posix_spawn_file_actions_adddup2(&actions, streams.output, STDERR_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  const ChildEnvironment environment(changes);
  const int error =
      posix_spawnp(pid, arguments[0], &actions, nullptr, arguments.data(), environment.entries());
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Its process, and the end of the pipe on which its output comes.
struct Started {
  pid_t pid = 0;
  UniqueFd output;
};

Result<Started> Start(const std::vector<std::string>& words, int input, bool with_errors,
                      const std::vector<std::string>& environment) {
  int ends[2] = {};
  if (pipe2(ends, O_CLOEXEC) != 0) return Error{"No pipe can be made: " + std::string(std::strerror(errno))};
  Started started{0, UniqueFd(ends[0])};
  const UniqueFd writing(ends[1]);
  const Streams streams{input, writing.get(), with_errors};
  if (const int error = Spawn(words, streams, environment, &started.pid); error != 0)
    return Error{words[0] + " cannot be started: " + std::strerror(error) + "."};
  return started;
}

}  // namespace

std::optional<std::string_view> CommandLines::Next() {
  const size_t end = text_.find('\n', line_begin_);
  if (end == std::string::npos) return std::nullopt;
  const std::string_view line = std::string_view(text_).substr(line_begin_, end - line_begin_);
  line_begin_ = end + 1;
  return line;
}

Result<CommandOutcome> RunCommand(const std::vector<std::string>& words, const CommandOptions& options) {
  const Result<Started> started = Start(words, -1, options.with_errors, options.environment);
  if (!started) return started.error();
  CommandLines lines;
  const auto tell = [&](std::string_view line) {
    if (options.on_line) options.on_line(line);
    return true;
  };
  ReadLines(started->output.get(), started->pid, tell, options.goes_on, lines);
  const std::optional<int> status = WaitStatusOf(started->pid);
  if (!status) return Error{words[0] + " has ended, but nobody knows how: SIGCHLD is ignored."};
  return CommandOutcome{ExitCodeOfStatus(*status), lines.text()};
}

Result<std::unique_ptr<RunningCommand>> RunningCommand::Start(const std::vector<std::string>& words,
                                                              const std::vector<std::string>& environment) {
  int ends[2] = {};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Error{"No socket can be made: " + std::string(std::strerror(errno))};
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  Result<Started> started = tidemark::Start(words, theirs.get(), /*with_errors=*/true, environment);
  if (!started) return started.error();
  return std::unique_ptr<RunningCommand>(
      new RunningCommand(started->pid, std::move(ours), std::move(started->output)));
}

RunningCommand::~RunningCommand() {
  kill(pid_, SIGTERM);
  WaitStatusOf(pid_);
}

void RunningCommand::Tell(std::string_view line) {
  const std::string text = std::string(line) + "\n";
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t count = send(input_.get(), left.data(), left.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return;
    left.remove_prefix(static_cast<size_t>(count));
  }
}

bool RunningCommand::Read(const std::function<bool(std::string_view line)>& reads_on,
                          const std::function<bool()>& goes_on) {
  return ReadLines(output_.get(), pid_, reads_on, goes_on, lines_);
}

}  // namespace tidemark
