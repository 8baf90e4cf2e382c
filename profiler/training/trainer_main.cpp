// tidemark-trainer: the process that trains, started by tidemark with one end of a command channel.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "profiler/base/unique_fd.h"
#include "profiler/capture/transport/channel.h"
#include "profiler/networks/script_files.h"
#include "profiler/training/script_description.h"
#include "profiler/training/trainer_process.h"

namespace {

std::optional<int> ChannelFromArguments(int count, char** arguments) {
  if (count != 3 || std::string_view(arguments[1]) != "--channel") return std::nullopt;
  const std::string_view text = arguments[2];
  int fd = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fd);
  if (error != std::errc{} || end != text.data() + text.size() || fcntl(fd, F_GETFD) < 0) return std::nullopt;
  return fd;
}

// Dies with its parent, even where the channel's other end is inherited by somebody who lives on.
void DieWithParent() {
  const pid_t parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) std::_Exit(1);
}

}  // namespace

// `--describe FILE [SIZExSIZE…]` says what a TorchScript file is made of, as networks/script_files.h reads
// it.
[[noreturn]] void Describe(int count, char** arguments) {
  using namespace tidemark;
  // What the file itself prints is no part of the answer.
  FILE* const answer = fdopen(dup(STDOUT_FILENO), "w");
  if (answer == nullptr || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) std::_Exit(1);
  const std::string name = networks::ScriptNameWith(arguments[2], count > 3 ? arguments[3] : "");
  const Result<networks::ScriptName> script = networks::ScriptNameFromText(name);
  const Result<networks::Network> network =
      script.ok() ? training::DescribeScript(script->file.string(), script->input)
                  : Result<networks::Network>(script.error());
  const std::string text =
      network.ok() ? networks::ScriptToJson(*network) : networks::ScriptErrorToJson(network.error());
  const bool told = std::fputs(text.c_str(), answer) >= 0 && std::fflush(answer) == 0;
  std::_Exit(told ? 0 : 1);
}

int main(int count, char** arguments) {
  // A rank whose peer is gone hears of it as an error, which tells that it was the peer.
  signal(SIGPIPE, SIG_IGN);
  DieWithParent();  // before a TorchScript file is loaded, which may go on for ever
  if (count > 2 && std::string_view(arguments[1]) == "--describe") Describe(count, arguments);
  const std::optional<int> fd = ChannelFromArguments(count, arguments);
  if (!fd) {
    std::fputs(
        "tidemark-trainer is started by tidemark, which tells it what to train: run tidemark instead.\n",
        stderr);
    return 2;
  }
  fcntl(*fd, F_SETFD, FD_CLOEXEC);
  const int code =
      tidemark::training::RunTrainerProcess(tidemark::transport::Channel(tidemark::UniqueFd(*fd)));
  std::fflush(nullptr);
  std::_Exit(code);  // LibTorch's threads still run; its destructors would wait for them
}
