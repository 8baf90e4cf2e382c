#include "profiler/base/children.h"

#include <signal.h>
#include <sys/wait.h>

#include <cerrno>

namespace tidemark {
namespace {

constexpr int kSignalled = 128;

bool were_ignored = false;

}  // namespace

void HearOfChildren() {
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  struct sigaction before = {};
  sigaction(SIGCHLD, &usual, &before);
  were_ignored = before.sa_handler == SIG_IGN;
}

bool WereChildrenIgnored() { return were_ignored; }

std::optional<int> WaitStatusOf(pid_t child) {
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  return ended == child ? std::optional(status) : std::nullopt;
}

int ExitCodeOfStatus(int wait_status) {
  return WIFSIGNALED(wait_status) ? kSignalled + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace tidemark
