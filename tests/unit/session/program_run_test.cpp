// Programs made up by the test: threads that ask for the ring as a recorder in a program does.
#include "profiler/session/program_run.h"

#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "profiler/session/program_recorder.h"
#include "profiler/session/steady_state.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::session {
namespace {

using events::Event;
using events::EventKind;

std::string SocketOf(const ProgramRecorder& recorder) {
  const std::string& entry = recorder.environment_entry();
  return entry.substr(entry.find('=') + 1);
}

std::optional<transport::RingWriter> Ask(const ProgramRecorder& recorder) {
  Result<std::optional<transport::RingWriter>> ring = transport::AskForRing(SocketOf(recorder));
  REQUIRE(ring.ok());
  return std::move(*ring);
}

void Push(transport::RingWriter& ring, EventKind kind, uint64_t address, int64_t bytes) {
  Event event;
  event.time_ns = 1;
  event.kind = kind;
  event.source = events::Source::kAllocator;
  event.address = address;
  event.bytes = bytes;
  event.rounded_bytes = bytes;
  REQUIRE(ring.Push(event));
}

std::unique_ptr<ProgramRecorder> Start(RecorderOptions options) {
  options.first_only = true;
  Result<std::unique_ptr<ProgramRecorder>> recorder = ProgramRecorder::Start(options);
  REQUIRE(recorder.ok());
  return std::move(*recorder);
}

TEST_CASE("A program's events are seen, and recorded, though it ends without a word") {
  const trace::Scratch scratch;
  RecorderOptions options;
  options.description.title = "train.py on phantom";
  options.recording = scratch / "run.tide";
  const std::unique_ptr<ProgramRecorder> recorder = Start(options);
  const std::shared_ptr<ProgramRun> run = recorder->first();
  CHECK(run->status().state == RunState::kStarting);
  {
    std::optional<transport::RingWriter> ring = Ask(*recorder);
    REQUIRE(ring.has_value());
    Push(*ring, EventKind::kAllocate, 512, 100);
    Push(*ring, EventKind::kAllocate, 1024, 50);
    Push(*ring, EventKind::kFreeCompleted, 512, 100);
  }
  CHECK_FALSE(run->WaitUntilSettled(0));
  recorder->End(0);
  CHECK(run->status().state == RunState::kFinished);
  CHECK(run->status().captured == 3);
  CHECK(LargestSince(*run->view()).allocated_peak_bytes == 150);
  CHECK(LargestSince(*run->view(), 2).allocated_peak_bytes == 50);

  const Result<std::unique_ptr<Run>> opened = Run::Open(scratch / "run.tide");
  REQUIRE(opened.ok());
  CHECK((*opened)->description().title == "train.py on phantom");
  CHECK((*opened)->description().process_id == getpid());
  CHECK(LargestSince(*(*opened)->view()).requested_peak_bytes == 150);
}

TEST_CASE("One process of a program is recorded, the others are counted") {
  const std::unique_ptr<ProgramRecorder> recorder = Start({});
  const std::shared_ptr<ProgramRun> run = recorder->first();
  std::optional<transport::RingWriter> first = Ask(*recorder);
  REQUIRE(first.has_value());
  CHECK_FALSE(Ask(*recorder).has_value());
  Push(*first, EventKind::kAllocate, 512, 100);
  CHECK_FALSE(Ask(*recorder).has_value());
  recorder->End(0);
  CHECK(recorder->unrecorded_processes() == 2);
  CHECK(run->status().captured == 1);
}

// Whether a rank of two, of which each has a GPU of its own, is recorded.
bool AskAsRank(const ProgramRecorder& recorder, const char* rank, bool tells_world = true) {
  for (const char* const name : {"RANK", "LOCAL_RANK"}) setenv(name, rank, 1);
  if (tells_world) setenv("WORLD_SIZE", "2", 1);
  const bool is_recorded = Ask(recorder).has_value();
  for (const char* const name : {"RANK", "LOCAL_RANK", "WORLD_SIZE"}) unsetenv(name);
  return is_recorded;
}

TEST_CASE("Of ranks that a launcher starts the first of its machine is recorded, whichever asks first") {
  RecorderOptions options;
  options.local_rank_0_only = true;
  const std::unique_ptr<ProgramRecorder> recorder = Start(options);
  CHECK_FALSE(AskAsRank(*recorder, "1"));
  CHECK_FALSE(AskAsRank(*recorder, "1"));  // what it started
  CHECK(AskAsRank(*recorder, "0"));
  CHECK_FALSE(AskAsRank(*recorder, "0"));
  CHECK_FALSE(Ask(*recorder).has_value());
  recorder->End(0);
  CHECK(recorder->unrecorded_processes() == 4);
  CHECK(recorder->unrecorded_beside_ranks() == 2);
  const std::vector<std::string> notes = recorder->first()->description().notes;
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] ==
        "All figures are of one rank, the first of this machine: 1 other used a GPU of its own and may need "
        "more. tidemark phantom --world 2 --rank R -- … tells of rank R.");
}

