#include "profiler/base/shell_words.h"

#include "tests/support/catch.h"

using namespace tidemark;

TEST_CASE("A word that a shell would take apart stands in quotes, any other as it is") {
  CHECK(InShell("train.py") == "train.py");
  CHECK(InShell("--lr=1e-3") == "--lr=1e-3");
  CHECK(InShell("my runs/a.tide") == "'my runs/a.tide'");
  CHECK(InShell("it's") == "'it'\\''s'");
  CHECK(InShell("$HOME/[1].tide") == "'$HOME/[1].tide'");
  CHECK(InShell("") == "''");
}

TEST_CASE("Words that were put into a line come out of it") {
  const std::vector<std::string> words = {"python", "my train.py", "it's", "", "a\\b", "$HOME/[1]", "'"};
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + InShell(word);
  CHECK(OutOfShell(line) == words);
  CHECK(OutOfShell("").empty());
  CHECK(OutOfShell("  a\t b ") == std::vector<std::string>{"a", "b"});
  CHECK(OutOfShell("'not closed") == std::vector<std::string>{"not closed"});
  CHECK(OutOfShell("a\\") == std::vector<std::string>{"a\\"});
}
