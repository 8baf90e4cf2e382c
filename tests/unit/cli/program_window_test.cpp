// A window that is closed while its program runs leaves nothing behind.
#include "app/cli/programs/program_window.h"

#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "app/cli/console/error_output.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/console/window_opener.h"
#include "app/cli/programs/program_start.h"
#include "profiler/phantom/environment.h"
#include "profiler/phantom/programs/program.h"
#include "profiler/session/program_recorder.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::cli {
namespace {

constexpr std::chrono::milliseconds kToBegin{300};

// The exit code of a program whose window is closed at once, once it runs.
int EndOf(const std::string& script) {
  session::RecorderOptions options;
  phantom::ProgramStop stop;
  options.stop = [&stop] { stop.Ask(); };
  const std::unique_ptr<session::ProgramRecorder> recorder =
      std::move(*session::ProgramRecorder::Start(options));
  std::optional<int> told;
  const auto ended = [&](const Result<int>& code) {
    REQUIRE(code);
    told = *code;
    recorder->End(*code);
  };
  const auto show = [](const WindowContent& content) {
    content.opened();
    std::this_thread::sleep_for(kToBegin);
    return kExitDone;
  };
  const Result<int> code = RunBesideWindow({"sh", "-c", script}, {}, stop, recorder->first(), ended, show);
  REQUIRE(code);
  CHECK(told == *code);
  return *code;
}

TEST_CASE("A program whose window is closed ends, in order where it can") {
  CHECK(EndOf("exec sleep 60") == 128 + SIGTERM);
  CHECK(EndOf("trap 'exit 7' TERM; while :; do sleep 0.05; done") == 7);
  CHECK(EndOf("exit 3") == 3);
}

TEST_CASE("A program whose window cannot be opened does not begin") {
  const trace::Scratch scratch;
  const std::string file = (scratch / "begun").string();
  phantom::ProgramStop stop;
  const std::unique_ptr<session::ProgramRecorder> recorder = std::move(*session::ProgramRecorder::Start({}));
  bool has_ended = false;
  const Result<int> code = RunBesideWindow(
      {"touch", file}, {}, stop, recorder->first(), [&](const Result<int>&) { has_ended = true; },
      [](const WindowContent&) { return kExitFailed; });
  REQUIRE(code);
  CHECK(*code == kExitFailed);
  CHECK_FALSE(has_ended);
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("A window tells of a program that could not be started") {
  phantom::ProgramStop stop;
  const std::unique_ptr<session::ProgramRecorder> recorder = std::move(*session::ProgramRecorder::Start({}));
  std::string why;
  const auto ended = [&](const Result<int>& code) { why = code ? "" : code.error().message; };
  const auto show = [&](const WindowContent& content) {
    content.opened();
    return kExitDone;
  };
  CHECK_FALSE(RunBesideWindow({"/no/such/program"}, {}, stop, recorder->first(), ended, show));
  CHECK(why.find("/no/such/program") != std::string::npos);
}

TEST_CASE("A program that does not end when it is asked is killed") {
  const auto began = std::chrono::steady_clock::now();
  CHECK(EndOf("trap '' TERM; exec sleep 60") == 128 + SIGKILL);
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(40));
}

TEST_CASE("A command is read as a shell reads it, and nothing in it is run") {
  setenv("TIDEMARK_TEST_WORD", "4 5", 1);
  const auto words = WordsOf("python 'a b.py' --x=\"$TIDEMARK_TEST_WORD\" \\*");
  REQUIRE(words.ok());
  CHECK(*words == std::vector<std::string>{"python", "a b.py", "--x=4 5", "*"});
  CHECK(WordsOf("python 'a").error().message.find("not closed") != std::string::npos);
  CHECK(WordsOf("python a | tee b").error().message.find("sh -c") != std::string::npos);
  CHECK(WordsOf("echo $(touch x)").error().message.find("sh -c") != std::string::npos);
  CHECK(WordsOf("  ").error().message.find("Name the program") != std::string::npos);
}

session::ProgramOrder Order(const char* command) {
  session::ProgramOrder order;
  order.command = command;
  return order;
}

TEST_CASE("A program that the window starts ends with its run") {
  const auto began = std::chrono::steady_clock::now();
  {
    const auto run = StartProgram(Order("sleep 60"));
    REQUIRE(run.ok());
    CHECK((*run)->description().command == "sleep 60");
    std::this_thread::sleep_for(kToBegin);
  }
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(20));
  session::ProgramOrder unwritable = Order("sleep 60");
  unwritable.recording = "/no/such/folder/run.tide";
  std::optional<session::ProgramField> blamed;
  const session::StartWatch watch{{}, {}, [&](session::ProgramField field) { blamed = field; }};
  CHECK_FALSE(StartProgram(unwritable, watch).ok());
  CHECK(blamed == session::ProgramField::kRecording);
  session::ProgramOrder too_small = Order("python train.py");
  too_small.card = "t4";
  too_small.memory = "1MiB";
  CHECK_FALSE(StartProgram(too_small, watch).ok());
  CHECK(blamed == session::ProgramField::kMemory);
  const auto missing = StartProgram(Order("/no/such/program"));
  REQUIRE(missing.ok());
  CHECK((*missing)->WaitUntilSettled(20'000));
  CHECK((*missing)->status().state == session::RunState::kFailed);
  REQUIRE((*missing)->description().notes.size() == 1);
}

#ifndef TIDEMARK_SANITIZED
// The next program waits for the one before, and neither ends in the other's place.
TEST_CASE("A program that is let go while it waits does not begin, and the one that runs goes on") {
  const trace::Scratch scratch;
  const std::string began = (scratch / "began").string();
  const auto first = StartProgram(Order("sleep 60"));
  REQUIRE(first.ok());
  std::this_thread::sleep_for(kToBegin);
  auto second = StartProgram(Order(("touch " + began).c_str()));
  REQUIRE(second.ok());
  (*second)->Stop();
  std::this_thread::sleep_for(kToBegin);
  CHECK((*first)->status().state <= session::RunState::kPaused);
  (*first)->Stop();
  CHECK((*first)->WaitUntilSettled(20'000));
  CHECK((*second)->WaitUntilSettled(20'000));
  CHECK_FALSE(std::filesystem::exists(began));
}

TEST_CASE("Why a program that the window started failed is told with its own last words") {
  const trace::Scratch scratch;
  const std::string script = (scratch / "fails.sh").string();
  std::ofstream(script) << "echo 'Traceback (most recent call last):' >&2\n"
                           "printf '10%%\\r20%%\\n\\033[31mModuleNotFoundError: no vision\\033[0m\\n' >&2\n"
                           "exit 3\n";
  const auto run = StartProgram(Order(("sh " + script).c_str()));
  REQUIRE(run.ok());
  CHECK((*run)->WaitUntilSettled(20'000));
  const session::RunStatus status = (*run)->status();
  CHECK(status.state == session::RunState::kFailed);
  CHECK(status.sentence ==
        "The program ended with exit code 3. Its last words: ModuleNotFoundError: no vision.");
  CHECK(status.error_output == "Traceback (most recent call last):\n20%\nModuleNotFoundError: no vision");
  CHECK((*run)->description().ending == status.sentence);
}

TEST_CASE("What a program writes and ends well is nobody's reason") {
  const auto run = StartProgram(Order("sh -c 'echo warning >&2'"));
  REQUIRE(run.ok());
  CHECK((*run)->WaitUntilSettled(20'000));
  CHECK((*run)->status().state == session::RunState::kFinished);
  CHECK((*run)->status().sentence.empty());
  CHECK((*run)->status().error_output.empty());
}

TEST_CASE("What a program was saying when it was asked to end is nobody's reason") {
  const auto run = StartProgram(Order("sh -c 'echo busy >&2; exec sleep 60'"));
  REQUIRE(run.ok());
  std::this_thread::sleep_for(kToBegin);
  (*run)->Stop();
  CHECK((*run)->WaitUntilSettled(20'000));
  CHECK((*run)->status().sentence == "The program was ended by signal 15.");
}

TEST_CASE("What ends a program in order when it is asked to is nobody's reason either") {
  const auto run =
      StartProgram(Order("sh -c 'sleep 60 & trap \"kill $!; echo stopping >&2; exit 1\" TERM; wait'"));
  REQUIRE(run.ok());
  std::this_thread::sleep_for(kToBegin);
  (*run)->Stop();
  CHECK((*run)->WaitUntilSettled(20'000));
  CHECK((*run)->status().sentence == "The program ended with exit code 1.");
}
#endif

TEST_CASE("A program's last words are those that name its error, else the last that are words") {
  CHECK(
      session::EndOfProgram(1, "torch.OutOfMemoryError: CUDA out of memory.\nCompile with TORCH_USE_CUDA_DSA")
          .sentence ==
      "The program ended with exit code 1. Its last words: torch.OutOfMemoryError: CUDA out of memory.");
  CHECK(session::EndOfProgram(1, "rank 1 failed\n=====").sentence ==
        "The program ended with exit code 1. Its last words: rank 1 failed.");
  CHECK(session::EndOfProgram(1, "Error: what was cu…").sentence ==
        "The program ended with exit code 1. Its last words: Error: what was cu…");
  CHECK(session::EndOfProgram(1, "=====").sentence == "The program ended with exit code 1.");
}

TEST_CASE("Of what was written the last lines are kept, as a terminal shows them") {
  CHECK(LastLinesOf("").empty());
  CHECK(LastLinesOf("\n \n\r\n").empty());
  CHECK(LastLinesOf("a\tb\r\n\x1b[1;31mred\x1b[0m \n\x1b") == "a b\nred");
  std::string many;
  for (int i = 0; i < 40; ++i) many += "line " + std::to_string(i) + "\n";
  const std::string last = LastLinesOf(many);
  CHECK(last.starts_with("line 28\n"));
  CHECK(last.ends_with("\nline 39"));
  const std::string whole(1000, 'x');
  CHECK(LastLinesOf(whole) == whole);
  CHECK(LastLinesOf(std::string(5000, 'x')) == std::string(2000, 'x') + "…");
  CHECK(LastLinesOf(std::string(1999, 'x') + "é" + whole) == std::string(1999, 'x') + "…");  // no half letter
  CHECK(LastLinesOf("no data\n" + std::string(phantom::kUnknownSizePrefix) + "a workspace.\n") == "no data");
}

TEST_CASE("What will be missing of a program is among its notes from the start to its end") {
  session::ProgramOrder order = Order("true");  // no Python, whose operators could be told
  order.operators = true;
  const auto run = StartProgram(order);
  REQUIRE(run.ok());
  const auto notes = [&] { return (*run)->description().notes; };
  REQUIRE(notes().size() == 1);
  CHECK(notes().front().find("Operators are not told: which Python will run is not known") == 0);
  CHECK((*run)->WaitUntilSettled(20'000));
  CHECK(notes().size() == 1);
}

}  // namespace
}  // namespace tidemark::cli
