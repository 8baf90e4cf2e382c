#include "profiler/session/trainer_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "profiler/base/child_environment.h"
#include "profiler/base/children.h"
#include "profiler/base/format.h"
#include "profiler/phantom/environment.h"

namespace tidemark::session {
namespace {

constexpr int kChannelInChild = 3;
constexpr int kKeptForNobody = -1;  // no wait status

// What posix_spawn is to do in the child before it becomes the trainer.
class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  void Connect(int words_fd, int channel_fd) {
    posix_spawn_file_actions_adddup2(&actions_, words_fd, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, words_fd, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, channel_fd, kChannelInChild);
  }
  // Whatever this program blocks or handles, the trainer starts with nothing blocked and the usual handlers.
  void IsolateSignals() {
    sigset_t none;
    sigset_t usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGQUIT}) sigaddset(&usual, signal);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &usual);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

std::string SignalText(int signal) {
  const char* name = sigabbrev_np(signal);
  return std::to_string(signal) + (name == nullptr ? "" : std::string(" (SIG") + name + ")");
}

}  // namespace

Result<TrainerProcess> TrainerProcess::Spawn(const std::filesystem::path& executable,
                                             const std::vector<std::string>& environment, int channel_fd) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Error{std::string("The trainer cannot be started: ") + std::strerror(errno) + "."};
  }
  UniqueFd words_fd(ends[0]);
  // Clear of the numbers that the plan fills, so that no step of it overwrites what a later one needs.
  const UniqueFd child_words(fcntl(ends[1], F_DUPFD_CLOEXEC, kChannelInChild + 1));
  const UniqueFd child_channel(fcntl(channel_fd, F_DUPFD_CLOEXEC, kChannelInChild + 1));
  const int why_not = errno;
  close(ends[1]);
  if (!child_words.valid() || !child_channel.valid()) {
    return Error{std::string("The trainer cannot be started: ") + std::strerror(why_not) + "."};
  }
  fcntl(words_fd.get(), F_SETFL, O_NONBLOCK);

  SpawnPlan plan;
  plan.Connect(child_words.get(), child_channel.get());
  plan.IsolateSignals();
  std::string name = executable.string();
  std::string option = "--channel";
  std::string number = std::to_string(kChannelInChild);
  const std::array<char*, 4> arguments = {name.data(), option.data(), number.data(), nullptr};
  const ChildEnvironment entries(environment);
  pid_t pid = -1;
  const int error_number =
      posix_spawn(&pid, name.c_str(), plan.actions(), plan.attributes(), arguments.data(), entries.entries());
  if (error_number != 0) {
    return Error{"The trainer program " + name + " cannot be started: " + std::strerror(error_number) +
                 ". ./run builds it where it belongs."};
  }
  return TrainerProcess(pid, std::move(words_fd));
}

