// The recorder with programs that ask for a ring as the probe would.
#include "profiler/session/program_recorder.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiler/base/paths.h"
#include "profiler/capture/transport/listener.h"
#include "profiler/session/ranks.h"
#include "profiler/trace/tide.h"
#include "tests/support/catch.h"
#include "tests/support/fake_rank.h"

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

const std::string kProgram = (ExecutableFolder() / "recorded_program").string();

// A process that allocates that often, and ends so (recorded_program.cpp). In a forked process, too: nothing
// is allocated here.
pid_t ProgramThatEnds(const std::string& entry, int allocations, int end) {
  std::array<char, 16> allocations_word{};
  std::array<char, 16> end_word{};
  std::to_chars(allocations_word.data(), allocations_word.data() + allocations_word.size() - 1, allocations);
  std::to_chars(end_word.data(), end_word.data() + end_word.size() - 1, end);
  const pid_t child = fork();
  if (child != 0) return child;
  execl(kProgram.c_str(), kProgram.c_str(), entry.c_str(), allocations_word.data(), end_word.data(), nullptr);
  _exit(127);
}

pid_t Program(const std::string& entry, int allocations, bool is_killed) {
  return ProgramThatEnds(entry, allocations, is_killed ? 128 + SIGKILL : 0);
}

RecorderOptions Options(const RecorderFolder& folder) {
  RecorderOptions options;
  options.description.title = "train.py";
  options.recording = folder.path / "run.tide";
  options.ring_events = 1024;
  return options;
}

// What a command that answers, and then waits, is called.
std::string CalledOf(const RecorderFolder& folder, std::vector<const char*> words) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  REQUIRE((pipe(in.data()) == 0 && pipe(out.data()) == 0));
  const pid_t child = fork();
  if (child == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    for (const int end : {in[0], in[1], out[0], out[1]}) close(end);
    words.push_back(nullptr);
    if (chdir(folder.path.c_str()) == 0) execvp(words.front(), const_cast<char* const*>(words.data()));
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  char answer = 0;
  CHECK((write(in[1], "1\n", 2) == 2 && read(out[0], &answer, 1) == 1));
  std::string called = ProgramOf(child);
  close(in[1]);
  close(out[0]);
  waitpid(child, nullptr, 0);
  return called;
}

uint64_t EventsIn(const std::filesystem::path& file) {
  const auto read = trace::ReadTide(file, [](auto) {}, {});
  REQUIRE(read);
  CHECK(read->complete);
  return read->events;
}

// The recorder's thread hears of a rank a moment later than the rank itself.
bool ComesTrue(const std::function<bool()>& condition) {
  for (int i = 0; i < 500 && !condition(); ++i) usleep(10'000);
  return condition();
}

}  // namespace

TEST_CASE("A process is called by its script or module, else by its file") {
  const RecorderFolder folder;
  for (const char* script : {"train.py", "module.py"})
    std::ofstream(folder.path / script)
        << "import sys\nsys.stdout.write('1')\nsys.stdout.flush()\nsys.stdin.read()\n";
  CHECK(CalledOf(folder, {"cat"}) == "cat");
  CHECK(CalledOf(folder, {"python3", "train.py", "--batch", "8"}) == "train.py");
  CHECK(CalledOf(folder, {"python3", "-u", "-X", "faulthandler", "-W", "ignore", "./train.py"}) ==
        "train.py");
  CHECK(CalledOf(folder, {"python3", "-m", "module"}) == "module");
  CHECK(CalledOf(folder, {"python3", "-c", "import module"}).empty());
  CHECK(ProgramOf(0).empty());
}

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

// As torch.multiprocessing.spawn's workers do: /proc/PID/environ never has it.
TEST_CASE("A process that gives itself its rank is known by it") {
  const RecorderFolder folder;
  auto recorder = ProgramRecorder::Start(Options(folder));
  REQUIRE(recorder);
  for (const char* const name : {"RANK", "WORLD_SIZE", "LOCAL_RANK"}) setenv(name, "2", 1);
  const pid_t child = Program((*recorder)->environment_entry(), 1, false);
  for (const char* const name : {"RANK", "WORLD_SIZE", "LOCAL_RANK"}) unsetenv(name);
  waitpid(child, nullptr, 0);
  (*recorder)->End(0);
  REQUIRE((*recorder)->runs().size() == 1);
  const ProgramRun& run = *(*recorder)->runs().front();
  CHECK(run.description().rank == 2);
  CHECK(run.description().title == "train.py, rank 2 of 2, local rank 2");
  CHECK(run.recording() == folder.path / "run.rank2.tide");
}

