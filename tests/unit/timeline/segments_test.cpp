#include "profiler/timeline/segments.h"

#include "tests/support/catch.h"

namespace tidemark::timeline {
namespace {

std::vector<Segment> ListOf(const Segments& segments) {
  std::vector<Segment> list;
  segments.AppendTo(list);
  return list;
}

}  // namespace

TEST_CASE("Neighbouring pieces of an expandable segment are one; other neighbours are not") {
  Segments segments;
  CHECK(segments.Reserve({100, 10, 1, true}) == 10);
  CHECK(segments.Reserve({120, 10, 2, true}) == 10);
  CHECK(segments.Reserve({110, 10, 3, true}) == 10);
  REQUIRE(segments.size() == 1);
  CHECK(ListOf(segments)[0].bytes == 30);
  CHECK(segments.Reserve({130, 10, 4, false}) == 10);
  CHECK(segments.Reserve({140, 10, 5, false}) == 10);
  CHECK(segments.size() == 3);
}

TEST_CASE("Neighbouring pieces of other streams and pools are no part of an expandable segment") {
  Segments segments;
  segments.Reserve({100, 10, 1, true});
  segments.Reserve({110, 10, 2, true, 0, 1});
  segments.Reserve({120, 10, 3, true, 0, 1, 0x5555});
  CHECK(segments.size() == 3);
}

TEST_CASE("Unmapping a part of a segment leaves its ends") {
  Segments segments;
  segments.Reserve({100, 100, 7, true, 0, 3, 0x5555});
  CHECK(segments.Release(130, 20) == 20);
  const std::vector<Segment> left = ListOf(segments);
  REQUIRE(left.size() == 2);
  CHECK(left[0].bytes == 30);
  CHECK(left[1].address == 150);
  CHECK(left[1].bytes == 50);
  CHECK(left[1].born == 7);
  for (const Segment& end : left) {
    CHECK(int{end.pool} == 3);
    CHECK(end.stream == 0x5555);
  }
  CHECK(segments.Release(0, 1000) == 80);
  CHECK(segments.size() == 0);
  CHECK(segments.Release(100, 100) == 0);
}

TEST_CASE("The segment that holds an address is found by any address in it") {
  Segments segments;
  segments.Reserve({100, 50, 7, false});
  REQUIRE(segments.At(149) != nullptr);
  CHECK(segments.At(149)->born == 7);
  CHECK(segments.At(99) == nullptr);
  CHECK(segments.At(150) == nullptr);
}

TEST_CASE("What is reserved twice counts once") {
  Segments segments;
  CHECK(segments.Reserve({100, 100, 1, false}) == 100);
  CHECK(segments.Reserve({150, 100, 2, false}) == 50);
  CHECK(segments.SizeAt(100) == 50);
  CHECK(segments.SizeAt(150) == 100);
  CHECK(segments.SizeAt(151) == 0);
  CHECK(segments.Reserve({0, 0, 3, false}) == 0);
}

TEST_CASE("Segments at the end of the address space do not wrap around it") {
  Segments segments;
  const uint64_t last = ~uint64_t{0} - 10;
  CHECK(segments.Reserve({last, 1000, 1, true}) == 10);
  CHECK(segments.Release(last, 1000) == 10);
}

}  // namespace tidemark::timeline
