#include "app/cli/command_line.h"

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/console/exit_codes.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::cli {
namespace {

using Files = std::vector<std::filesystem::path>;

// What the window that these words open shows first; none where they open none.
std::vector<WindowContent> WindowsOf(std::vector<std::string> words) {
  words.insert(words.begin(), "tidemark");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  std::vector<WindowContent> opened;
  RunCommandLine(static_cast<int>(arguments.size()), arguments.data(), [&](const WindowContent& content) {
    opened.push_back(content);
    return kExitDone;
  });
  return opened;
}

TEST_CASE("A file in the place of a subcommand is opened, whatever its name, as open does") {
  const trace::Scratch scratch;
  const std::string recording = scratch / "run.tide";
  const std::string nameless = scratch / "snapshot";
  for (const std::string& file : {recording, nameless}) trace::WriteFile(file, "");
  for (const std::vector<std::string>& words :
       {std::vector{recording, nameless}, {"open", recording, nameless}}) {
    const std::vector<WindowContent> windows = WindowsOf(words);
    REQUIRE(windows.size() == 1);
    CHECK(windows[0].recordings == Files{recording, nameless});
  }
  const std::vector<WindowContent> larger = WindowsOf({"--scale", "2", nameless});
  REQUIRE(larger.size() == 1);
  CHECK(larger[0].recordings == Files{nameless});
  CHECK(larger[0].scale == 2.0F);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{recording, "--follow"}, {"--follow", "--scale", "2", recording}}) {
    const std::vector<WindowContent> followed = WindowsOf(words);
    REQUIRE(followed.size() == 1);
    CHECK(followed[0].run != nullptr);
  }
}

TEST_CASE("No window opens for a file that is not there, nor for a slip in a subcommand") {
  CHECK(WindowsOf({"nowhere.tide"}).empty());
  CHECK(WindowsOf({"trian", "--steps", "5"}).empty());
  CHECK(WindowsOf({"nowhere/snapshot"}).empty());
}

}  // namespace
}  // namespace tidemark::cli
