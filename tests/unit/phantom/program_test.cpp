// A program's exit code, output and signals are its own, though we wait for it.
#include "profiler/phantom/programs/program.h"

#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <vector>

#include "profiler/base/children.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::phantom {
namespace {

std::string Contents(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

int ExitCodeOf(const std::string& script, const std::vector<std::string>& environment = {}) {
  ProgramStop never;
  const Result<int> exit_code = RunProgram({"sh", "-c", script}, environment, never);
  REQUIRE(exit_code.ok());
  return *exit_code;
}

TEST_CASE("Exit codes come through, and signals as shells tell them") {
  CHECK(ExitCodeOf("exit 0") == 0);
  CHECK(ExitCodeOf("exit 7") == 7);
  CHECK(ExitCodeOf("kill -9 $$") == 128 + 9);
  CHECK(ExitCodeOf("kill -INT $$") == 128 + 2);  // its own disposition, not ours
  ProgramStop never;
  CHECK_FALSE(RunProgram({"/no/such/program"}, {}, never).ok());
}

TEST_CASE("Where children are ignored nothing is claimed of a program's end") {
  signal(SIGCHLD, SIG_IGN);
  ProgramStop never;
  const Result<int> exit_code = RunProgram({"false"}, {}, never);
  signal(SIGCHLD, SIG_DFL);
  REQUIRE_FALSE(exit_code.ok());
  CHECK(exit_code.error().message.find("nobody knows how") != std::string::npos);
}

TEST_CASE("A program ignores its children where we were started so, though we hear of ours") {
  ProgramStop never;
  const auto exit_code_of_asking = [&never] {  // of itself: a shell would set the signal anew
    return RunProgram({"grep", "-q", "SigIgn:.*[13579bdf]....$", "/proc/self/status"}, {}, never).value();
  };
  CHECK(exit_code_of_asking() == 1);
  signal(SIGCHLD, SIG_IGN);
  HearOfChildren();
  CHECK(exit_code_of_asking() == 0);
  CHECK(ExitCodeOf("exit 7") == 7);
  CHECK_FALSE(RunProgram({"/no/such/program"}, {}, never).ok());
  HearOfChildren();  // as usual again
  CHECK_FALSE(WereChildrenIgnored());
}

TEST_CASE("Signals that were ignored stay so, for the program, too: nohup, and a shell's &") {
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
    const std::string kills = "ulimit -c 0; kill -" + std::to_string(number);
    CAPTURE(kills);
    const auto before = signal(number, SIG_IGN);
    CHECK(ExitCodeOf(kills + " $$; exit 7") == 7);
    CHECK(ExitCodeOf(kills + " $PPID; exit 7") == 7);  // us, who wait
    CHECK(signal(number, before) == SIG_IGN);
    CHECK(ExitCodeOf(kills + " $$; exit 7") == 128 + number);
  }
}

TEST_CASE("Programs that several threads start run one after the other, and leave the signals as they were") {
  const trace::Scratch scratch;
  const std::string file = (scratch / "said").string();
  struct sigaction before = {};
  sigaction(SIGTERM, nullptr, &before);
  const std::string script = "echo begins >> " + file + "; sleep 0.1; echo ends >> " + file;
  std::vector<std::future<int>> programs;
  for (int i = 0; i < 3; ++i) {
    programs.push_back(std::async(std::launch::async, [&script] {
      ProgramStop never;
      return RunProgram({"sh", "-c", script}, {}, never).value();
    }));
  }
  for (std::future<int>& program : programs) CHECK(program.get() == 0);
  CHECK(Contents(file) == "begins\nends\nbegins\nends\nbegins\nends\n");
  struct sigaction after = {};
  sigaction(SIGTERM, nullptr, &after);
  CHECK(after.sa_handler == before.sa_handler);
}

TEST_CASE("A program that was asked to end before it began does not begin") {
  const trace::Scratch scratch;
  const std::string file = (scratch / "said").string();
  ProgramStop stop;
  stop.Ask();
  const Result<int> exit_code = RunProgram({"sh", "-c", "echo up > " + file}, {}, stop);
  REQUIRE(exit_code.ok());
  CHECK(*exit_code == 128 + SIGTERM);
  CHECK(Contents(file).empty());
}

TEST_CASE("Where there is no folder for temporary files that is said, and none is made elsewhere") {
  const trace::Scratch scratch;
  const char* const before = std::getenv("TMPDIR");
  const std::string usual = before == nullptr ? "/tmp" : before;
  setenv("TMPDIR", (scratch / "not-there").c_str(), 1);
  const Result<DoubtsFile> doubts = DoubtsFile::Create();
  const Result<RanksFolder> ranks = RanksFolder::Create();
  setenv("TMPDIR", usual.c_str(), 1);
  REQUIRE_FALSE(doubts.ok());
  REQUIRE_FALSE(ranks.ok());
  CHECK(doubts.error().message.find("that TMPDIR names: No such file or directory") != std::string::npos);
  CHECK(ranks.error().message.find("that TMPDIR names: No such file or directory") != std::string::npos);
}

TEST_CASE("A folder in which ranks meet is gone with its object, and what is in it") {
  std::string folder;
  {
    const Result<RanksFolder> ranks = RanksFolder::Create();
    REQUIRE(ranks.ok());
    folder = ranks->EnvironmentEntry();
    folder.erase(0, folder.find('=') + 1);
    CHECK(ranks->EnvironmentEntryOfPretended() == "TIDEMARK_PHANTOM_ASKED=[\"" + folder + "\"]");
    trace::WriteFile(std::filesystem::path(folder) / "unread", "x");
  }
  CHECK_FALSE(std::filesystem::exists(folder));
}

TEST_CASE("Entries replace what the environment says") {
  const trace::Scratch scratch;
  setenv("TIDEMARK_TEST_WORD", "ours", 1);
  const std::string file = (scratch / "said").string();
  CHECK(ExitCodeOf("echo $TIDEMARK_TEST_WORD $RANK $WORLD_SIZE $LOCAL_RANK $LOCAL_WORLD_SIZE > " + file, [] {
          std::vector<std::string> entries = RankEnvironment({11, 12});
          entries.push_back("TIDEMARK_TEST_WORD=theirs");
          return entries;
        }()) == 0);
  CHECK(Contents(file) == "theirs 11 12 3 4\n");
  CHECK(RanksOfMachine({11, 12}) == 4);
  CHECK(RanksOfMachine({0, 12}) == 8);
}

// Kills who waits for a program once that has written "up" into `file`.
void KillWhoWaitsFor(const std::string& script, const std::string& file, WhenWeAreKilled when_killed) {
  const pid_t waiting = fork();
  if (waiting == 0) {
    ProgramStop stop(when_killed);
    (void)RunProgram({"sh", "-c", script}, {}, stop);
    _exit(0);
  }
  while (Contents(file) != "up\n") usleep(1000);
  kill(waiting, SIGKILL);
  int status = 0;
  REQUIRE(waitpid(waiting, &status, 0) == waiting);
}

TEST_CASE("A program ends with who waits for it, even where that one is killed") {
  const trace::Scratch scratch;
  const std::string file = (scratch / "said").string();
  const std::string until_told = "trap 'echo told > " + file + "; exit' TERM; echo up > " + file +
                                 "; for i in $(seq 1000); do sleep 0.01; done";
  KillWhoWaitsFor(until_told, file, WhenWeAreKilled::kEndsToo);
  for (int i = 0; i < 5000 && Contents(file) != "told\n"; ++i) usleep(1000);
  CHECK(Contents(file) == "told\n");
}

TEST_CASE("A program that is to live on does so when who waits for it is killed") {
  const trace::Scratch scratch;
  const std::string file = (scratch / "said").string();
  const std::string go = (scratch / "go").string();
  const std::string until_let = "trap 'echo told > " + file + "; exit' TERM; echo up > " + file +
                                "; while [ ! -e " + go + " ]; do sleep 0.01; done; echo done > " + file;
  KillWhoWaitsFor(until_let, file, WhenWeAreKilled::kLivesOn);
  usleep(50'000);  // were it to be told, it would be by now
  trace::WriteFile(go, "");
  while (Contents(file) == "up\n" || Contents(file).empty()) usleep(1000);
  CHECK(Contents(file) == "done\n");
}

TEST_CASE("What would end us ends the program first") {
  const trace::Scratch scratch;
  const std::string file = (scratch / "said").string();
  const pid_t waiting = fork();
  if (waiting == 0) {
    ProgramStop never;
    const Result<int> exit_code = RunProgram({"sh", "-c",
                                              "trap 'echo told > " + file + "; exit 5' TERM; echo up > " +
                                                  file + "; while :; do sleep 0.01; done"},
                                             {}, never);
    _exit(exit_code ? *exit_code : 99);
  }
  while (Contents(file) != "up\n") usleep(1000);
  kill(waiting, SIGTERM);
  int status = 0;
  REQUIRE(waitpid(waiting, &status, 0) == waiting);
  CHECK(WEXITSTATUS(status) == 5);
  CHECK(Contents(file) == "told\n");
}

TEST_CASE(
    "What a process sends to us alone the program gets, and what a terminal sends to both it gets once") {
  const auto before = signal(SIGINT, SIG_DFL);  // however we were started
  CHECK(ExitCodeOf("trap 'exit 5' INT; kill -INT $PPID; for n in $(seq 200); do sleep 0.01; done") == 5);
  const trace::Scratch scratch;
  const std::string file = (scratch / "said").string();
  int terminal = -1;
  const pid_t waiting = forkpty(&terminal, nullptr, nullptr, nullptr);
  // The program has left the terminal, which sends it nothing: what it gets is from us.
  if (waiting == 0)
    _exit(ExitCodeOf("exec setsid sh -c 'trap \"exit 5\" INT; echo up > " + file + "; sleep 0.5'"));
  while (Contents(file) != "up\n") usleep(1000);
  REQUIRE(write(terminal, "\x03", 1) == 1);
  int status = 0;
  REQUIRE(waitpid(waiting, &status, 0) == waiting);
  CHECK(WEXITSTATUS(status) == 0);
  close(terminal);
  signal(SIGINT, before);
}

}  // namespace
}  // namespace tidemark::phantom
