#include "app/presenters/plot/replay_lane.h"

#include <map>

#include "profiler/events/cuda_graphs.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::presenters {
namespace {

using events::EventKind;

// Ten replays, a thousand events apart, and then ten in a row.
std::shared_ptr<const timeline::View> Replayed() {
  timeline::Stream stream;
  const events::NameId replay = stream.Name(events::kGraphReplay);
  const auto replay_once = [&] {
    stream.Add(EventKind::kScopeBegin).op = replay;
    stream.Add(EventKind::kScopeEnd).op = replay;
  };
  for (int i = 0; i < 10; ++i) {
    for (int k = 0; k < 998; ++k) stream.Add(EventKind::kSnapshot);
    replay_once();
  }
  for (int i = 0; i < 10; ++i) replay_once();
  return stream.Publish();
}

TimelinePlotRequest Sight(VisibleRange visible, TimeAxis axis = TimeAxis::kEvents) {
  return {axis, visible, 1000};
}

}  // namespace

TEST_CASE("Replays that are too near to each other to be told apart are one, with their number") {
  const auto view = Replayed();
  const VisibleRange whole = WholeRange(*view, TimeAxis::kEvents);
  const std::vector<PlotReplays> apart = ReplaysInSight(*view, Sight(whole), 80);
  REQUIRE(apart.size() == 10);
  CHECK(apart.front().count == 1);
  CHECK(apart.front().begin == static_cast<double>(view->graph_replays()[0]));
  CHECK(apart.back().count == 11);
  CHECK(apart.back().first == 10);
  CHECK(apart.back().end == whole.end - 2);
  const std::vector<PlotReplays> near = ReplaysInSight(*view, Sight(whole), 400);
  REQUIRE(near.size() == 3);
  CHECK(near[0].count + near[1].count + near[2].count == 20);
  CHECK(near[1].first == near[0].count + 1);
}

TEST_CASE("Zoomed in each replay is told, and none that is out of sight") {
  const auto view = Replayed();
  const double last = static_cast<double>(view->end());
  const std::vector<PlotReplays> each = ReplaysInSight(*view, Sight({last - 8, last}), 80);
  REQUIRE(each.size() == 4);
  CHECK(each.front().first == 17);
  for (const PlotReplays& one : each) CHECK(one.count == 1);
  CHECK(ReplaysInSight(*view, Sight({0, 500}), 80).empty());
  CHECK(ReplaysInSight(*timeline::Stream().Publish(), Sight({0, 500}), 80).empty());
}

TEST_CASE("As what is in sight moves the groups of replays stay, with their numbers") {
  const auto view = Replayed();
  std::map<int64_t, PlotReplays> groups;  // by the number of their first
  for (double begin = 0; begin <= 5018; begin += 7.3) {
    for (const PlotReplays& told : ReplaysInSight(*view, Sight({begin, begin + 5000}), 400)) {
      const auto [before, is_new] = groups.try_emplace(told.first, told);
      INFO(begin);
      CHECK((before->second.count == told.count && before->second.begin == told.begin &&
             before->second.end == told.end));
    }
  }
  int64_t all = 0;
  for (const auto& [first, told] : groups) all += told.count;
  CHECK(all == 20);
}

TEST_CASE("Replays are told over the clock, too") {
  const auto view = Replayed();
  const VisibleRange whole = WholeRange(*view, TimeAxis::kWallClock);
  int64_t told = 0;
  for (const PlotReplays& some : ReplaysInSight(*view, Sight(whole, TimeAxis::kWallClock), 80)) {
    const events::EventIndex first = view->graph_replays()[static_cast<size_t>(some.first - 1)];
    CHECK(some.begin == PositionOf(*view, TimeAxis::kWallClock, first));
    CHECK(some.begin != PositionOf(*view, TimeAxis::kEvents, first));
    told += some.count;
  }
  CHECK(told == 20);
}

TEST_CASE("Replays tell whose they are, where all of a group are of one graph") {
  timeline::Stream stream;
  for (const int64_t graph : {1, 1, 2}) {
    const events::NameId replay = stream.Name(events::GraphReplayName(graph));
    stream.Add(EventKind::kScopeBegin).op = replay;
    stream.Add(EventKind::kScopeEnd).op = replay;
  }
  const auto view = stream.Publish();
  const double last = static_cast<double>(view->end());
  std::vector<int64_t> graphs;
  for (const PlotReplays& each : ReplaysInSight(*view, Sight({0, last}), 80)) graphs.push_back(each.graph);
  CHECK(graphs == std::vector<int64_t>{1, 1, 2});
  const std::vector<PlotReplays> all = ReplaysInSight(*view, Sight({0, last}), 2000);
  REQUIRE(all.size() == 1);
  CHECK(all.front().graph == 0);
  CHECK(ReplaysInSight(*Replayed(), Sight({0, 20000}), 80).front().graph == 0);
}

}  // namespace tidemark::presenters
