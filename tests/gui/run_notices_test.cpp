#include "app/gui/run_notices.h"

#include <chrono>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

using presenters::LogLevel;

struct Told {
  std::vector<Toast> toasts;
  RunNotices notices{&toasts};

  std::vector<std::string> log() const {
    std::vector<std::string> texts;
    for (const presenters::LogLine& line : notices.log().lines()) texts.push_back(line.text);
    return texts;
  }
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("What is told is seen for a while, longer where it is bad, and stays in the log") {
  Told told;
  told.notices.Tell(LogLevel::kGood, "Saved.");
  told.notices.Tell(LogLevel::kWarning, "Cut off.");
  told.notices.Note(LogLevel::kInfo, "It has ended.");
  CHECK(told.log() == Texts{"Saved.", "Cut off.", "It has ended."});
  REQUIRE(told.toasts.size() == 2);
  CHECK(told.toasts[1].until - told.toasts[0].until > std::chrono::seconds(3));
}

TEST_CASE("The log of a run begins with what was told as it was asked for, and not with what was before") {
  Told told;
  told.notices.Tell(LogLevel::kInfo, "Of the run before.");
  told.notices.BeginMatter();
  told.notices.Tell(LogLevel::kWarning, "One file is cut off.");
  const RunNotices::Lines asked = told.notices.OfThisMatter();
  told.notices.BeginMatter();
  told.notices.Tell(LogLevel::kInfo, "Something else.");
  told.notices.BeginRun(asked);
  CHECK(told.log() == Texts{"One file is cut off."});
  told.notices.BeginRun({});
  CHECK(told.log().empty());
}

TEST_CASE("Complaints are in the log of each run, and once in that of each part") {
  Told told;
  told.notices.Complain("A key is unknown.");
  told.notices.BeginRun({});
  told.notices.Tell(LogLevel::kInfo, "Of this run.");
  for (int part = 0; part < 2; ++part) {
    told.notices.BeginPart();
    CHECK(told.log() == Texts{"A key is unknown.", "Of this run."});
  }
}

}  // namespace tidemark::gui
