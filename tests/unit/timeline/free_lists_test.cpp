#include "profiler/timeline/free_lists.h"

#include <limits>

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::timeline {
namespace {

using events::Event;
using events::EventKind;

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr uint64_t kSegment = 0x10000000;  // the next lies as far behind it
constexpr uint64_t kSideStream = 0x5555;

State StateOf(const Stream& stream) {
  const auto view = stream.Publish();
  return view->StateAt(view->end() - 1);
}

// A segment of 40 MiB with a block of 10 MiB.
void AddSegment(Stream& stream, uint64_t address, uint8_t pool, uint64_t of_stream) {
  const auto add = [&](Event& event) {
    event.pool = pool;
    event.stream = of_stream;
  };
  add(stream.Add(EventKind::kSegmentAllocate, address, 40 * kMiB));
  add(stream.Allocate(address, 10 * kMiB));
}

}  // namespace

TEST_CASE("A state knows the stream and the pool of its segments and blocks, from a checkpoint on, too") {
  Stream stream;
  AddSegment(stream, kSegment, 2, kSideStream);
  const int behind = GENERATE(0, 40'000);  // events
  for (int i = 0; i < behind; ++i) stream.Metric(0, 1, i);
  const State state = StateOf(stream);
  REQUIRE(state.segments.size() == 1);
  CHECK(int{state.segments[0].pool} == 2);
  CHECK(state.segments[0].stream == kSideStream);
  REQUIRE(state.blocks.size() == 1);
  CHECK(int{state.blocks[0].pool} == 2);
}

TEST_CASE("A segment is laid out in blocks and what is free between them") {
  Stream stream;
  stream.Add(EventKind::kSegmentAllocate, kSegment, 40 * kMiB);
  stream.Allocate(kSegment + 10 * kMiB, 10 * kMiB);
  stream.Allocate(1, 512);
  stream.Allocate(4 * kSegment, 512);
  const Layout layout = LayOut(StateOf(stream));
  CHECK(layout.outside == std::vector<size_t>{1, 2});
  REQUIRE(layout.segments.size() == 1);
  CHECK(layout.segments[0].free_bytes == 30 * kMiB);
  REQUIRE(layout.segments[0].pieces.size() == 3);
  CHECK_FALSE(layout.segments[0].pieces[0].block);
  CHECK(layout.segments[0].pieces[1].block == size_t{0});
  CHECK(layout.segments[0].pieces[1].offset_bytes == 10 * kMiB);
  CHECK(layout.segments[0].pieces[2].bytes == 20 * kMiB);
}

TEST_CASE("A segment whose own event does not tell is of the stream and the pool of its blocks") {
  Stream stream;
  stream.Add(EventKind::kSegmentAllocate, kSegment, 40 * kMiB);
  Event& block = stream.Allocate(kSegment, 10 * kMiB);
  block.stream = kSideStream;
  block.pool = 2;
  const FreeList list = LayOut(StateOf(stream)).segments[0].list;
  CHECK(list.stream == kSideStream);
  CHECK(int{list.pool} == 2);
}

TEST_CASE("An expandable segment is for requests of the size of its blocks, an empty one by its own") {
  const auto is_small = [](int64_t segment_bytes, int64_t block_bytes) {
    Stream stream;
    stream.Add(EventKind::kSegmentMap, kSegment, segment_bytes);
    if (block_bytes > 0) stream.Allocate(kSegment, block_bytes);
    return LayOut(StateOf(stream)).segments[0].list.is_small;
  };
  CHECK(is_small(40 * kMiB, kMiB));
  CHECK_FALSE(is_small(40 * kMiB, kMiB + 512));
  CHECK_FALSE(is_small(40 * kMiB, 0));
  CHECK(is_small(2 * kMiB, 0));
}

TEST_CASE("What is free is out of reach of requests of other pools, streams and sizes") {
  Stream stream;
  AddSegment(stream, kSegment, 0, 0);
  AddSegment(stream, 2 * kSegment, 1, 0);
  AddSegment(stream, 3 * kSegment, 0, kSideStream);
  stream.Add(EventKind::kSegmentAllocate, 4 * kSegment, 2 * kMiB);
  stream.Allocate(4 * kSegment, kMiB);
  stream.Add(EventKind::kSegmentAllocate, 5 * kSegment, 20 * kMiB);  // without a block
  stream.Add(EventKind::kSegmentAllocate, 6 * kSegment, 7 * kMiB).pool = 1;
  stream.Add(EventKind::kSegmentAllocate, 7 * kSegment, 5 * kMiB).device = 1;
  const Layout layout = LayOut(StateOf(stream));
  CHECK(BarredFrom({0, 0, 0, false}, layout) == BarredBytes{{20 * kMiB, kMiB, 30 * kMiB, 37 * kMiB}});
  CHECK(BarredFrom({0, 0, 0, true}, layout) == BarredBytes{{20 * kMiB, 0, 30 * kMiB, 37 * kMiB}});
  CHECK(BarredFrom({0, 0, 1, false}, layout) == BarredBytes{{20 * kMiB, 0, 0, 61 * kMiB}});
  CHECK(BarredFrom({kSideStream, 0, 0, false}, layout) == BarredBytes{{20 * kMiB, 0, 31 * kMiB, 37 * kMiB}});
  CHECK(BarredBy(BarriersToUsual(layout), layout) == BarredBytes{{0, 0, 30 * kMiB, 37 * kMiB}});
  CHECK(BarriersToUsual(layout)[2] == Barrier::kStream);
}

TEST_CASE("The usual stream is that of most blocks, however much another one has free") {
  Stream stream;
  AddSegment(stream, kSegment, 0, 0);
  stream.Add(EventKind::kSegmentAllocate, 2 * kSegment, 100 * kMiB).stream = kSideStream;
  stream.Allocate(2 * kSegment, 9 * kMiB);
  const Layout layout = LayOut(StateOf(stream));
  CHECK_FALSE(BarriersToUsual(layout)[0]);
  CHECK(BarriersToUsual(layout)[1] == Barrier::kStream);
}

TEST_CASE("The usual stream is that of the most blocks, though one block of another is larger") {
  Stream stream;
  AddSegment(stream, kSegment, 0, 0);
  stream.Allocate(kSegment + 20 * kMiB, 10 * kMiB);
  stream.Add(EventKind::kSegmentAllocate, 2 * kSegment, 100 * kMiB).stream = kSideStream;
  stream.Allocate(2 * kSegment, 90 * kMiB);
  const Layout layout = LayOut(StateOf(stream));
  CHECK_FALSE(BarriersToUsual(layout)[0]);
  CHECK(BarriersToUsual(layout)[1] == Barrier::kStream);
}

TEST_CASE("A block that spans two pieces of an expandable segment lies in both") {
  Stream stream;
  stream.Add(EventKind::kSegmentMap, kSegment, 20 * kMiB).pool = 1;
  stream.Add(EventKind::kSegmentMap, kSegment + 20 * kMiB, 40 * kMiB);  // whose pool nobody told
  stream.Allocate(kSegment, 50 * kMiB).pool = 1;
  const Layout layout = LayOut(StateOf(stream));
  REQUIRE(layout.segments.size() == 2);
  CHECK(layout.segments[0].free_bytes == 0);
  CHECK(layout.segments[1].free_bytes == 10 * kMiB);
  CHECK(int{layout.segments[1].list.pool} == 1);
  REQUIRE(layout.segments[1].pieces.size() == 2);
  CHECK(layout.segments[1].pieces[0].block == size_t{0});
  CHECK(layout.segments[1].pieces[0].bytes == 30 * kMiB);
}

TEST_CASE("A block that is told larger than its segment takes nothing of the next") {
  Stream stream;
  stream.Add(EventKind::kSegmentAllocate, kSegment, 20 * kMiB);
  stream.Add(EventKind::kSegmentAllocate, kSegment + 20 * kMiB, 40 * kMiB);
  stream.Allocate(kSegment, 50 * kMiB);
  CHECK(LayOut(StateOf(stream)).segments[1].free_bytes == 40 * kMiB);
}

TEST_CASE("Where blocks lie in no segment nobody knows what is out of reach") {
  Stream stream;
  AddSegment(stream, kSegment, 1, 0);
  stream.Allocate(9 * kSegment, 512);
  CHECK(BarredFrom({}, LayOut(StateOf(stream))) == BarredBytes{});
}

TEST_CASE("Segments that no memory has are laid out without running over") {
  Stream stream;
  stream.Add(EventKind::kSegmentAllocate, kSegment, std::numeric_limits<int64_t>::max());
  stream.Allocate(kSegment, std::numeric_limits<int64_t>::max());
  CHECK(LayOut(StateOf(stream)).segments[0].free_bytes == 0);
}

}  // namespace tidemark::timeline
