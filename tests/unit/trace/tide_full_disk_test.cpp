// A disk that fills up while a recording is written: a limit on the size of files stands in for it, set in a
// child process.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>
#include <vector>

#include "profiler/trace/tide.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::trace {
namespace {

enum ExitCode { kAsExpected, kNoError, kNoSentence, kErrorForgotten };

// Random bytes do not pack, so each chunk is 64 KiB and a header.
ExitCode WriteUntilFull(const std::filesystem::path& file) {
  signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{300'000, 300'000};
  setrlimit(RLIMIT_FSIZE, &limit);
  TideWriter writer = std::move(*TideWriter::Create(file, {}));
  std::mt19937_64 random(1);
  for (int chunk = 0; chunk < 10; ++chunk) {
    std::vector<events::Event> events(1024);
    for (events::Event& event : events) {
      event = {.time_ns = static_cast<int64_t>(random()),
               .address = random(),
               .bytes = static_cast<int64_t>(random()),
               .rounded_bytes = static_cast<int64_t>(random()),
               .stream = random(),
               .layer = static_cast<uint32_t>(random()),
               .op = static_cast<uint32_t>(random()),
               .name = static_cast<uint32_t>(random()),
               .thread = static_cast<uint32_t>(random())};
    }
    Status status = writer.Append(events);
    if (status) status = writer.Flush();
    if (status) continue;
    if (status.error().message.find("Free some space") == std::string::npos) return kNoSentence;
    return !writer.Append(events).ok() && !writer.Close().ok() ? kAsExpected : kErrorForgotten;
  }
  return kNoError;
}

TEST_CASE("a disk that fills up ends the recording with a sentence, and what was written stays", "[tide]") {
  const Scratch scratch;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(WriteUntilFull(scratch / "run.tide"));
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == kAsExpected);
  uint64_t events = 0;
  const auto summary = ReadTide(scratch / "run.tide", [&](auto chunk) { events += chunk.size(); });
  REQUIRE(summary.ok());
  CHECK(events >= 3 * 1024);
  CHECK(events % 1024 == 0);
  CHECK_FALSE(summary->complete);
  CHECK(summary->warning.find("without its closing chunk") != std::string::npos);  // no half chunk was left
}

}  // namespace
}  // namespace tidemark::trace
