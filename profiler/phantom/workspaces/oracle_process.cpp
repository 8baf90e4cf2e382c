#include "profiler/phantom/workspaces/oracle_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "profiler/base/child_environment.h"

namespace tidemark::phantom::workspaces {
namespace {

// Loading cuDNN from a cold disk takes seconds; an engine that is compiled takes 0.1 s, on a busy machine a
// few.
constexpr int kAnswerTimeoutMs = 120'000;
constexpr int kSocketInChild = 3;

// Ours, without what would put the stand-ins under cuDNN, and with the folders that it finds its libraries
// in: first the one with the driver that loads nothing.
ChildEnvironment EnvironmentOfOracle(const std::filesystem::path& executable,
                                     const std::vector<std::filesystem::path>& library_folders) {
  std::string path =
      "LD_LIBRARY_PATH=" + (executable.parent_path().parent_path() / "lib" / "cudnn-oracle").string();
  for (const std::filesystem::path& folder : library_folders) path += ":" + folder.string();
  return ChildEnvironment({path, "LD_PRELOAD"});
}

int Spawn(const std::filesystem::path& executable, const ChildEnvironment& environment, int socket,
          pid_t* pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, socket, kSocketInChild);
  std::string name = executable.string();
  std::string option = "--socket";
  std::string number = std::to_string(kSocketInChild);
  std::array<char*, 4> arguments = {name.data(), option.data(), number.data(), nullptr};
  const int error =
      posix_spawn(pid, name.c_str(), &actions, nullptr, arguments.data(), environment.entries());
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

Result<OracleProcess> OracleProcess::Start(const std::filesystem::path& executable,
                                           const std::vector<std::filesystem::path>& library_folders,
                                           const Opening& opening) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return Error{std::string("no socket can be made (") + std::strerror(errno) + ")"};
  }
  OracleProcess oracle(UniqueFd(ends[0]), getpid());
  UniqueFd near_end(ends[1]);
  // Clear of the number that the child's end gets, so that it is copied there and not left as it is.
  UniqueFd child_end(fcntl(near_end.get(), F_DUPFD_CLOEXEC, kSocketInChild + 1));
  near_end.Reset();
  pid_t pid = -1;
  const int error =
      Spawn(executable, EnvironmentOfOracle(executable, library_folders), child_end.get(), &pid);
  child_end.Reset();
  if (error != 0) {
    return Error{"the program that asks it, " + executable.string() + ", cannot be started (" +
                 std::strerror(error) + ")"};
  }
  // It goes on in a process of its own at once. Somebody else may have waited for it: then there is nothing
  // to do.
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  const Result<std::string> opened = oracle.Ask(Encode(opening));
  if (!opened) return opened.error();
  oracle.version_ = std::strtoll(opened->c_str(), nullptr, 10);
  return oracle;
}

Result<std::string> OracleProcess::Ask(const std::string& question) {
  std::optional<std::string> message;
  if (SendMessage(socket_.get(), question)) message = ReceiveMessage(socket_.get(), kAnswerTimeoutMs);
  if (!message) {
    socket_.Reset();
    return Error{"the process that asks cuDNN ended or gave no answer"};
  }
  return DecodeAnswer(*message);
}

bool OracleProcess::IsOurs() const { return socket_.valid() && owner_ == getpid(); }

}  // namespace tidemark::phantom::workspaces
