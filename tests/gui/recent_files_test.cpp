#include "app/gui/view/recent_files.h"

#include <filesystem>

#include "app/gui/view/view_state.h"
#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE("What is opened comes first in the list, once, and the oldest goes") {
  std::vector<Opening> recent;
  for (size_t i = 0; i < kMostRecent + 2; ++i) PutFirst({"/runs/" + std::to_string(i) + ".tide"}, &recent);
  REQUIRE(recent.size() == kMostRecent);
  CHECK(TitleOf(recent.front()) == "11.tide");
  CHECK(TitleOf(recent.back()) == "2.tide");
  PutFirst(InWholePaths({"/runs/../runs/5.tide"}), &recent);
  REQUIRE(recent.size() == kMostRecent);
  CHECK(recent.front() == Opening{"/runs/5.tide"});
  CHECK(std::ranges::count(recent, Opening{"/runs/5.tide"}) == 1);
  PutFirst(InWholePaths({"here.tide"}), &recent);
  CHECK(recent.front() == Opening{std::filesystem::current_path() / "here.tide"});
}

TEST_CASE("The ranks of a run are opened together") {
  const Opening ranks = {"/runs/run.rank0.tide", "/runs/run.rank1.tide"};
  CHECK(TitleOf(ranks) == "run.rank0.tide and 1 more");
  CHECK(WhereIs(ranks) == "In /runs.");
  const Command together = ToOpen(ranks);
  REQUIRE(std::holds_alternative<OpenRanks>(together));
  CHECK(std::get<OpenRanks>(together).files == ranks);
  CHECK(std::holds_alternative<OpenRecording>(ToOpen({"/runs/run.tide"})));
}

TEST_CASE("A saved list of what was opened that makes no sense is left out piece by piece") {
  const Result<ViewState> state =
      ViewStateFromJson(R"({"recent": [7, [], ["/a.tide", 8], "x", ["/b.tide"]]})");
  REQUIRE(state.ok());
  CHECK(state->recent == std::vector<Opening>{{"/a.tide"}, {"/b.tide"}});
  CHECK(ViewStateFromJson(R"({"recent": "no"})")->recent.empty());
  ViewState named;
  named.recent = {{"/runs/\xff.tide"}, {"/runs/Größe.tide"}};
  CHECK(ViewStateFromJson(ToJson(named))->recent == std::vector<Opening>{{"/runs/Größe.tide"}});
}

}  // namespace tidemark::gui
