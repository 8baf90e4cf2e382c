// A disk that fills up while a recording or an export is written: a limit on the size of files stands in for
// it, set in a child process.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>
#include <vector>

#include "profiler/trace/exporters/export.h"
#include "profiler/trace/tide.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/sample_run.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::trace {
namespace {

enum ExitCode { kAsExpected, kNoError, kNoSentence, kErrorForgotten };

void LimitFiles(rlim_t bytes) {
  signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

// Random bytes do not pack, so each chunk is 64 KiB and a header.
ExitCode WriteUntilFull(const std::filesystem::path& file) {
  LimitFiles(300'000);
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

ExitCode ExportUntilFull(const timeline::View& view, ExportFormat format, const std::filesystem::path& file) {
  LimitFiles(50'000);
  const Status status = Export(view, {}, format, file);
  if (status) return kNoError;
  const std::string& sentence = status.error().message;
  return sentence.find(file.string()) == 0 && sentence.find("Free some space") != std::string::npos
             ? kAsExpected
             : kNoSentence;
}

TEST_CASE("a disk that fills up ends an export with a sentence, and leaves nothing of it", "[export]") {
  const auto format = GENERATE(ExportFormat::kChrome, ExportFormat::kCsv, ExportFormat::kPickle,
                               ExportFormat::kPerfetto, ExportFormat::kSqlite);
  Stream run;
  for (uint64_t i = 0; i < 2000; ++i) run.Allocate((i + 1) << 20, 1000, events::Category::kActivation);
  const auto view = run.View();
  const Scratch scratch;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(ExportUntilFull(*view, format, scratch / "out"));
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == kAsExpected);
  CHECK(scratch.FileCount() == 0);
}

}  // namespace
}  // namespace tidemark::trace
