#include "profiler/base/command.h"

#include <signal.h>

#include <cerrno>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark {
namespace {

bool Always() { return true; }

TEST_CASE("Lines of a command come as they are; what is behind the last end is output, too") {
  std::vector<std::string> lines;
  CommandOptions options;
  options.on_line = [&](std::string_view line) { lines.emplace_back(line); };
  const auto outcome =
      RunCommand({"sh", "-c", "printf 'one\\n\\ntwo\\nthree'; echo unread >&2; exit 3"}, options);
  REQUIRE(outcome.ok());
  CHECK(outcome->exit_code == 3);
  CHECK(outcome->output == "one\n\ntwo\nthree");
  CHECK(lines == std::vector<std::string>{"one", "", "two"});
}

TEST_CASE("A running command is told lines and answers them, those it said at once one after the other") {
  auto command = RunningCommand::Start(
      {"sh", "-c", "while read line; do echo $WORD $line; echo again >&2; done"}, {"WORD=heard"});
  REQUIRE(command.ok());
  std::vector<std::string> lines;
  const auto one = [&](std::string_view line) {
    lines.emplace_back(line);
    return false;
  };
  (*command)->Tell("first");
  CHECK((*command)->Read(one, Always));
  CHECK((*command)->Read(one, Always));
  (*command)->Tell("second");
  CHECK((*command)->Read(one, Always));
  CHECK(lines == std::vector<std::string>{"heard first", "again", "heard second"});
  CHECK((*command)->output().starts_with("heard first\nagain\nheard second\n"));
}

TEST_CASE("A running command that has ended, or is asked to, is heard to its end") {
  const auto all = [](std::string_view) { return true; };
  auto ended = RunningCommand::Start({"sh", "-c", "echo last words; exit 1"}, {});
  REQUIRE(ended.ok());
  CHECK_FALSE((*ended)->Read(all, Always));
  (*ended)->Tell("nobody hears this");
  CHECK_FALSE((*ended)->Read(all, Always));
  CHECK((*ended)->output() == "last words\n");
  auto asked = RunningCommand::Start({"sleep", "60"}, {});
  REQUIRE(asked.ok());
  CHECK_FALSE((*asked)->Read(all, [] { return false; }));
}

TEST_CASE("A running command ends with its owner") {
  auto command = RunningCommand::Start({"sh", "-c", "echo $$; exec sleep 60"}, {});
  REQUIRE(command.ok());
  int process = 0;
  const auto take = [&](std::string_view line) {
    process = std::stoi(std::string(line));
    return false;
  };
  REQUIRE((*command)->Read(take, Always));
  command->reset();
  CHECK(kill(process, 0) == -1);
  CHECK(errno == ESRCH);
}

}  // namespace
}  // namespace tidemark
