#include "profiler/session/followed_run.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "profiler/base/unique_fd.h"
#include "profiler/trace/tide.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/sample_run.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::session {
namespace {

using events::EventKind;
using trace::Scratch;

constexpr int kFollowPatienceMs = 10'000;

template <typename Condition>
bool Comes(Condition condition) {
  for (int waited = 0; waited < kFollowPatienceMs; ++waited) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

events::RunDescription Titled(const std::string& title) {
  events::RunDescription description;
  description.title = title;
  return description;
}

std::vector<events::Event> AStep(int64_t number) {
  trace::Stream stream;
  stream.Numbered(EventKind::kStepBegin, number);
  stream.Allocate(0x1000, 512, events::Category::kActivation);
  stream.Numbered(EventKind::kStepEnd, number);
  return stream.events;
}

// A recording, whole.
std::string Recorded(const Scratch& scratch, const char* title = "whole", int64_t steps = 2) {
  auto writer = trace::TideWriter::Create(scratch / "whole.tide", Titled(title));
  REQUIRE(writer.ok());
  for (int64_t step = 0; step < steps; ++step) REQUIRE(writer->Append(AStep(step)).ok());
  REQUIRE(writer->Close().ok());
  return trace::ReadFile(scratch / "whole.tide");
}

// A followed run at the reading end of a pipe, and the end to write into.
struct Piped {
  Piped() {
    std::array<int, 2> ends{};
    REQUIRE(pipe(ends.data()) == 0);
    auto opened = FollowedRun::Open("/proc/self/fd/" + std::to_string(ends[0]));
    close(ends[0]);
    into = UniqueFd(ends[1]);
    REQUIRE(opened.ok());
    run = std::move(*opened);
  }
  void Write(std::string_view bytes) const {
    REQUIRE(write(into.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }

  UniqueFd into;
  std::unique_ptr<Run> run;
};

TEST_CASE("A recording is shown as it grows, until it is closed") {
  const Scratch scratch;
  auto writer = trace::TideWriter::Create(scratch / "run.tide", Titled("first words"));
  REQUIRE(writer.ok());
  const auto run = FollowedRun::Open(scratch / "run.tide");
  REQUIRE(run.ok());
  CHECK(Comes([&] { return (*run)->description().title == "first words"; }));
  for (int64_t step = 0; step < 3; ++step) {
    REQUIRE(writer->Append(AStep(step)).ok());
    REQUIRE(writer->Flush().ok());
    CHECK(Comes([&] { return (*run)->status().steps_done == step + 1; }));
    CHECK((*run)->status().state == RunState::kRunning);
    CHECK((*run)->view()->steps().size() == static_cast<size_t>(step + 1));
  }
  REQUIRE(writer->Describe(Titled("last words")).ok());
  REQUIRE(writer->Close().ok());
  REQUIRE((*run)->WaitUntilSettled(kFollowPatienceMs));
  CHECK((*run)->description().title == "last words");
  CHECK((*run)->status().state == RunState::kFinished);
  CHECK((*run)->status().sentence.empty());
  CHECK_FALSE((*run)->status().cut_off);
}

TEST_CASE("A recording that is not there yet is waited for, with a sentence") {
  const Scratch scratch;
  const auto run = FollowedRun::Open(scratch / "run.tide");
  REQUIRE(run.ok());
  CHECK(Comes(
      [&] { return (*run)->status().sentence.find("run.tide is not there yet") != std::string::npos; }));
  CHECK((*run)->status().state == RunState::kStarting);
  CHECK_FALSE((*run)->has_file());
  CHECK_FALSE((*run)->recording());
  auto writer = trace::TideWriter::Create(scratch / "run.tide", Titled("come"));
  REQUIRE(writer.ok());
  CHECK(Comes([&] { return (*run)->description().title == "come"; }));
  CHECK((*run)->status().sentence.empty());
  CHECK((*run)->has_file());
  CHECK((*run)->recording() == scratch / "run.tide");
  REQUIRE(writer->Append(AStep(0)).ok());
  REQUIRE(writer->Close().ok());
  REQUIRE((*run)->WaitUntilSettled(kFollowPatienceMs));
  CHECK((*run)->status().steps_done == 1);
  CHECK((*run)->status().sentence.empty());
}

TEST_CASE("Waiting for a recording ends when nobody wants it any more") {
  const Scratch scratch;
  const auto run = FollowedRun::Open(scratch / "run.tide");
  REQUIRE(run.ok());
  (*run)->Stop();
  REQUIRE((*run)->WaitUntilSettled(kFollowPatienceMs));
  CHECK((*run)->status().state == RunState::kFinished);
  CHECK((*run)->status().sentence.empty());
}

TEST_CASE("A recorder that dies is told, and what is written after all is shown") {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "run.tide";
  std::optional<trace::TideWriter> writer = std::move(*trace::TideWriter::Create(file, Titled("dies")));
  REQUIRE(writer->Append(AStep(0)).ok());
  REQUIRE(writer->Flush().ok());
  const auto run = FollowedRun::Open(file);
  REQUIRE(run.ok());
  CHECK(Comes([&] { return (*run)->status().steps_done == 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  CHECK((*run)->status().sentence.empty());  // it is quiet, and goes on
  writer.reset();                            // as a kill leaves it
  CHECK(Comes([&] { return (*run)->status().sentence.find("may have been killed") != std::string::npos; }));
  CHECK((*run)->status().state == RunState::kRunning);
  const std::string begun = trace::ReadFile(file);
  const std::string whole = Recorded(scratch, "dies", 1);
  REQUIRE(whole.starts_with(begun));
  std::ofstream(file, std::ios::binary | std::ios::app) << whole.substr(begun.size());
  REQUIRE((*run)->WaitUntilSettled(kFollowPatienceMs));
  CHECK((*run)->status().sentence.empty());
  CHECK_FALSE((*run)->status().cut_off);
}

TEST_CASE("A recording that is begun anew under who follows it is told") {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "run.tide";
  trace::WriteFile(file, Recorded(scratch).substr(0, Recorded(scratch).size() - 48));
  const auto run = FollowedRun::Open(file);
  REQUIRE(run.ok());
  CHECK(Comes([&] { return (*run)->status().steps_done == 2; }));
  const auto writer = trace::TideWriter::Create(file, Titled("another"));
  REQUIRE(writer.ok());
  REQUIRE((*run)->WaitUntilSettled(kFollowPatienceMs));
  CHECK((*run)->status().sentence.find("begun anew (open it again). The ") != std::string::npos);
  CHECK((*run)->status().cut_off);
}

TEST_CASE("Following ends when it is asked to, and without a word about it") {
  const Scratch scratch;
  auto writer = trace::TideWriter::Create(scratch / "run.tide", Titled("goes on"));
  REQUIRE(writer.ok());
  const auto run = FollowedRun::Open(scratch / "run.tide");
  REQUIRE(run.ok());
  CHECK_FALSE((*run)->WaitUntilSettled(50));
  (*run)->Stop();
  REQUIRE((*run)->WaitUntilSettled(kFollowPatienceMs));
  CHECK((*run)->status().state == RunState::kFinished);
  CHECK((*run)->status().sentence.empty());
  CHECK((*run)->status().cut_off);
}

TEST_CASE("Following ends when it is asked to before anything came, and between two chunks") {
  const Scratch scratch;
  const Piped piped;
  const bool is_described = GENERATE(false, true);
  if (is_described) piped.Write(Recorded(scratch).substr(0, 600));
  piped.run->Stop();
  CHECK(piped.run->WaitUntilSettled(kFollowPatienceMs));
  CHECK(piped.run->status().state == RunState::kFinished);
  CHECK(piped.run->status().sentence.empty());
}

TEST_CASE("What comes through a pipe byte by byte is whole, and a pipe that ends early is told") {
  const Scratch scratch;
  const std::string bytes = Recorded(scratch);
  const size_t cut = GENERATE(size_t{0}, size_t{20});  // bytes that never come
  Piped piped;
  for (const char byte : bytes.substr(0, bytes.size() - cut)) piped.Write({&byte, 1});
  CHECK(Comes([&] { return piped.run->status().steps_done == 2; }));
  piped.into = UniqueFd();
  REQUIRE(piped.run->WaitUntilSettled(kFollowPatienceMs));
  CHECK(piped.run->status().state == RunState::kFinished);
  CHECK(piped.run->status().cut_off == (cut > 0));
  CHECK(piped.run->status().sentence.empty() == (cut == 0));
  CHECK(piped.run->view()->steps().size() == 2);
}

TEST_CASE("A run that begins anew is counted anew, as it is where it runs") {
  const Scratch scratch;
  auto writer = trace::TideWriter::Create(scratch / "run.tide", Titled("begins twice"));
  REQUIRE(writer.ok());
  for (const int64_t step : {0, 1, 2}) REQUIRE(writer->Append(AStep(step)).ok());
  trace::Stream again;
  again.Numbered(EventKind::kStepBegin, 0);
  REQUIRE(writer->Append(again.events).ok());
  REQUIRE(writer->Close().ok());
  const auto run = FollowedRun::Open(scratch / "run.tide");
  REQUIRE(run.ok());
  REQUIRE((*run)->WaitUntilSettled(kFollowPatienceMs));
  CHECK((*run)->status().steps_done == 0);
}

TEST_CASE("What is no recording is told, and what cannot come is refused") {
  const Scratch scratch;
  trace::WriteFile(scratch / "other.tide", "no tide yet");
  const auto run = FollowedRun::Open(scratch / "other.tide");
  REQUIRE(run.ok());
  REQUIRE((*run)->WaitUntilSettled(kFollowPatienceMs));
  CHECK((*run)->status().state == RunState::kFailed);
  CHECK((*run)->status().sentence.find("is no Tidemark recording") != std::string::npos);
  const auto missing = FollowedRun::Open(scratch / "no folder" / "missing.tide");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().message.find("cannot be opened") != std::string::npos);
}

}  // namespace
}  // namespace tidemark::session