TEST_CASE("Four processes at once, one of them killed: each has its own complete recording") {
  const RecorderFolder folder;
  auto recorder = ProgramRecorder::Start(Options(folder));
  REQUIRE(recorder);
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) children.push_back(Program((*recorder)->environment_entry(), 500 + i, i == 2));
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  (*recorder)->End(0);
  REQUIRE((*recorder)->runs().size() == 4);
  std::set<uint64_t> captured;
  for (const auto& run : (*recorder)->runs()) {
    const RunStatus status = run->status();
    CHECK(status.recording_error.empty());
    CHECK(status.lost == 0);
    CHECK(EventsIn(*run->recording()) == status.captured);
    captured.insert(status.captured);
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
    const auto run = (*recorder)->Take(child);
    REQUIRE(run != nullptr);
    CHECK(run->status().captured == static_cast<uint64_t>(100 + i));
    CHECK(run->view()->end() == run->status().captured);
    CHECK((*recorder)->Take(child) == nullptr);
  }
  CHECK((*recorder)->Take(1) == nullptr);
  (*recorder)->End(0);
  CHECK((*recorder)->runs().empty());
}

TEST_CASE("Of a process that asked for nothing itself the first that it started is taken") {
  const RecorderFolder folder;
  RecorderOptions options = Options(folder);
  options.recording.reset();
  auto recorder = ProgramRecorder::Start(options);
  REQUIRE(recorder);
  const pid_t other = Program((*recorder)->environment_entry(), 100, false);
  waitpid(other, nullptr, 0);
  const pid_t starter = fork();
  if (starter == 0) {
    for (const int allocations : {101, 102}) {
      waitpid(Program((*recorder)->environment_entry(), allocations, false), nullptr, 0);
    }
    _exit(0);
  }
  waitpid(starter, nullptr, 0);
  const auto run = (*recorder)->Take(starter);
  REQUIRE(run != nullptr);
  CHECK(run->status().captured == 101);
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
  REQUIRE((*recorder)->runs().size() == 1);
  const ProgramRun& run = *(*recorder)->runs()[0];
  CHECK(run.status().captured + run.status().lost == 100'000);
  CHECK(run.view()->health().lost == run.status().lost);
  REQUIRE(run.view()->sources().size() == 1);
  CHECK(run.view()->sources()[0].source == events::Source::kAllocator);
  CHECK(run.view()->sources()[0].lost == run.status().lost);
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
  REQUIRE((*recorder)->runs().size() == 1);
  CHECK((*recorder)->runs()[0]->status().recording_error.find("cannot be written") != std::string::npos);
}

TEST_CASE("How the program ended is the last thing in its recording") {
  const RecorderFolder folder;
  auto recorder = ProgramRecorder::Start(Options(folder));
  REQUIRE(recorder);
  waitpid(Program((*recorder)->environment_entry(), 3, true), nullptr, 0);
  (*recorder)->End(128 + SIGKILL);
  REQUIRE((*recorder)->runs().size() == 1);
  const std::shared_ptr<ProgramRun> run = (*recorder)->runs()[0];
  const auto view = run->view();
  REQUIRE(view->markers().size() == 1);
  CHECK(view->markers()[0].text == "The program was ended by signal 9.");
  CHECK(run->status().state == RunState::kDied);
  const Result<std::unique_ptr<Run>> opened = Run::Open(*run->recording());
  REQUIRE(opened.ok());
  CHECK((*opened)->description().ending == "The program was ended by signal 9.");
}

// A launcher: forks one process for each exit code, which asks as a rank and ends so, and waits for all of
// them once it is told to. 128 + N: signal N ends it.
class Launcher {
 public:
  Launcher(const std::string& entry, const std::vector<int>& exit_codes) {
    REQUIRE(pipe(told_.data()) == 0);
    std::vector<pid_t> ranks(exit_codes.size());  // the forked process allocates nothing
    pid_ = fork();
    if (pid_ != 0) return;
    close(told_[1]);
    for (size_t i = 0; i < exit_codes.size(); ++i) ranks[i] = ProgramThatEnds(entry, 100, exit_codes[i]);
    char byte = 0;
    while (read(told_[0], &byte, 1) > 0) {
    }
    for (size_t i = 0; i < exit_codes.size(); ++i) {
      kill(ranks[i], SIGTERM);  // if it still runs
      waitpid(ranks[i], nullptr, 0);
    }
    _exit(1);
  }
  Launcher(const Launcher&) = delete;
  ~Launcher() { End(); }
  void End() {
    if (std::exchange(has_ended_, true)) return;
    for (const int end : told_) close(end);
    waitpid(pid_, nullptr, 0);
  }
  static constexpr int kRuns = -1;  // until it is ended

 private:
  std::array<int, 2> told_{};
  pid_t pid_ = 0;
  bool has_ended_ = false;
};

TEST_CASE(
    "A process that ends before its launcher has its own end, in its recording and while others go on") {
  const RecorderFolder folder;
  auto recorder = ProgramRecorder::Start(Options(folder));
  REQUIRE(recorder);
  const int code = GENERATE(0, 3, 128 + SIGKILL);
  Launcher launcher((*recorder)->environment_entry(), {code});
  const std::shared_ptr<ProgramRun> run = (*recorder)->first();
  if (!ComesTrue([&] { return run->own_end_ns() != 0; })) {
    WARN("This kernel has no pidfd_open.");
    return;
  }
  const std::string sentence = code == 0   ? ""
                               : code == 3 ? "This process ended with exit code 3 before its launcher."
                                           : "This process was ended by signal 9 before its launcher.";
  CHECK(ComesTrue([&] { return run->status().state > RunState::kPaused; }));
  CHECK(run->status().sentence == sentence);
  CHECK(run->status().captured == 100);
  CHECK(run->description().ending == sentence);
  CHECK_FALSE(run->WaitUntilSettled(0));  // the program goes on
  // A recorder that is killed now leaves a recording that tells of it.
  CHECK(ComesTrue([&] {
    const Result<std::unique_ptr<Run>> so_far = Run::Open(*run->recording());
    return so_far.ok() && (*so_far)->description().ending == sentence;
  }));
  launcher.End();
  (*recorder)->End(1);
  CHECK(run->status().sentence == sentence);
  CHECK(run->view()->markers().size() == (code == 0 ? 0U : 1U));
  const Result<std::unique_ptr<Run>> opened = Run::Open(*run->recording());
  REQUIRE(opened.ok());
  CHECK((*opened)->description().ending == sentence);
  CHECK((*opened)->description().notes == std::vector<std::string>{"Its launcher ended with exit code 1."});
  CHECK(EventsIn(*run->recording()) >= 100);
}

TEST_CASE("Of a process that outlives its launcher is said that it runs on, and nobody waits for it") {
  const RecorderFolder folder;
  RecorderOptions options = Options(folder);
  options.is_watched = true;  // so that what was taken can be seen before the end
  auto recorder = ProgramRecorder::Start(options);
  REQUIRE(recorder);
  std::array<int, 2> until{};
  REQUIRE(pipe(until.data()) == 0);
  const pid_t launcher = fork();
  if (launcher == 0) {
    const std::string& entry = (*recorder)->environment_entry();
    if (fork() != 0) _exit(0);
    close(until[1]);
    auto ring = transport::AskForRing(entry.substr(entry.find('=') + 1));
    if (!ring || !ring->has_value()) _exit(3);
    pollfd over{until[0], POLLIN, 0};
    while (poll(&over, 1, 0) == 0) (*ring)->Push({});  // as fast as it can
    _exit(0);
  }
  close(until[0]);
  waitpid(launcher, nullptr, 0);
  CHECK(ComesTrue([&] { return (*recorder)->first()->status().captured > 0; }));
  (*recorder)->End(0);
  close(until[1]);
  const auto& run = *(*recorder)->runs().at(0);
  CHECK(run.status().state == RunState::kFinished);
  CHECK(run.status().sentence.find("This process runs on") != std::string::npos);
  CHECK(run.description().ending == run.status().sentence);
  EventsIn(folder.path / "run.tide");
}

TEST_CASE("Of a process whose end nobody could ask for it is said that it ended before, and when") {
  const RecorderFolder folder;
  auto recorder = ProgramRecorder::Start(Options(folder));
  REQUIRE(recorder);
  Launcher launcher((*recorder)->environment_entry(), {Launcher::kRuns});
  const std::shared_ptr<ProgramRun> run = (*recorder)->first();
  CHECK(ComesTrue([&] { return run->status().state == RunState::kRunning; }));
  launcher.End();  // which waits for it at once
  (*recorder)->End(1);
  // By its own end where the kernel tells it, else by the launcher's; never as if nothing had been.
  const std::string ending = run->description().ending;
  CAPTURE(ending);
  CHECK((ending == "This process was ended by signal 15 before its launcher." ||
         ending.starts_with("The program ended with exit code 1.")));
}

TEST_CASE("What has ended holds nothing of the recorder's, however many processes come and go") {
  const RecorderFolder folder;
  auto recorder = ProgramRecorder::Start(Options(folder));
  REQUIRE(recorder);
  const auto files_in = [](const std::filesystem::path& path) {
    return std::distance(std::filesystem::directory_iterator(path), {});
  };
  const auto before = files_in("/proc/self/fd");
  constexpr int kProcesses = 40;
  Launcher launcher((*recorder)->environment_entry(), std::vector<int>(kProcesses, 0));
  const auto of_launcher = files_in("/proc/self/fd") - before;
  const std::shared_ptr<ProgramRun> first = (*recorder)->first();
  if (!ComesTrue([&] { return first->own_end_ns() != 0; })) {
    WARN("This kernel has no pidfd_open.");
    return;
  }
  CHECK(ComesTrue([&] { return files_in(folder.path) == kProcesses; }));
  CHECK(ComesTrue([&] { return files_in("/proc/self/fd") - of_launcher <= before; }));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path)) {
    CHECK(EventsIn(entry.path()) == 100);
  }
  launcher.End();
  (*recorder)->End(1);
  for (const auto& run : (*recorder)->runs()) {
    CHECK(run->status().recording_error.empty());
    CHECK(EventsIn(*run->recording()) == 100);  // with what its launcher ended with
  }
}

