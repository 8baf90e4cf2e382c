#include "app/gui/gui.h"
#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE("A script is read line by line") {
  const auto steps = ScriptFromText(
      "# a comment\n\nwait 0.5\nsteps 45\ndo Go to the peak\nset {\"amp\":\"fp16\"}\ndrop a net.json\nmouse "
      "8 9\nwheel "
      "-2\nclick\nshot a.png\nquit\n");
  REQUIRE(steps.ok());
  REQUIRE(steps->size() == 10);
  CHECK((*steps)[0].x == 0.5);
  CHECK((*steps)[2].text == "Go to the peak");
  CHECK((*steps)[4].text == "a net.json");
  CHECK((*steps)[5].y == 9);
  CHECK((*steps)[6].x == -2);
  CHECK((*steps)[9].kind == ScriptStep::Kind::kQuit);
}

TEST_CASE("A line that is no step is named") {
  for (const char* text : {"wait\n", "dance\n", "mouse 3\n", "shot\n"}) {
    const auto steps = ScriptFromText(text);
    REQUIRE_FALSE(steps.ok());
    CHECK(steps.error().message.find("Line 1") != std::string::npos);
  }
}

TEST_CASE("An action that there is not is named, with its line") {
  const auto steps = ScriptFromText("wait 1\ndo Go to the peek\n");
  REQUIRE_FALSE(steps.ok());
  CHECK(steps.error().message.find("Line 2") != std::string::npos);
  CHECK(steps.error().message.find("Go to the peek") != std::string::npos);
}

}  // namespace tidemark::gui
