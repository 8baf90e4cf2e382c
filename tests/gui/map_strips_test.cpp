#include "app/gui/panels/map_strips.h"

#include <memory>
#include <utility>

#include "app/gui/panels/map_drawing.h"
#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

using events::Category;
using presenters::MapSegment;

// Blocks in a row, by size, each a byte more than was asked for.
MapSegment SegmentOf(int64_t bytes, const std::vector<std::pair<int64_t, Category>>& blocks) {
  MapSegment segment;
  segment.bytes = bytes;
  int64_t offset = 0;
  for (const auto& [size, category] : blocks) {
    segment.blocks.push_back({offset, size, 1, segment.blocks.size(), category, false});
    offset += size;
  }
  return segment;
}

}  // namespace

TEST_CASE("Blocks of a map that are wide enough are a strip each") {
  const MapSegment segment =
      SegmentOf(1000, {{100, Category::kParameter}, {300, Category::kInput}, {600, Category::kUnknown}});
  const auto strips = StripsOf(segment, 100, nullptr, nullptr);
  REQUIRE(strips.size() == 3);
  CHECK(strips[1].left == Approx(10));
  CHECK(strips[1].right == Approx(40));
  CHECK(strips[1].shown == 1);
  CHECK(strips[1].blocks == 1);
  CHECK(StripAt(strips, 39.5F) == &strips[1]);
  CHECK(StripAt(strips, 40.5F) == &strips[2]);
}

TEST_CASE("However many blocks a map has, it draws no more strips than pixels, and counts them all") {
  const std::vector<std::pair<int64_t, Category>> many(100'000, {512, Category::kActivation});
  const MapSegment segment = SegmentOf(100'000 * 512, many);
  const auto strips = StripsOf(segment, 400, nullptr, nullptr);
  REQUIRE(strips.size() == 400);
  size_t blocks = 0;
  int64_t bytes = 0;
  int64_t rounding = 0;
  for (size_t i = 0; i < strips.size(); ++i) {
    CHECK(strips[i].left == static_cast<float>(i));
    CHECK(strips[i].right == static_cast<float>(i + 1));
    blocks += strips[i].blocks;
    bytes += strips[i].bytes;
    rounding += strips[i].rounding_bytes;
  }
  CHECK(blocks == 100'000);
  CHECK(bytes == segment.bytes);
  CHECK(rounding == 100'000);
}

TEST_CASE("A strip of several blocks looks like most of its bytes, and like what is lit up in it") {
  // In one pixel: 30 bytes of the batch, 40 of parameters, in three blocks.
  const MapSegment segment = SegmentOf(10'000, {{30, Category::kInput},
                                                {10, Category::kParameter},
                                                {20, Category::kParameter},
                                                {10, Category::kParameter},
                                                {5, Category::kGradient},
                                                {9000, Category::kUnknown}});
  const auto strips = StripsOf(segment, 100, nullptr, nullptr);
  REQUIRE(strips.size() == 2);
  CHECK(strips[0].shown == 2);
  CHECK(strips[0].blocks == 5);
  CHECK(strips[0].bytes == 75);
  CHECK_FALSE(strips[0].lit);
  const std::vector<bool> lit = {true, false, false, false, true, false};
  const auto of_selected = StripsOf(segment, 100, &lit, nullptr);
  CHECK(of_selected[0].lit);
  CHECK(of_selected[0].shown == 0);
  CHECK(of_selected[0].blocks == 5);
  CHECK_FALSE(of_selected[1].lit);
  // In the colours of another stack: the batch and the gradient are of one layer, the parameters of others.
  const std::vector<uint8_t> groups = {4, 1, 2, 3, 4, 0};
  CHECK(StripsOf(segment, 100, nullptr, &groups)[0].shown == 0);
}

TEST_CASE("Between the blocks of a map nobody points at one") {
  MapSegment segment = SegmentOf(1000, {{100, Category::kParameter}, {1, Category::kInput}});
  segment.blocks[1].offset_bytes = 505;
  const auto strips = StripsOf(segment, 100, nullptr, nullptr);
  REQUIRE(strips.size() == 2);
  CHECK(StripAt(strips, 10.5F) == nullptr);
  CHECK(StripAt(strips, 50.5F) == &strips[1]);  // its pixel
  CHECK(StripAt(strips, 51) == nullptr);
  CHECK(StripAt({}, 1) == nullptr);
  CHECK(StripsOf(MapSegment(), 100, nullptr, nullptr).empty());
}

TEST_CASE("However many gaps a map has, it tells no more apart than pixels, and each that is wide enough") {
  MapSegment segment = SegmentOf(100'000, {});
  for (int64_t gap = 0; gap < 20'000; ++gap) segment.gaps.push_back({4 * gap, 2});
  segment.gaps.push_back({90'000, 10'000});
  const auto spans = FreeSpansOf(segment, 100);
  CHECK(spans.size() <= 81);
  CHECK(spans.size() >= 40);
  for (size_t i = 1; i < spans.size(); ++i) CHECK(spans[i].left >= spans[i - 1].right);
  CHECK(spans.back().left == Approx(90));
  CHECK(spans.back().right == Approx(100));
  CHECK(spans.back().bytes == 10'000);
  CHECK(FreeSpansOf(MapSegment(), 100).empty());
}

TEST_CASE("What is drawn of a map is looked for anew only where its room, or what is lit up, is another") {
  const MapSegment segment = SegmentOf(1000, {{100, Category::kParameter}, {900, Category::kInput}});
  KeptMapStrips kept;
  const LitBlocks none;
  const MapStrip* const first = kept.Of(3, segment, 100, none, nullptr).blocks.data();
  CHECK(kept.Of(3, segment, 100, none, nullptr).blocks.data() == first);
  CHECK_FALSE(kept.Of(3, segment, 100, none, nullptr).blocks[1].lit);
  const auto lit = std::make_shared<const std::vector<bool>>(std::vector<bool>{false, true});
  CHECK(kept.Of(3, segment, 100, lit, nullptr).blocks[1].lit);
  CHECK(kept.Of(3, segment, 200, lit, nullptr).blocks[1].right == 200);
  CHECK_FALSE(kept.Of(3, segment, 200, none, nullptr).blocks[1].lit);

  KeptMapLayout layout;
  const std::vector<MapSegment> segments{segment};
  for (const float room : {100.0F, 200.0F, 200.0F, 100.0F}) {
    const ImRect area(0, 0, room, 50);
    CHECK(layout.Of(segments, area).segments[0].Max.x == LayOutMap(segments, area).segments[0].Max.x);
  }
}

}  // namespace tidemark::gui
