#include "profiler/base/process_end.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.h"

namespace tidemark {
namespace {

// A child that ends, or is killed, when it is told to.
struct Child {
  explicit Child(int exit_code) {
    REQUIRE(pipe(ends) == 0);
    pid = fork();
    if (pid != 0) return;
    char byte = 0;
    close(ends[1]);
    if (read(ends[0], &byte, 1) >= 0 && exit_code > 128) kill(getpid(), exit_code - 128);
    _exit(exit_code);
  }
  Child(const Child&) = delete;
  ~Child() {
    for (const int end : ends) close(end);
  }
  void End() {
    close(ends[1]);
    ends[1] = -1;
  }
  int ends[2] = {-1, -1};
  pid_t pid = 0;
};

bool IsReadable(int fd, int timeout_ms) {
  pollfd waiting{fd, POLLIN, 0};
  return poll(&waiting, 1, timeout_ms) == 1;
}

}  // namespace

TEST_CASE("The end of a process is seen, and how it ended as long as nobody has waited for it") {
  const int exit_code = GENERATE(0, 3, 255, 128 + SIGKILL, 128 + SIGTERM);
  Child child(exit_code);
  const std::optional<ProcessEnd> end = ProcessEnd::Of(child.pid);
  if (!end) {
    WARN("This kernel has no pidfd_open.");
    kill(child.pid, SIGKILL);
    waitpid(child.pid, nullptr, 0);
    return;
  }
  CHECK(IsOwnChild(child.pid));
  CHECK_FALSE(IsOwnChild(getppid()));
  CHECK_FALSE(IsReadable(end->fd(), 0));
  CHECK_FALSE(end->ExitCode().has_value());  // it runs
  child.End();
  REQUIRE(IsReadable(end->fd(), 10'000));
  CHECK(end->ExitCode() == exit_code);
  waitpid(child.pid, nullptr, 0);
  const std::optional<int> later = end->ExitCode();  // since Linux 6.15
  CHECK((!later.has_value() || *later == exit_code));
}

TEST_CASE("Of a process that is gone nothing is to be seen") {
  Child child(0);
  child.End();
  waitpid(child.pid, nullptr, 0);
  CHECK_FALSE(ProcessEnd::Of(child.pid).has_value());
}

}  // namespace tidemark
