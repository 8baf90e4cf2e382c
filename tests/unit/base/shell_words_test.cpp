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
