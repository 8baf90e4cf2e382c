#include "app/gui/panels/timeline_labels.h"

#include <cstdint>
#include <set>
#include <vector>

#include "app/gui/panels/timeline_parts.h"
#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE("A line's label stands at its end, unless it holds nothing there or there is no room") {
  // A level that begins with nothing, and falls to nothing at its end.
  const std::vector<int64_t> bytes = {0, 0, 0, 0, 7, 7, 7, 7, 0};
  std::set<size_t> taken;
  const auto place = [&] {
    return ColumnForLabel(bytes.size(),
                          [&](size_t column) { return bytes[column] > 0 && !taken.contains(column); });
  };
  CHECK(place() == 4);  // neither at the right nor at the left
  taken.insert(4);
  CHECK(place() == 6);
  taken = {4, 5, 6};
  CHECK(place() == 7);
  taken.insert(7);
  CHECK_FALSE(place());
  CHECK(ColumnForLabel(9, [](size_t) { return true; }) == 8);
  CHECK_FALSE(ColumnForLabel(0, [](size_t) { return true; }));
  CHECK(ColumnForLabel(1, [](size_t) { return true; }) == 0);
  CHECK_FALSE(ColumnForLabel(1, [](size_t) { return false; }));
}

TEST_CASE("A second run's curve is drawn as it is, but for what goes up and down too fast to be seen") {
  TimelineGeometry geometry;
  geometry.plot = {{0, 0}, {100, 100}};
  geometry.visible = {0, 100};
  geometry.top_bytes = 100;  // a byte for a pixel, and an event
  std::vector<presenters::PlotLevel> levels;
  const auto add = [&](int64_t bytes) {
    const auto begin = static_cast<double>(levels.size());
    levels.push_back({begin, begin + 1, bytes});
  };
  for (int64_t i = 0; i < 40; ++i) add(2 * i);  // up, and one spike
  levels[20].bytes = 90;
  CHECK(ToldApart(geometry, levels).size() == 40);
  for (int64_t i = 0; i < 20; ++i) add(i % 2 == 0 ? 10 : 70);  // a comb
  const std::vector<presenters::PlotLevel> told = ToldApart(geometry, levels);
  CHECK(told.size() < 50);
  CHECK(told.back().bytes == 70);
  CHECK(told.back().end == 60);
}

TEST_CASE("A block's title moves aside where a level's line would strike it through") {
  TimelineGeometry geometry;
  geometry.plot = {{0, 0}, {1000, 100}};
  geometry.visible = {0, 1000};
  geometry.top_bytes = 100;  // a byte for a pixel
  presenters::TimelinePlot plot;
  const ImRect box({100, 20}, {400, 80});
  CHECK(TitleTop(geometry, plot, box, 105, 200) == 42.5F);
  plot.textbook = {{0, 1000, 50}};  // through the middle, at y = 50
  const auto below = TitleTop(geometry, plot, box, 105, 200);
  REQUIRE(below);
  CHECK(*below > 50);
  plot.phantom = {{150, 1000, 42}};  // and one right below it
  const auto above = TitleTop(geometry, plot, box, 105, 200);
  REQUIRE(above);
  CHECK(*above + 15 < 50);
  plot.phantom = {{300, 1000, 42}};  // behind the title's end
  CHECK(TitleTop(geometry, plot, box, 105, 200) == below);
  CHECK_FALSE(TitleTop(geometry, plot, {{100, 40}, {400, 58}}, 105, 200));
  CHECK(TitleTop(geometry, {}, {{100, 40}, {400, 58}}, 105, 200));
}

}  // namespace tidemark::gui
