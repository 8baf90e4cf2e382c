#include "profiler/timeline/graph_replays.h"

#include "tests/support/catch.h"
#include "tests/support/counting_view.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::timeline {
namespace {

using events::EventKind;
using events::PoolOwner;

void Replay(Stream& stream, events::NameId replay) {
  stream.Add(EventKind::kScopeBegin).op = replay;
  stream.Add(EventKind::kScopeEnd).op = replay;
}

TEST_CASE("Replays of CUDA graphs are counted, in all and in steps") {
  Stream stream;
  const events::NameId replay = stream.Name(events::kGraphReplay);
  const events::NameId other = stream.Name("aten::add");
  Replay(stream, replay);
  for (int64_t step = 0; step < 3; ++step) {
    stream.BeginStep(step);
    for (int64_t i = 0; i < step; ++i) Replay(stream, replay);
    Replay(stream, other);
    stream.EndStep(step);
  }
  const GraphReplays replays = GraphReplaysIn(*stream.Publish());
  CHECK(replays.in_all == 4);
  CHECK(replays.of_steps == 3);
  CHECK(replays.steps == 2);
  CHECK(replays.most_in_step == 2);
  CHECK(GraphReplaysIn(*Stream().Publish()).in_all == 0);
}

TEST_CASE("The name of a replay tells which graph it is of, where that is known") {
  CHECK(events::GraphReplayName(2) == "CUDAGraph::replay (graph 2)");
  CHECK(events::GraphOfReplay(events::GraphReplayName(2)) == 2);
  for (const std::string_view other :
       {"CUDAGraph::replay", "CUDAGraph::replayed", "CUDAGraph::replay (graph x)"})
    CHECK(events::GraphOfReplay(other) == 0);
  CHECK_FALSE(events::IsGraphReplay("CUDAGraph::replayed"));
  Stream stream;
  Replay(stream, stream.Name(events::kGraphReplay));
  for (const int64_t graph : {1, 2, 1}) Replay(stream, stream.Name(events::GraphReplayName(graph)));
  CHECK(GraphReplaysIn(*stream.Publish()).in_all == 4);
}

TEST_CASE("Replays between two steps are of the later one, whose forward and backward they are") {
  Stream stream;
  const events::NameId replay = stream.Name(events::kGraphReplay);
  for (int64_t step = 0; step < 4; ++step) {
    for (int64_t i = 0; step > 0 && i < 3; ++i) Replay(stream, replay);
    stream.BeginStep(step);
    stream.EndStep(step);
  }
  const GraphReplays replays = GraphReplaysIn(*stream.Publish());
  CHECK(replays.steps == 3);
  CHECK(replays.most_in_step == 3);
}

TEST_CASE(
    "What pools keep for replays shows at the latest, or else as the latest step ends, not as all is let "
    "go") {
  const bool is_told = GENERATE(true, false);
  Stream stream;
  const events::NameId replay = stream.Name(events::kGraphReplay);
  stream.Add(EventKind::kSegmentAllocate, 0x1000, 0x10000);
  stream.Allocate(0x1000, 512);
  stream.BeginStep(0);
  stream.EndStep(0);
  EventIndex expected = stream.latest();
  if (is_told) {
    Replay(stream, replay);
    expected = stream.latest() - 1;
  }
  stream.Free(0x1000);
  CHECK(MomentBetweenReplays(*stream.Publish()) == expected);
}

TEST_CASE("What pools keep shows at the latest replay, where a warm-up had reserved more, too") {
  Stream stream;
  const events::NameId replay = stream.Name(events::kGraphReplay);
  stream.Add(EventKind::kSegmentAllocate, 0x100000, 0x20000);
  stream.Add(EventKind::kSegmentFree, 0x100000, 0x20000);  // torch.cuda.graph empties the cache
  stream.Add(EventKind::kSegmentAllocate, 0x1000, 0x10000).pool = 1;
  for (int i = 0; i < 1000; ++i) Replay(stream, replay);
  const CountingView view(stream.Publish());
  CHECK(MomentBetweenReplays(view) == stream.latest() - 1);
  CHECK(GraphReplaysIn(view).in_all == 1000);
  CHECK(view.counts().events == 0);  // none is looked at
}

TEST_CASE("Replays go with the events that are let go") {
  Stream stream;
  const events::NameId replay = stream.Name(events::kGraphReplay);
  Replay(stream, replay);
  for (int i = 0; i < 100'000; ++i) stream.Add(EventKind::kMarker);
  Replay(stream, replay);
  const auto view = stream.Publish(16'384);
  REQUIRE(view->first() > 1);
  CHECK(GraphReplaysIn(*view).in_all == 1);
}

bool AreSame(const GraphReplays& a, const GraphReplays& b) {
  return a.in_all == b.in_all && a.of_steps == b.of_steps && a.steps == b.steps &&
         a.most_in_step == b.most_in_step;
}

TEST_CASE(
    "Replays that are counted as a run grows are as many as in all of it, where steps are let go, too") {
  const size_t budget_events = GENERATE(kDefaultBudgetEvents, size_t{16'384});
  Stream stream;
  const events::NameId replay = stream.Name(events::kGraphReplay);
  GraphReplayCount count;
  EventIndex first = 0;
  const auto check = [&] {
    const auto view = stream.Publish(budget_events);
    first = view->first();
    CHECK(AreSame(count.Of(*view), GraphReplaysIn(*view)));
  };
  for (int64_t step = 0; step < 300; ++step) {
    Replay(stream, replay);
    stream.BeginStep(step);
    for (int64_t i = 0; i < 1 + step % 7; ++i) Replay(stream, replay);
    if (step % 10 == 0) check();
    for (int i = 0; i < 400; ++i) stream.Add(EventKind::kMarker);
    stream.EndStep(step);
    if (step % 10 == 5) check();
  }
  CHECK((first > 0) == (budget_events < kDefaultBudgetEvents));
}

TEST_CASE("Whose a private pool is its two numbers tell") {
  CHECK(events::PoolName(3, 0) == "private pool (3, 0)");
  CHECK(events::OwnerOfPool(events::PoolName(3, 0)) == PoolOwner::kGraph);
  CHECK(events::OwnerOfPool(events::PoolName(0, 2)) == PoolOwner::kProgram);
  CHECK(events::OwnerOfPool("") == PoolOwner::kNotTold);
  CHECK(events::OwnerOfPool("a name") == PoolOwner::kNotTold);
}

TEST_CASE("A segment has the name and the owner of its pool, of a packed chunk, too") {
  Stream stream;
  const events::NameId name = stream.Name("private pool (0, 2)");
  events::Event& segment = stream.Add(EventKind::kSegmentAllocate, 0x1000, 0x1000);
  segment.pool = 1;
  segment.name = name;
  for (int i = 0; i < 40'000; ++i) stream.Add(EventKind::kMarker);
  const State state = stream.Publish()->StateAt(stream.latest());
  REQUIRE(state.segments.size() == 1);
  CHECK(state.segments[0].pool_name == name);
  CHECK(state.segments[0].pool_owner == PoolOwner::kProgram);
}

TEST_CASE("A segment keeps the name of its pool, whichever of its pieces tells it") {
  Stream stream;
  const events::NameId name = stream.Name("private pool (0, 2)");
  const uint64_t named = GENERATE(uint64_t{1}, uint64_t{2}, uint64_t{3});
  for (const uint64_t piece : {uint64_t{2}, uint64_t{1}, uint64_t{3}}) {
    events::Event& mapped = stream.Add(EventKind::kSegmentMap, piece << 24, 1 << 24);
    mapped.pool = 1;
    if (piece == named) mapped.name = name;
  }
  const State state = stream.Publish()->StateAt(stream.latest());
  REQUIRE(state.segments.size() == 1);
  CHECK(state.segments[0].pool_name == name);
}

}  // namespace
}  // namespace tidemark::timeline
