#include "profiler/base/children.h"

#include <signal.h>
#include <unistd.h>

#include "profiler/base/command.h"
#include "tests/support/catch.h"

namespace tidemark {
namespace {

pid_t ChildThatEndsWith(int code) {
  const pid_t child = fork();
  if (child == 0) _exit(code);
  return child;
}

TEST_CASE("How a child ends is heard of, even where who started us had that ignored") {
  signal(SIGCHLD, SIG_IGN);
  CHECK_FALSE(WaitStatusOf(ChildThatEndsWith(7)));
  CHECK_FALSE(RunCommand({"false"}));
  HearOfChildren();
  CHECK(WereChildrenIgnored());
  const std::optional<int> status = WaitStatusOf(ChildThatEndsWith(7));
  REQUIRE(status);
  CHECK(ExitCodeOfStatus(*status) == 7);
  HearOfChildren();
  CHECK_FALSE(WereChildrenIgnored());
}

}  // namespace
}  // namespace tidemark