TEST_CASE("More processes may come one after another than a recorder may have descriptors") {
  const RecorderFolder folder;
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  constexpr rlim_t kDescriptors = 40;
  const rlimit few{kDescriptors, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0);
  auto recorder = ProgramRecorder::Start(Options(folder));
  REQUIRE(recorder);
  int recorded = 0;
  constexpr int kProcesses = kDescriptors + 10;
  for (int i = 0; i < kProcesses; ++i) {
    // Of which this test is not the parent, as a program that is recorded is not.
    const pid_t shell = fork();
    if (shell == 0) {
      int status = 0;
      waitpid(Program((*recorder)->environment_entry(), 1, false), &status, 0);
      _exit(WEXITSTATUS(status));
    }
    int status = 0;
    waitpid(shell, &status, 0);
    recorded += WEXITSTATUS(status) == 0 ? 1 : 0;
    usleep(5'000);  // for the recorder to see its end
  }
  (*recorder)->End(0);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
  if ((*recorder)->first()->own_end_ns() == 0) {
    WARN("This kernel has no pidfd_open.");
    return;
  }
  CHECK(recorded == kProcesses);
  CHECK((*recorder)->trouble().empty());
}

TEST_CASE("A recording that another has replaced since its process ended is left as it is") {
  const RecorderFolder folder;
  auto recorder = ProgramRecorder::Start(Options(folder));
  REQUIRE(recorder);
  Launcher launcher((*recorder)->environment_entry(), {0});
  const std::shared_ptr<ProgramRun> run = (*recorder)->first();
  if (!ComesTrue([&] { return run->own_end_ns() != 0; })) {
    WARN("This kernel has no pidfd_open.");
    return;
  }
  REQUIRE(ComesTrue([&] { return run->status().state == RunState::kFinished; }));
  {
    events::RunDescription another;
    another.title = "another";
    auto other = trace::TideWriter::Create(*run->recording(), another);
    REQUIRE((other && other->Close()));
  }
  launcher.End();
  (*recorder)->End(1);
  CHECK(run->status().recording_error.find("removed or replaced") != std::string::npos);
  const auto opened = Run::Open(*run->recording());
  REQUIRE(opened.ok());
  CHECK((*opened)->description().title == "another");
  CHECK((*opened)->description().notes.empty());
}

TEST_CASE("The run of the first process is there before it asks, and is seen while it goes on") {
  const RecorderFolder folder;
  RecorderOptions options = Options(folder);
  options.is_watched = true;
  auto recorder = ProgramRecorder::Start(options);
  REQUIRE(recorder);
  const std::shared_ptr<ProgramRun> first = (*recorder)->first();
  CHECK(first->status().state == RunState::kStarting);
  const std::string& entry = (*recorder)->environment_entry();
  auto ring = transport::AskForRing(entry.substr(entry.find('=') + 1));
  REQUIRE((ring && ring->has_value()));
  waitpid(Program(entry, 20, false), nullptr, 0);  // another, recorded beside it
  events::Event event;
  event.source = events::Source::kAllocator;
  event.address = event.bytes = event.rounded_bytes = 512;
  REQUIRE((*ring)->Push(event));
  for (int i = 0; i < 500 && first->view()->empty(); ++i) usleep(10'000);
  CHECK(first->view()->end() == 1);
  CHECK(first->status().state == RunState::kRunning);
  (*recorder)->End(0);
  REQUIRE((*recorder)->runs().size() == 2);
  CHECK((*recorder)->runs()[0] == first);
  CHECK((*recorder)->runs()[1]->status().captured == 20);
}

TEST_CASE("Who watches a launcher sees its ranks as they come, by their numbers") {
  const RecorderFolder folder;
  RecorderOptions options = Options(folder);
  options.is_watched = true;
  auto recorder = ProgramRecorder::Start(options);
  REQUIRE(recorder);
  const std::shared_ptr<RankedProgram> watched = (*recorder)->watched();
  const std::string& entry = (*recorder)->environment_entry();
  REQUIRE(RunFakeRank(entry, -1, 0) == 0);  // only looks for cards
  CHECK(watched->ranks().empty());
  CHECK(watched->description().title == "train.py");
  for (const int rank : {2, 0, 3}) {
    REQUIRE(RunFakeRank(entry, rank, 4) == 0);
    const char* const first = rank == 2 ? "rank 2 of 4" : "rank 0 of 4";
    CHECK(ComesTrue([&] { return watched->description().title.find(first) != std::string::npos; }));
  }
  REQUIRE(ComesTrue([&] { return watched->ranks().size() == 3; }));
  REQUIRE(RunFakeRank(entry, 2, 4) == 0);  // started again, or a child that has its rank's number
  (*recorder)->End(1);
  REQUIRE(watched->ranks().size() == 3);
  const Ranks peaks = PeaksOf(RanksSoFar(*watched), false);
  REQUIRE(peaks.ranks.size() == 3);
  for (const size_t place : {0, 1, 2}) {
    CHECK(peaks.ranks[place].rank == std::array<int64_t, 3>{0, 2, 3}[place]);
    CHECK(peaks.ranks[place].allocated == (peaks.ranks[place].rank + 1) << 20);
  }
  CHECK(watched->WaitUntilSettled(0));
  CHECK(watched->status().state == RunState::kFailed);
  CHECK(watched->view()->end() == watched->ranks().front()->view()->end());
}

TEST_CASE("Who watches a program sees the process that holds memory, not the one that started it") {
  const RecorderFolder folder;
  RecorderOptions options = Options(folder);
  options.is_watched = true;
  auto recorder = ProgramRecorder::Start(options);
  REQUIRE(recorder);
  const std::shared_ptr<RankedProgram> watched = (*recorder)->watched();
  const std::string& entry = (*recorder)->environment_entry();
  REQUIRE(RunFakeRank(entry, -1, 0) == 0);  // only looks for cards
  waitpid(Program(entry, 20, false), nullptr, 0);
  waitpid(Program(entry, 30, false), nullptr, 0);
  REQUIRE(ComesTrue([&] { return watched->ranks().size() == 1; }));
  (*recorder)->End(0);
  CHECK(watched->ranks().size() == 1);
  CHECK(watched->view()->end() == 20);
}

TEST_CASE("What one rank loses, its program tells") {
  const RecorderFolder folder;
  RecorderOptions options = Options(folder);
  options.ring_events = 64;
  options.is_watched = true;
  auto recorder = ProgramRecorder::Start(options);
  REQUIRE(recorder);
  const std::string& entry = (*recorder)->environment_entry();
  REQUIRE(RunFakeRank(entry, 0, 100'001) == 0);
  REQUIRE(RunFakeRank(entry, 100'000, 100'001) == 0);
  (*recorder)->End(0);
  const std::shared_ptr<RankedProgram> watched = (*recorder)->watched();
  REQUIRE(watched->ranks().size() == 2);
  CHECK(watched->ranks().front()->status().lost == 0);
  CHECK(watched->ranks().back()->status().lost > 0);
  CHECK(watched->status().lost == watched->ranks().back()->status().lost);
}

}  // namespace tidemark::session