TEST_CASE("Where nobody tells how many ranks there are, no command is told that would need it") {
  RecorderOptions options;
  options.local_rank_0_only = true;
  const std::unique_ptr<ProgramRecorder> recorder = Start(options);
  CHECK(AskAsRank(*recorder, "0", false));
  CHECK_FALSE(AskAsRank(*recorder, "1", false));
  recorder->End(0);
  CHECK(recorder->unrecorded_beside_ranks() == 0);
  const std::vector<std::string> notes = recorder->first()->description().notes;
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] ==
        "All figures are of one rank, the first of this machine: 1 other used a GPU of its own and may need "
        "more.");
}

TEST_CASE("How a program ended is in its status and its stream") {
  const std::unique_ptr<ProgramRecorder> failed_recorder = Start({});
  const std::shared_ptr<ProgramRun> failed = failed_recorder->first();
  failed_recorder->End(3);
  CHECK(failed->status().state == RunState::kFailed);
  CHECK(failed->status().sentence == "The program ended with exit code 3.");
  REQUIRE(failed->view()->markers().size() == 1);
  const std::unique_ptr<ProgramRecorder> killed_recorder = Start({});
  const std::shared_ptr<ProgramRun> killed = killed_recorder->first();
  killed_recorder->End(128 + 9);
  CHECK(killed->status().state == RunState::kDied);
  CHECK(killed->status().sentence == "The program was ended by signal 9.");
}

TEST_CASE("How a program ended and what to doubt is kept in its recording") {
  const trace::Scratch scratch;
  RecorderOptions options;
  options.recording = scratch / "run.tide";
  options.description.command = "python train.py";
  const std::unique_ptr<ProgramRecorder> recorder = Start(options);
  const std::shared_ptr<ProgramRun> run = recorder->first();
  recorder->End(1, {"One doubt.", "Another."});
  CHECK(run->description().notes.size() == 2);
  const Result<std::unique_ptr<Run>> opened = Run::Open(scratch / "run.tide");
  REQUIRE(opened.ok());
  const events::RunDescription description = (*opened)->description();
  CHECK(description.command == "python train.py");
  CHECK(description.ending == "The program ended with exit code 1.");
  CHECK(description.notes == std::vector<std::string>{"One doubt.", "Another."});
}

TEST_CASE("A recording that its disk has no room to end is told") {
  const trace::Scratch scratch;
  const auto error_with_room_for = [&](rlim_t bytes) {
    RecorderOptions options;
    options.recording = scratch / "run.tide";
    const std::unique_ptr<ProgramRecorder> recorder = Start(options);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit limit{std::min(bytes, before.rlim_max), before.rlim_max};
    const auto signal_before = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    recorder->End(0);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, signal_before);
    return recorder->first()->status().recording_error;
  };
  CHECK(error_with_room_for(RLIM_INFINITY).empty());
  const auto whole = std::filesystem::file_size(scratch / "run.tide");
  std::filesystem::remove(scratch / "run.tide");  // of a program that never asks one from before would stay
  CHECK(error_with_room_for(whole - 1).find("Free some space") != std::string::npos);
}

TEST_CASE("An earlier recording stays until the program asks, and where it never does") {
  const trace::Scratch scratch;
  trace::WriteFile(scratch / "run.tide", "earlier");
  RecorderOptions options;
  options.recording = scratch / "run.tide";
  {
    const std::unique_ptr<ProgramRecorder> recorder = Start(options);
    recorder->End(1);
    CHECK_FALSE(recorder->first()->has_file());
  }
  CHECK(trace::ReadFile(scratch / "run.tide") == "earlier");
  const std::unique_ptr<ProgramRecorder> recorder = Start(options);
  CHECK(trace::ReadFile(scratch / "run.tide") == "earlier");
  std::optional<transport::RingWriter> ring = Ask(*recorder);
  REQUIRE(ring.has_value());
  Push(*ring, EventKind::kAllocate, 512, 100);
  recorder->End(0);
  CHECK(recorder->first()->has_file());
  CHECK(Run::Open(scratch / "run.tide").ok());
}

TEST_CASE("A recording that could be created only until the program asked is told, and the run is seen") {
  const trace::Scratch scratch;
  std::filesystem::create_directory(scratch / "runs");
  RecorderOptions options;
  options.recording = scratch / "runs/run.tide";
  const std::unique_ptr<ProgramRecorder> recorder = Start(options);
  std::filesystem::remove(scratch / "runs");
  std::optional<transport::RingWriter> ring = Ask(*recorder);
  REQUIRE(ring.has_value());
  Push(*ring, EventKind::kAllocate, 512, 100);
  recorder->End(0);
  CHECK(recorder->first()->status().captured == 1);
  CHECK(recorder->first()->status().recording_error.find("cannot be written") != std::string::npos);
}

TEST_CASE("A recording that cannot be created is said before the program starts") {
  RecorderOptions options;
  options.recording = "/no/such/folder/run.tide";
  options.first_only = true;
  CHECK_FALSE(ProgramRecorder::Start(options).ok());
}

}  // namespace
}  // namespace tidemark::session