TrainerProcess::TrainerProcess(TrainerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      wait_status_(other.wait_status_),
      was_killed_(other.was_killed_),
      words_fd_(std::move(other.words_fd_)),
      line_(std::move(other.line_)),
      last_line_(std::move(other.last_line_)),
      unmodelled_function_(std::move(other.unmodelled_function_)),
      without_workspaces_(std::move(other.without_workspaces_)),
      unknown_sizes_(std::move(other.unknown_sizes_)),
      derived_sizes_(std::move(other.derived_sizes_)),
      asks_cudnn_(other.asks_cudnn_) {}

TrainerProcess::~TrainerProcess() {
  if (pid_ < 0 || HasEnded()) return;
  Kill();
  (void)WaitStatusOf(pid_);
}

bool TrainerProcess::HasEnded() {
  if (wait_status_) return true;
  int status = 0;
  const pid_t ended = waitpid(pid_, &status, WNOHANG);
  if (ended == pid_) wait_status_ = status;
  if (ended < 0 && errno == ECHILD) wait_status_ = kKeptForNobody;
  return wait_status_.has_value();
}

void TrainerProcess::Kill() {
  if (!wait_status_) was_killed_ = kill(pid_, SIGKILL) == 0;
}

void TrainerProcess::ReadWords() {
  std::array<char, 4096> piece;
  // A pipe holds 64 KiB; a child that writes without end must not keep its events waiting.
  constexpr int kPieces = 32;
  for (int i = 0; i < kPieces && words_fd_.valid(); ++i) {
    const ssize_t count = read(words_fd_.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count <= 0) {
      words_fd_.Reset();
      TakeLine(std::exchange(line_, {}));
      return;
    }
    for (const char letter : std::string_view(piece.data(), static_cast<size_t>(count))) {
      if (letter == '\n') {
        TakeLine(std::exchange(line_, {}));
      } else if (line_.size() < piece.size()) {
        line_ += letter;
      }
    }
  }
}

namespace {

// What follows a prefix, without the full stop.
std::string ReasonIn(std::string_view line, std::string_view prefix) {
  line.remove_prefix(prefix.size());
  if (line.ends_with('.')) line.remove_suffix(1);
  return std::string(line);
}

}  // namespace

void TrainerProcess::TakeLine(std::string_view line) {
  const std::string_view prefix = phantom::kUnmodelledPrefix;
  const std::string_view without = phantom::kWithoutWorkspacesPrefix;
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  // The phantom's remarks are not what a process ends over.
  if (line.starts_with(without)) {
    without_workspaces_ = ReasonIn(line, without);
    return;
  }
  if (line.starts_with(phantom::kUnknownSizePrefix)) {
    unknown_sizes_.push_back(ReasonIn(line, phantom::kUnknownSizePrefix));
    return;
  }
  if (line.starts_with(phantom::kDerivedSizePrefix)) {
    derived_sizes_.push_back(ReasonIn(line, phantom::kDerivedSizePrefix));
    return;
  }
  if (line == phantom::kAskingLine) {
    asks_cudnn_ = true;
    return;
  }
  last_line_ = line;
  if (unmodelled_function_.empty() && line.starts_with(prefix))
    unmodelled_function_ = line.substr(prefix.size());
}

std::vector<std::string> TrainerProcess::Notes() const {
  std::vector<std::string> notes;
  if (!without_workspaces_.empty())
    notes.push_back("cuDNN's workspaces are not included: " + without_workspaces_ + ".");
  for (const std::string& size : unknown_sizes_) notes.push_back("Not known, counted as 0: " + size + ".");
  for (const std::string& size : derived_sizes_) notes.push_back("Derived, not measured: " + size + ".");
  return notes;
}

std::string TrainerProcess::DescribeEnd(int64_t steps_done) const {
  TIDEMARK_CHECK(wait_status_.has_value());
  std::string text = "The trainer ";
  bool killed_from_outside = false;
  if (*wait_status_ == kKeptForNobody) {
    text += "ended, but nobody knows how (SIGCHLD is ignored),";
  } else if (was_killed_) {
    text += "fell silent without ending, and was killed for that";
  } else if (WIFSIGNALED(*wait_status_)) {
    const int signal = WTERMSIG(*wait_status_);
    killed_from_outside = signal == SIGKILL || signal == SIGTERM || signal == SIGINT;
    text += (killed_from_outside ? "was killed by signal " : "crashed with signal ") + SignalText(signal);
  } else {
    text += "ended with exit code " + std::to_string(WEXITSTATUS(*wait_status_)) + " without saying why";
  }
  text += " after " + FormatNumber(steps_done) + (steps_done == 1 ? " step. " : " steps. ");
  if (!last_line_.empty()) text += "Its last words: " + last_line_ + (last_line_.ends_with('.') ? " " : ". ");
  if (killed_from_outside) text += "If nobody did that, the machine may have run out of memory. ";
  return text + "What it reported stays in sight until the next run begins.";
}

}  // namespace tidemark::session
