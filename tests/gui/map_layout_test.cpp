#include "app/gui/panels/map_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "app/gui/panels/memory_map.h"
#include "tests/gui/measured.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {
namespace {

using presenters::MapSegment;

std::vector<MapSegment> Segments(const std::vector<int64_t>& sizes) {
  std::vector<MapSegment> segments(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) segments[i].bytes = sizes[i];
  return segments;
}

constexpr int64_t kMebibyte = 1 << 20;

}  // namespace

TEST_CASE("Many small segments beside a few large ones are all drawn on one scale") {
  // Of ResNet-50 with batch 64: 102 segments, of 2 to 392 MiB.
  std::vector<int64_t> sizes(80, 2 * kMebibyte);
  for (int i = 0; i < 22; ++i) sizes.insert(sizes.begin() + i * 4, (20 + i * 17) * kMebibyte);
  const ImRect area({0, 0}, {880, 210});
  const MapLayout layout = LayOutMap(Segments(sizes), area);
  REQUIRE(layout.segments.size() == sizes.size());
  const auto largest = static_cast<size_t>(std::ranges::max_element(sizes) - sizes.begin());
  const auto width = [&](size_t i) { return layout.segments[i].GetWidth(); };
  CHECK(width(largest) > 8 * width(static_cast<size_t>(std::ranges::min_element(sizes) - sizes.begin())));
  for (size_t i = 0; i < sizes.size(); ++i) {
    CHECK(layout.segments[i].Max.x <= area.Max.x + 1);
    CHECK(layout.segments[i].Max.y <= area.Max.y + 1);
    if (sizes[i] > 100 * kMebibyte)  // wide enough to be told apart: by its size
      CHECK(width(i) / width(largest) ==
            Approx(static_cast<double>(sizes[i]) / static_cast<double>(sizes[largest])).margin(0.01));
  }
}

TEST_CASE("A few segments fill the rows that there is room for") {
  const MapLayout layout = LayOutMap(Segments({20 * kMebibyte, 20 * kMebibyte}), ImRect({0, 0}, {400, 100}));
  CHECK(layout.segments[0].GetWidth() > 150);
  CHECK(layout.segments[0].Min.y == layout.segments[1].Min.y);
  CHECK(layout.labels);
}

TEST_CASE("Segments that a low map could not tell apart lie in more rows than it shows at a time") {
  std::vector<int64_t> sizes(60, 2 * kMebibyte);
  sizes.resize(70, 20 * kMebibyte);
  const ImRect area({0, 0}, {520, 50});
  const MapLayout layout = LayOutMap(Segments(sizes), area);
  CHECK(layout.height > area.GetHeight());
  CHECK(layout.segments.back().Max.y <= layout.height);
  CHECK(layout.segments.front().GetHeight() >= 20);
  float all = 0;
  for (const ImRect& box : layout.segments) {
    CHECK(box.Max.x <= area.Max.x + 1);
    all += box.GetWidth();
  }
  CHECK(all / static_cast<float>(sizes.size()) > 12);
  CHECK(LayOutMap(Segments(sizes), {{0, 0}, {880, 210}}).height <= 210);
}

TEST_CASE("Of rows that are scrolled to, those in sight are whole") {
  const std::vector<MapSegment> segments = Segments(std::vector<int64_t>(200, 20 * kMebibyte));
  for (const float height : {12.0F, 30.0F, 50.0F, 70.0F, 95.0F}) {
    const MapLayout layout = LayOutMap(segments, ImRect({0, 0}, {586, height}));
    REQUIRE(layout.height > height);
    const float in_sight = height / layout.row_height;
    CHECK(in_sight == Approx(std::round(in_sight)));
    CHECK(layout.row_height >= std::min(height, 20.0F));
  }
}

TEST_CASE("More segments than there is room for, and sizes that no memory has, are laid out all the same") {
  const ImRect area({0, 0}, {300, 60});
  CHECK(LayOutMap(Segments(std::vector<int64_t>(20'000, kMebibyte)), area).segments.size() == 20'000);
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const ImRect& box : LayOutMap(Segments({kMost, kMost, -5}), area).segments)
    CHECK((box.GetWidth() > 0 && box.GetWidth() <= 300));
}

TEST_CASE("No sliver has its size below it where a larger segment has none") {
  const ImRect area({0, 0}, {600, 80});
  MapLayout layout;
  for (const auto& [left, right] : {std::pair(0.0F, 200.0F), {205.0F, 211.0F}, {216.0F, 250.0F}})
    layout.segments.push_back({left, 0, right, 60});
  const auto named = [&](const std::vector<float>& widths) {
    std::vector<size_t> segments;
    for (const MapSize& size : SizesBelow(layout, widths, area)) segments.push_back(size.segment);
    return segments;
  };
  CHECK(named({50, 30, 46}) == std::vector<size_t>{0, 2});  // beside each other the larger's
  CHECK(named({50, 30, 80}) == std::vector<size_t>{0});     // and none for the smaller, though it is shorter
  layout.segments = {{0, 0, 40, 60}, {45, 0, 85, 60}, {90, 0, 100, 60}, {500, 0, 506, 60}};
  CHECK(named({50, 50, 60, 30}) == std::vector<size_t>{0});  // the second has no room, nor a sliver then
  CHECK(named({30, 30, 0, 30}) == std::vector<size_t>{0, 1, 3});
  layout.segments.resize(3);
  CHECK(named({0, 0, 40}) == std::vector<size_t>{2});  // of those in sight
}

TEST_CASE_METHOD(Measured, "A pinned moment's map tells of its private pools, rather than how to leave it") {
  timeline::Stream stream;
  stream.Add(events::EventKind::kSegmentAllocate, 0x10000000, 64 * kMebibyte).pool = 1;
  stream.Allocate(0x10000000, 2 * kMebibyte).pool = 1;
  const auto view = stream.Publish();
  const timeline::State state = view->StateAt(stream.latest());
  const presenters::MemoryMap map = presenters::MakeMemoryMap(state);
  MapDrawing drawing;
  MemoryMapInput input;
  input.view = view.get();
  input.state = &state;
  input.map = &map;
  input.drawing = &drawing;
  input.last = stream.latest();
  input.pinned = true;
  input.escapes = 1;
  input.unpinned = "at the peak of the run, in step 9";
  MemoryMapState chosen;
  CommandQueue queue;
  const auto told = [&](float width) {
    return WordsIn(
        {width, 220}, [&] { DrawMemoryMapPanel(input, chosen, queue); }, "panel " + std::to_string(width));
  };
  const std::string wide = told(1000);
  const std::string narrow = told(560);
  CHECK(wide.find("pinned; Esc twice: back at the peak of the run, in step 9") != std::string::npos);
  CHECK(narrow.find("pinned; Esc twice") != std::string::npos);
  CHECK(wide.find("in private pools (dashed)") != std::string::npos);
  CHECK(narrow.find("in private pools (dashed)") != std::string::npos);
}

}  // namespace tidemark::gui
