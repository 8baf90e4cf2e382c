#include "profiler/session/run.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "profiler/base/paths.h"
#include "tests/support/catch.h"
#include "tests/unit/session/fake_trainer.h"
#include "tests/unit/session/start_run.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::session {
namespace {

constexpr int kPatienceMs = 20'000;

LiveOptions Options(FakeBehaviour behaviour) {
  LiveOptions options;
  options.settings.accumulate = 1 + behaviour;
  options.device.kind = networks::DeviceKind::kCpu;
  options.trainer_executable = ExecutableFolder() / "fake_trainer";
  return options;
}

bool IsGone(pid_t pid) { return kill(pid, 0) != 0; }

std::vector<events::Event> EventsOf(const timeline::View& view) {
  std::vector<events::Event> events;
  for (auto index = view.first(); index < view.end(); ++index) events.push_back(view.event(index));
  return events;
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a run up to its step limit: everything is in the view when it is settled", "[run]") {
  LiveOptions options = Options(kObeys);
  options.step_limit = 10;
  const auto run = StartOrFail(options);
  REQUIRE(run->WaitUntilSettled(kPatienceMs));
  const RunStatus status = run->status();
  CHECK(status.state == RunState::kPaused);
  CHECK(status.steps_done == 10);
  CHECK(status.lost == 0);
  CHECK(run->live());
  CHECK(run->view()->steps().size() == 10);
  CHECK(run->view()->steps()[9].complete);
  CHECK(run->view()->end() == status.captured);
  CHECK(run->description().device_name == "Fake Device");
  CHECK(run->description().title == "fake");

  SECTION("a higher limit goes on") {
    REQUIRE(run->SetStepLimit(25));
    REQUIRE(run->WaitUntilSettled(kPatienceMs));
    CHECK(run->status().steps_done == 25);
  }
  SECTION("a restart counts from 0 again, to the same limit") {
    REQUIRE(run->Restart(options.settings));
    REQUIRE(run->WaitUntilSettled(kPatienceMs));
    CHECK(run->status().steps_done == 10);
    CHECK(run->view()->steps().size() == 20);
  }
  SECTION("a stop ends it, and it takes no more commands") {
    run->Stop();
    REQUIRE(run->WaitUntilSettled(kPatienceMs));  // for its end now, not at the limit where it stands
    CHECK(run->status().state == RunState::kFinished);
    CHECK(run->status().sentence.empty());
    CHECK_FALSE(run->live());
    CHECK_FALSE(run->Change(options.settings));
    CHECK_FALSE(run->SetMode(transport::RunMode::kRun));
    CHECK(run->view()->steps().size() == 10);
  }
}

TEST_CASE("a paused start takes no step until it is told to", "[run]") {
  LiveOptions options = Options(kObeys);
  options.start_paused = true;
  const auto run = StartOrFail(options);
  REQUIRE(Eventually(kPatienceMs, [&] { return run->status().state == RunState::kPaused; }));
  CHECK(run->view()->steps().empty());
  CHECK_FALSE(run->WaitUntilSettled(10));
  REQUIRE(run->SetMode(transport::RunMode::kRun));
  REQUIRE(Eventually(kPatienceMs, [&] { return run->status().steps_done > 5; }));
}

TEST_CASE("a change while it runs appears as a marker", "[run]") {
  LiveOptions options = Options(kObeys);
  const auto run = StartOrFail(options);
  REQUIRE(Eventually(kPatienceMs, [&] { return run->status().steps_done > 5; }));
  options.settings.batch = 128;
  REQUIRE(run->Change(options.settings));
  REQUIRE(Eventually(kPatienceMs, [&] { return run->view()->markers().size() == 2; }));
  CHECK(run->view()->markers()[1].text == "batch 128");
}

TEST_CASE("a trainer that ends badly is explained, and its events are kept", "[run]") {
  struct Case {
    FakeBehaviour behaviour;
    RunState state;
    bool out_of_memory;
    size_t steps;
    std::vector<std::string> parts;
  };
  const Case each = GENERATE(
      Case{kAborts,
           RunState::kDied,
           false,
           3,
           {"signal 6 (SIGABRT)", "3 steps", "terminate called: something broke"}},
      Case{kExitsQuietly, RunState::kDied, false, 1, {"exit code 3", "1 step."}},
      Case{kRunsOutOfMemory, RunState::kFailed, true, 1, {"CUDA out of memory."}},
      Case{kMeetsUnmodelled, RunState::kFailed, false, 1, {"cudaFancy(1, 2)", "does not know"}},
      Case{kTalksNonsense, RunState::kFailed, false, 0, {"hello", "same build"}},
      Case{kNeverStarts, RunState::kDied, false, 0, {"exit code 127", "cannot load libwhatever.so"}});
  const trace::Scratch scratch;
  LiveOptions options = Options(each.behaviour);
  options.recording = scratch / "run.tide";
  const auto run = StartOrFail(options);
  REQUIRE(run->WaitUntilSettled(kPatienceMs));
  const RunStatus status = run->status();
  CHECK(status.state == each.state);
  CHECK(status.out_of_memory == each.out_of_memory);
  INFO(status.sentence);
  for (const std::string& part : each.parts) CHECK(Contains(status.sentence, part));
  CHECK_FALSE(run->live());
  const auto view = run->view();
  CHECK(view->steps().size() == each.steps);
  REQUIRE_FALSE(view->markers().empty());
  CHECK(view->markers().back().text == status.sentence);

  const auto recorded = Run::Open(*options.recording);
  REQUIRE(recorded.ok());
  CHECK((*recorded)->status().sentence.empty());
  CHECK(EventsOf(*(*recorded)->view()) == EventsOf(*view));
  CHECK((*recorded)->description().title == run->description().title);
}

TEST_CASE("kill -9 at any moment: said, everything published is kept, the recording is whole", "[run]") {
  const trace::Scratch scratch;
  const int delay_ms = GENERATE(0, 1, 5, 20, 60, 130, 300);
  LiveOptions options = Options(delay_ms % 2 == 0 ? kFloods : kObeys);
  options.recording = scratch / "run.tide";
  const auto run = StartOrFail(options);
  REQUIRE(Eventually(kPatienceMs, [&] { return run->description().process_id != 0; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
  REQUIRE(kill(run->description().process_id, SIGKILL) == 0);
  REQUIRE(run->WaitUntilSettled(kPatienceMs));
  const RunStatus status = run->status();
  CHECK(status.state == RunState::kDied);
  CHECK(Contains(status.sentence, "killed by signal 9 (SIGKILL)"));
  CHECK(IsGone(run->description().process_id));
  const auto view = run->view();
  CHECK(view->health().lost == status.lost);
  CHECK(view->health().malformed == 0);
  const auto recorded = Run::Open(*options.recording);
  REQUIRE(recorded.ok());
  CHECK((*recorded)->status().sentence.empty());
  CHECK((*recorded)->view()->end() == view->end());
  CHECK((*recorded)->status().captured > status.captured);  // the session's own marker, and losses
}

TEST_CASE("a producer that floods the ring: what is lost is counted in status, view and stream alike",
          "[run]") {
  const auto run = StartOrFail(Options(kFloods));
  REQUIRE(Eventually(kPatienceMs, [&] { return run->status().captured > 300'000; }));
  kill(run->description().process_id, SIGKILL);
  REQUIRE(run->WaitUntilSettled(kPatienceMs));
  uint64_t lost_in_stream = 0;
  for (const events::Event& event : EventsOf(*run->view())) {
    if (event.kind == events::EventKind::kLoss) lost_in_stream += static_cast<uint64_t>(event.bytes);
  }
  CHECK(lost_in_stream == run->status().lost);
}

TEST_CASE("letting a run go never leaves its trainer behind", "[run]") {
  const FakeBehaviour behaviour = GENERATE(kObeys, kIgnoresStop, kClosesChannel, kFinishesAndHangs, kFloods);
  pid_t pid = 0;
  {
    const auto run = StartOrFail(Options(behaviour));
    REQUIRE(Eventually(kPatienceMs, [&] { return run->description().process_id != 0; }));
    pid = run->description().process_id;
    CHECK_FALSE(IsGone(pid));
  }
  CHECK(IsGone(pid));
}

TEST_CASE("a run that was killed since it did not hear the stop was stopped, and its recording says no more",
          "[run]") {
  const auto [behaviour, ending] = GENERATE(table<FakeBehaviour, std::string>(
      {{kIgnoresStop, "It was stopped in the middle of its first step."}, {kFloods, ""}}));
  const trace::Scratch scratch;
  LiveOptions options = Options(behaviour);
  options.recording = scratch / "run.tide";
  {
    const auto run = StartOrFail(options);
    REQUIRE(Eventually(kPatienceMs, [&] { return run->status().state == RunState::kRunning; }));
    if (behaviour == kFloods) REQUIRE(Eventually(kPatienceMs, [&] { return run->status().steps_done > 0; }));
  }
  const auto recorded = Run::Open(*options.recording);
  REQUIRE(recorded.ok());
  CHECK((*recorded)->description().ending == ending);
}

TEST_CASE("a trainer that fell silent and was killed for that did not run out of the machine's memory",
          "[run]") {
  const auto run = StartOrFail(Options(kClosesChannel));
  REQUIRE(run->WaitUntilSettled(kPatienceMs));
  CHECK(run->status().state == RunState::kDied);
  CHECK(Contains(run->status().sentence,
                 "The trainer fell silent without ending, and was killed for that "
                 "after 0 steps."));
  CHECK_FALSE(Contains(run->status().sentence, "memory"));
}

TEST_CASE("a recording that cannot go on does not stop the run", "[run]") {
  LiveOptions options = Options(kObeys);
  const trace::Scratch scratch;
  options.recording = scratch / "run.tide";
  const auto run = StartOrFail(options);
  const auto size = [&] { return std::filesystem::file_size(*options.recording); };
  REQUIRE(Eventually(kPatienceMs, [&] { return size() > 4096; }));  // some chunks are whole
  const rlimit limit{size(), RLIM_INFINITY};
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
  const bool told = Eventually(kPatienceMs, [&] { return !run->status().recording_error.empty(); });
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  REQUIRE(told);
  CHECK(Contains(run->status().recording_error, "run.tide cannot be written"));
  const int64_t steps_done = run->status().steps_done;
  CHECK(Eventually(kPatienceMs, [&] { return run->status().steps_done > steps_done; }));
  CHECK(run->live());
  const auto recorded = Run::Open(*options.recording);
  REQUIRE(recorded.ok());
  CHECK(Contains((*recorded)->status().sentence, "without its closing chunk"));
}

TEST_CASE("what can be found wrong before a process exists is found by Start", "[run]") {
  const auto error_of = [](const LiveOptions& options) {
    const auto run = Run::Start(options);
    REQUIRE_FALSE(run.ok());
    return run.error().message;
  };
  LiveOptions options = Options(kObeys);
  SECTION("no trainer") {
    options.trainer_executable = "/no/such/trainer";
    CHECK(Contains(error_of(options), "/no/such/trainer"));
    options.trainer_executable = "/etc/passwd";
    CHECK(Contains(error_of(options), "/etc/passwd"));
  }
  SECTION("settings") {
    options.settings.batch = 0;
    CHECK(Contains(error_of(options), "batch"));
    options.settings.batch = 1;
    options.settings.network = "no-such-net";
    CHECK(Contains(error_of(options), "no-such-net"));
  }
  SECTION("recording") {
    options.recording = "/no/such/folder/run.tide";
    CHECK(Contains(error_of(options), "/no/such/folder/run.tide"));
  }
  SECTION("card") {
    options.trainer_executable.reset();
    options.device = {networks::DeviceKind::kPhantom, 0, "no-such-card"};
    CHECK(Contains(error_of(options), "no-such-card"));
  }
  SECTION("no GPU") {
    if (access("/proc/driver/nvidia/version", F_OK) == 0) return;
    options.trainer_executable.reset();
    options.device = {networks::DeviceKind::kCuda, 0, ""};
    CHECK(Contains(error_of(options), "no NVIDIA GPU"));
  }
}

TEST_CASE("what a view holds is saved and opened again", "[run]") {
  const trace::Scratch scratch;
  LiveOptions options = Options(kObeys);
  options.step_limit = 50;
  const auto run = StartOrFail(options);
  REQUIRE(run->WaitUntilSettled(kPatienceMs));
  REQUIRE(run->Save(scratch / "saved.tide").ok());
  CHECK(scratch.FileCount() == 1);
  const auto again = Run::Open(scratch / "saved.tide");
  REQUIRE(again.ok());
  CHECK(EventsOf(*(*again)->view()) == EventsOf(*run->view()));
  CHECK((*again)->status().state == RunState::kFinished);
  CHECK((*again)->status().steps_done == 50);
  CHECK((*again)->status().captured == run->view()->end());
  CHECK_FALSE((*again)->live());
  CHECK_FALSE((*again)->Restart(options.settings));
  CHECK((*again)->WaitUntilSettled(0));
  CHECK(Contains(run->Save(scratch / "no/such/saved.tide").error().message, "no/such/saved.tide"));
}

TEST_CASE("a run that was left alone costs no time worth the name", "[run]") {
  LiveOptions options = Options(kObeys);
  options.start_paused = true;
  const auto run = StartOrFail(options);
  REQUIRE(Eventually(kPatienceMs, [&] { return run->status().state == RunState::kPaused; }));
  const auto cpu_ms = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
  };
  const auto before_ms = cpu_ms();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  CHECK(cpu_ms() - before_ms < 200);  // it measures 10; a loop that does not rest would be 2,000
}

}  // namespace
}  // namespace tidemark::session
