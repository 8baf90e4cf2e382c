// The recorder with programs that are this one, forked: each asks for a ring as the probe would.
#include "profiler/session/program_recorder.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "profiler/capture/transport/listener.h"
#include "profiler/trace/tide.h"
#include "tests/support/catch.h"

namespace tidemark::session {
namespace {

using namespace std::string_literals;

struct RecorderFolder {
  RecorderFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tidemark-recorder-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~RecorderFolder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

// A process that allocates that often, and ends or is killed by itself.
pid_t Program(const std::string& entry, int allocations, bool is_killed) {
  const pid_t child = fork();
  if (child != 0) return child;
  auto ring = transport::AskForRing(entry.substr(entry.find('=') + 1));
  if (!ring || !ring->has_value()) _exit(3);
  for (int i = 0; i < allocations; ++i) {
    events::Event event;
    event.source = events::Source::kAllocator;
    event.address = static_cast<uint64_t>(i + 1) * 512;
    event.bytes = event.rounded_bytes = 512;
    (*ring)->Push(event);
  }
  if (is_killed) kill(getpid(), SIGKILL);
  _exit(0);
}

RecorderOptions Options(const RecorderFolder& folder) {
  RecorderOptions options;
  options.description.title = "train.py";
  options.recording = folder.path / "run.tide";
  options.ring_events = 1024;
  return options;
}

uint64_t EventsIn(const std::filesystem::path& file) {
  const auto read = trace::ReadTide(file, [](auto) {}, {});
  REQUIRE(read);
  CHECK(read->complete);
  return read->events;
}

}  // namespace

TEST_CASE("A launcher's rank names a process and its recording") {
  const std::string torchrun = "HOME=/x\0RANK=3\0WORLD_SIZE=8\0LOCAL_RANK=1\0"s;
  CHECK(RankLabel(torchrun) == "rank 3 of 8, local rank 1");
  CHECK(RankLabel("SLURM_PROCID=12\0"s) == "rank 12");
  CHECK(RankLabel("MYRANK=3\0RANK=../x\0"s).empty());
  CHECK(RankLabel("").empty());
  CHECK(RecordingOf("/a/run.tide", torchrun, 77, true) == "/a/run.rank3.tide");
  CHECK(RecordingOf("/a/run.tide", "", 77, true) == "/a/run.tide");
  CHECK(RecordingOf("run.tide", "", 77, false) == "run.77.tide");
}

TEST_CASE("Four processes at once, one of them killed: each has its own complete recording") {
  const RecorderFolder folder;
  auto recorder = ProgramRecorder::Start(Options(folder));
  REQUIRE(recorder);
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) children.push_back(Program((*recorder)->environment_entry(), 500 + i, i == 2));
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  (*recorder)->End(0);
  REQUIRE((*recorder)->processes().size() == 4);
  std::set<uint64_t> captured;
  for (const auto& process : (*recorder)->processes()) {
    CHECK(process.error.empty());
    CHECK(process.lost == 0);
    CHECK(EventsIn(*process.recording) == process.captured);
    captured.insert(process.captured);
  }
  CHECK(captured == std::set<uint64_t>{500, 501, 502, 503});
}

TEST_CASE("A process that has ended can be taken while others are recorded, once") {
  const RecorderFolder folder;
  RecorderOptions options = Options(folder);
  options.recording.reset();
  auto recorder = ProgramRecorder::Start(options);
  REQUIRE(recorder);
  for (int i = 0; i < 3; ++i) {
    const pid_t child = Program((*recorder)->environment_entry(), 100 + i, false);
    waitpid(child, nullptr, 0);
    const auto process = (*recorder)->Take(child);
    REQUIRE(process);
    CHECK(process->captured == static_cast<uint64_t>(100 + i));
    CHECK(process->view->end() == process->captured);
    CHECK_FALSE((*recorder)->Take(child).has_value());
  }
  CHECK_FALSE((*recorder)->Take(1).has_value());
  (*recorder)->End(0);
  CHECK((*recorder)->processes().empty());
}

TEST_CASE("A full ring loses events, and every one of them is counted") {
  const RecorderFolder folder;
  RecorderOptions options = Options(folder);
  options.ring_events = 64;
  auto recorder = ProgramRecorder::Start(options);
  REQUIRE(recorder);
  const pid_t child = Program((*recorder)->environment_entry(), 100'000, false);
  waitpid(child, nullptr, 0);
  (*recorder)->End(0);
  REQUIRE((*recorder)->processes().size() == 1);
  const auto& process = (*recorder)->processes()[0];
  CHECK(process.captured + process.lost == 100'000);
  CHECK(process.view->health().lost == process.lost);
}

TEST_CASE("A recording that cannot be written is told, and the program goes on unrecorded") {
  const RecorderFolder folder;
  RecorderOptions options = Options(folder);
  options.recording = folder.path / "nowhere" / "run.tide";
  auto recorder = ProgramRecorder::Start(options);
  REQUIRE(recorder);
  int status = 0;
  waitpid(Program((*recorder)->environment_entry(), 1, false), &status, 0);
  CHECK(WEXITSTATUS(status) == 3);
  (*recorder)->End(0);
  REQUIRE((*recorder)->processes().size() == 1);
  CHECK((*recorder)->processes()[0].error.find("cannot be written") != std::string::npos);
}

TEST_CASE("How the program ended is the last thing in its recording") {
  const RecorderFolder folder;
  auto recorder = ProgramRecorder::Start(Options(folder));
  REQUIRE(recorder);
  waitpid(Program((*recorder)->environment_entry(), 3, true), nullptr, 0);
  (*recorder)->End(128 + SIGKILL);
  REQUIRE((*recorder)->processes().size() == 1);
  const auto& markers = (*recorder)->processes()[0].view->markers();
  REQUIRE(markers.size() == 1);
  CHECK(markers[0].text == "The program was ended by signal 9.");
}

}  // namespace tidemark::session
