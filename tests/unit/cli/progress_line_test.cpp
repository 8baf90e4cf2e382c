#include <fcntl.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "app/cli/console/console.h"
#include "tests/support/catch.h"

namespace tidemark::cli {
namespace {

// What is told meanwhile where standard error is a file, as a log is.
std::string ToldTo(const std::function<void()>& tell) {
  std::string file = "/tmp/tidemark-told-XXXXXX";
  const int told = mkstemp(file.data());
  const int before = dup(STDERR_FILENO);
  dup2(told, STDERR_FILENO);
  tell();
  dup2(before, STDERR_FILENO);
  close(before);
  std::string text(4096, '\0');
  text.resize(static_cast<size_t>(pread(told, text.data(), text.size(), 0)));
  close(told);
  unlink(file.c_str());
  return text;
}

}  // namespace

TEST_CASE(
    "A log gets a line of progress once, however often it is shown, and the next as soon as it is another") {
  const std::string told = ToldTo([] {
    ProgressLine line(std::chrono::seconds(0));
    for (const char* text : {"waiting", "waiting", "waiting", "step 1 of 2", "step 2 of 2"}) line.Show(text);
  });
  CHECK(told == "tidemark: waiting\ntidemark: step 1 of 2\ntidemark: step 2 of 2\n");
  CHECK(ToldTo([] { ProgressLine().Show("waiting"); }).empty());
}

}  // namespace tidemark::cli
