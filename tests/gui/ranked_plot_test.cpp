#include "app/gui/ranked_plot.h"

#include <chrono>
#include <thread>

#include "app/presenters/rank_stack.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {

TEST_CASE("A plot gets its ranks beside the window, and is handed over once") {
  timeline::Stream stream;
  for (uint64_t block = 1; block < 100; ++block) stream.Allocate(block << 20, 512);
  const auto view = stream.Publish();
  session::Ranks ranks;
  for (int64_t rank = 0; rank < 3; ++rank) {
    session::RankPeaks& peaks = ranks.ranks.emplace_back();
    peaks.rank = rank;
    peaks.curves = {{-1, {512 * (rank + 1), 1024, 2048}}};
  }
  const presenters::TimelinePlotRequest request{presenters::TimeAxis::kEvents, {0, 99}, 40};
  presenters::TimelinePlot expected = presenters::MakeTimelinePlot(*view, {}, request);
  RankedPlot ranked;
  CHECK_FALSE(ranked.Take());
  ranked.Begin({view, request.axis, std::make_shared<session::Ranks>(ranks), 1, expected});
  CHECK(ranked.busy());
  std::optional<presenters::TimelinePlot> made;
  for (int i = 0; i < 2000 && !(made = ranked.Take()); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  REQUIRE(made);
  CHECK_FALSE(ranked.busy());
  CHECK_FALSE(ranked.Take());
  presenters::AddRankGroups(*view, request.axis, ranks, 1, expected);
  CHECK(made->groups.size() == 3);
  CHECK(made->grouped == expected.grouped);
  ranked.Begin(
      {view, request.axis, std::make_shared<session::Ranks>(ranks), 1, expected});  // and ends with it
}

}  // namespace tidemark::gui
