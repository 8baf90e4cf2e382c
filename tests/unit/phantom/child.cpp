#include "tests/unit/phantom/child.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "profiler/base/unique_fd.h"
#include "tests/support/catch.h"

namespace tidemark::phantom {
namespace {

// A file without a name, so that a child never waits for its reader.
UniqueFd TemporaryFile() {
  UniqueFd file(open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  REQUIRE(file.valid());
  return file;
}

std::string ReadAll(const UniqueFd& file) {
  std::string text(static_cast<size_t>(lseek(file.get(), 0, SEEK_END)), '\0');
  REQUIRE(pread(file.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  return text;
}

}  // namespace

Ended RunInChild(const std::function<void()>& work) {
  const UniqueFd output = TemporaryFile();
  const UniqueFd errors = TemporaryFile();
  std::fflush(nullptr);  // a copy has what was not written yet, and would write it, too
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(output.get(), STDOUT_FILENO);
    dup2(errors.get(), STDERR_FILENO);
    work();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadAll(output), ReadAll(errors)};
}

Ended RunProgram(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
  return RunInChild([&] {
    for (const std::string& entry : environment) putenv(const_cast<char*>(entry.c_str()));
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  });
}

}  // namespace tidemark::phantom
