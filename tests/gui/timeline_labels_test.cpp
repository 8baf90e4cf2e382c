#include "app/gui/panels/timeline/timeline_labels.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <variant>
#include <vector>

#include "app/gui/panels/timeline/timeline_parts.h"
#include "tests/gui/measured.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {

namespace {

// A plot of so many pixels that shows as many events, and a byte for a pixel.
TimelineGeometry Geometry(float width) {
  TimelineGeometry geometry;
  geometry.plot = {{0, 0}, {width, 100}};
  geometry.visible = {0, width};
  geometry.top_bytes = 100;
  return geometry;
}

// The filled rectangles of a list, without its texts.
std::vector<ImRect> RectsIn(const ImDrawList& list) {
  std::vector<ImRect> rects;
  for (int i = 0; i + 3 < list.VtxBuffer.Size; i += 4) {
    const ImDrawVert& first = list.VtxBuffer[i];
    const bool is_filled =
        first.uv.x == list._Data->TexUvWhitePixel.x && first.uv.y == list._Data->TexUvWhitePixel.y;
    if (is_filled) rects.emplace_back(first.pos, list.VtxBuffer[i + 2].pos);
  }
  return rects;
}

}  // namespace

TEST_CASE("What is in sight is counted of the run only, wherever the axis ends") {
  using presenters::TimeAxis;
  CHECK(SightInWords(TimeAxis::kEvents, {-100, 9000}, {0, 8533}) == "8,533 events in sight");
  CHECK(SightInWords(TimeAxis::kEvents, {10, 11}, {0, 8533}) == "1 event in sight");
  CHECK(SightInWords(TimeAxis::kWallClock, {0, 9e9}, {0, 2e6}) == "2.00 ms in sight");
  CHECK(SightInWords(TimeAxis::kEvents, {9000, 9100}, {0, 8533}).empty());
}

TEST_CASE_METHOD(Measured, "The axis reaches up to what the card has where the curve comes near that") {
  presenters::TimelinePlot plot;
  plot.highest_bytes = 1'800'000'000;
  TimelineInput input;
  input.plot = &plot;
  TimelineState state;
  const auto top = [&](int64_t card_bytes) {
    input.capacity.bytes = card_bytes;
    TimelineGeometry geometry = Geometry(1000);
    ChooseVerticalAxis(input, state, &geometry);
    return geometry.top_bytes;
  };
  CHECK(top(2'600'000'000) >= 2.6e9);
  CHECK(top(30'000'000'000) < 2.6e9);
  state.fit_lines = true;
  CHECK(top(30'000'000'000) >= 30e9);
  state.fit_lines = false;
  state.magnified = 2;
  CHECK(top(2'600'000'000) < 2.6e9);
}

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

TEST_CASE("A line's label tells the latest that it holds, wherever it stands") {
  CHECK(LatestHeld(std::vector<int64_t>{1, 9, 5}) == 5);
  CHECK(LatestHeld(std::vector<int64_t>{0, 7, 0, 0}) == 7);  // its process ended
  CHECK(LatestHeld({}) == 0);
  CHECK(LatestHeld(std::vector<int64_t>{0, 0}) == 0);
}

TEST_CASE("A line's label has its size where the line stands at that, and only its name where it does not") {
  const TimelineGeometry geometry = Geometry(1000);
  CHECK(TextOnLine(geometry, "reserved", 80, 80, ByteUnit::kMegabytes) == "reserved 80 B");
  CHECK(TextOnLine(geometry, "reserved", 80, 79, ByteUnit::kMegabytes) == "reserved 80 B");
  CHECK(TextOnLine(geometry, "reserved", 80, 30, ByteUnit::kMegabytes) == "reserved");
  CHECK(TextBesideLatest("reserved", 90, ByteUnit::kMegabytes) == "reserved, at most 90 B");
}

TEST_CASE("A size that was told before the moment it stands at says so, on its line and above the axis") {
  const TimelineGeometry geometry = Geometry(1000);
  const std::string when_told = ", told 62.0 ms before";
  CHECK(TextOnLine(geometry, "process", 80, 80, ByteUnit::kMegabytes, when_told) ==
        "process 80 B, told 62.0 ms before");
  CHECK(TextOnLine(geometry, "process", 80, 30, ByteUnit::kMegabytes, when_told) == "process");
  AboveAxis above;
  above.Add("textbook", 70);
  above.Add("textbook", 90);
  above.Add("process", 80, when_told);
  CHECK(above.InWords(ByteUnit::kMegabytes) == "↑ textbook 90 B · process 80 B, told 62.0 ms before");
  CHECK(AboveAxis().InWords(ByteUnit::kMegabytes).empty());
  AboveAxis alike;
  alike.Add("reserved", 300);
  alike.Add("driver", 300);
  alike.Add("process", 900);
  CHECK(alike.InWords(ByteUnit::kMegabytes) == "↑ reserved · driver 300 B · process 900 B");
}

TEST_CASE_METHOD(Measured, "What lies above the axis is told over the plot, where no stack is") {
  TimelineGeometry geometry = Geometry(300);
  geometry.plot.Translate({0, 60});
  AboveAxis above;
  for (const char* title : {"reserved", "driver", "process", "card", "the card has"})
    above.Add(title, 218'100'000);
  TimelineLabels labels;
  ImGui::Begin("timeline");
  DrawAbove(ImGui::GetWindowDrawList(), geometry, above, ByteUnit::kMegabytes, &labels);
  ImGui::End();
  REQUIRE(labels.places.size() == 1);
  CHECK(labels.places.front().Max.y <= geometry.plot.Min.y);
  CHECK(labels.places.front().Min.x >= geometry.plot.Min.x);  // what has no room is cut
}

TEST_CASE_METHOD(Measured,
                 "A click pins the moment whose block the frame before told, also where the run moved on") {
  presenters::TimelinePlot plot;
  for (int k = 0; k < 10; ++k)
    plot.columns.push_back({k * 100.0, (k + 1) * 100.0, {}, 0, 0, static_cast<events::EventIndex>(k)});
  TimelineInput input;
  input.plot = &plot;
  TimelineGeometry geometry = Geometry(600);
  TimelineState state;
  CommandQueue queue;
  const auto draw = [&](bool is_down) {
    ImGui::EndFrame();
    ImGui::GetIO().AddMousePosEvent(350, 50);
    ImGui::GetIO().AddMouseButtonEvent(ImGuiMouseButton_Left, is_down);
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({700, 300});
    ImGui::Begin("timeline");
    HandlePlotInput(input, geometry, state, queue);
    ImGui::End();
  };
  for (const bool is_down : {false, false, false, true}) draw(is_down);
  input.hovered.emplace().born = 3;  // as the scene finds what lay there
  geometry.visible = {200, 800};
  draw(false);
  const std::vector<Command> told = queue.Take();
  REQUIRE(told.size() == 1);
  const auto* pinned = std::get_if<PinMoment>(&told.front());
  REQUIRE(pinned != nullptr);
  CHECK(pinned->index == 3);
  CHECK(pinned->selection == presenters::AllocationSelected(3));
}

TEST_CASE("Of a second run what goes up and down too fast to be seen is found") {
  const TimelineGeometry geometry = Geometry(100);
  std::vector<presenters::PlotLevel> levels;
  const auto add = [&](int64_t bytes) {
    const auto begin = static_cast<double>(levels.size());
    levels.push_back({begin, begin + 1, bytes});
  };
  for (int64_t i = 0; i < 40; ++i) add(2 * i);  // up, and one spike
  levels[20].bytes = 90;
  CHECK(InCombs(geometry, levels) == std::vector<bool>(40, false));
  for (int64_t i = 0; i < 20; ++i) add(i % 2 == 0 ? 10 : 70);  // a comb
  const std::vector<bool> in_combs = InCombs(geometry, levels);
  REQUIRE(in_combs.size() == 60);
  CHECK(std::ranges::count(in_combs.begin(), in_combs.begin() + 30, true) == 0);
  CHECK(std::ranges::count(in_combs.begin() + 40, in_combs.end(), true) == 20);
}

TEST_CASE_METHOD(Measured, "A second run's curve is drawn where it is, at any width, and nothing beside it") {
  std::mt19937 random(7);
  presenters::TimelinePlot plot;
  TimelineInput input;
  input.plot = &plot;
  input.compared = "other.tide";
  for (int width = 40; width <= 2000; width += 49) {
    const TimelineGeometry geometry = Geometry(static_cast<float>(width));
    plot.compared.clear();
    for (int i = 0; i < width; ++i) {  // slopes, combs, spikes
      const int64_t bytes = 10 + i * 40 / width + (i / 30 % 2 == 0 ? static_cast<int64_t>(random() % 9) : 0);
      plot.compared.push_back({static_cast<double>(i), i + 1.0, bytes});
    }
    plot.compared[static_cast<size_t>(width) / 3].bytes = 75;  // the highest
    TimelineLabels labels;
    labels.plot = &plot;
    for (int i = 0; i < width; i += 10)  // where its label would be
      labels.places.push_back({static_cast<float>(i), 5, static_cast<float>(i) + 8, 40});
    ImDrawList* const list = ImGui::GetForegroundDrawList();
    list->_ResetForNewFrame();
    list->PushTexture(ImGui::GetIO().Fonts->TexRef);
    list->PushClipRectFullScreen();
    list->ChannelsSplit(2);
    list->ChannelsSetCurrent(kLineChannel);
    DrawCompared(list, geometry, input, &labels);
    list->ChannelsMerge();
    for (const auto& level : plot.compared) {
      const float y = geometry.Y(static_cast<double>(level.bytes));
      CAPTURE(width, level.begin);
      CHECK(std::ranges::any_of(RectsIn(*list), [&](const ImRect& rect) {
        return rect.Min.x == level.begin && rect.Max.x == level.end && rect.GetCenter().y == y;
      }));
    }
    for (const ImRect& rect : RectsIn(*list)) {
      if (rect.GetHeight() <= 1) continue;  // a dot of the pointer
      const auto first = static_cast<size_t>(std::max(0.0F, rect.Min.x - 1));
      const auto end = std::min(plot.compared.size(), static_cast<size_t>(rect.Max.x + 1));
      int64_t highest = 0;
      for (size_t i = first; i < end; ++i) highest = std::max(highest, plot.compared[i].bytes);
      CAPTURE(width, rect.Min.x);
      CHECK(rect.Min.y >= geometry.Y(static_cast<double>(highest)) - 1);
    }
  }
}

TEST_CASE("A block's title moves aside where a level's line would strike it through") {
  const TimelineGeometry geometry = Geometry(1000);
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

TEST_CASE("A label stands where it lies on no line and no block, and on them only where all is taken") {
  const TimelineGeometry geometry = Geometry(1000);
  presenters::TimelinePlot plot;
  for (int i = 0; i < 100; ++i) {  // 60 high at the left, then 10; 80 are reserved
    presenters::PlotColumn column{.begin = 10.0 * i, .end = 10.0 * (i + 1), .reserved_max = 80};
    column.at_peak[static_cast<size_t>(timeline::Series::kAllocated)] = i < 50 ? 60 : 10;
    plot.columns.push_back(column);
  }
  CHECK(IsClear(geometry, plot, {{600, 30}, {700, 50}}));
  CHECK_FALSE(IsClear(geometry, plot, {{200, 50}, {300, 70}}));  // on blocks
  CHECK_FALSE(IsClear(geometry, plot, {{450, 50}, {550, 70}}));  // with its left half
  CHECK_FALSE(IsClear(geometry, plot, {{600, 15}, {700, 35}}));  // on the line of what is reserved
  plot.textbook = {{0, 1000, 55}};
  CHECK_FALSE(IsClear(geometry, plot, {{600, 30}, {700, 50}}));
  plot.textbook.clear();
  plot.lines.push_back({"driver", 0, 1000, std::vector<int64_t>(20, 65)});
  CHECK_FALSE(IsClear(geometry, plot, {{600, 30}, {700, 50}}));
  plot.lines.clear();
  TimelineLabels labels;
  labels.plot = &plot;
  const float y = geometry.Y(40);
  const auto aside = FindPlace(geometry, labels, {100, 16}, y, {10, 700});
  REQUIRE(aside);
  CHECK(aside->Min.x == 700);
  const auto on_blocks = FindPlace(geometry, labels, {100, 16}, y, {10, 100});
  REQUIRE(on_blocks);
  CHECK(on_blocks->Min.x == 10);
  CHECK_FALSE(FindPlaceOn(Ground::kClear, geometry, labels, {100, 16}, y, {10, 100}));
}

TEST_CASE("A label lies rather on the stack than on another line, which would strike it through") {
  const TimelineGeometry geometry = Geometry(1000);
  presenters::TimelinePlot plot;
  for (int i = 0; i < 100; ++i) {
    presenters::PlotColumn column{.begin = 10.0 * i, .end = 10.0 * (i + 1), .reserved_max = 70};
    column.at_peak[static_cast<size_t>(timeline::Series::kAllocated)] = 60;
    plot.columns.push_back(column);
  }
  plot.lines.push_back({"driver", 0, 1000, std::vector<int64_t>(20, 85)});  // there is no room above it
  TimelineLabels labels;
  labels.plot = &plot;
  const float y = geometry.Y(62);
  const auto place = FindPlace(geometry, labels, {100, 16}, y, {10, 700});
  REQUIRE(place);
  CHECK_FALSE(CrossesCurve(geometry, plot, *place));
  CHECK(place->Min.y > y);
}

TEST_CASE("Where the line lies in the stack its label stands over that, or where it covers least of it") {
  const TimelineGeometry geometry = Geometry(1000);
  presenters::TimelinePlot plot;
  const auto stack = [&](int64_t left, int64_t right) {
    plot.columns.clear();
    for (int i = 0; i < 100; ++i) {
      presenters::PlotColumn column{.begin = 10.0 * i, .end = 10.0 * (i + 1)};
      column.at_peak[static_cast<size_t>(timeline::Series::kAllocated)] = i < 50 ? left : right;
      plot.columns.push_back(column);
    }
  };
  TimelineLabels labels;
  labels.plot = &plot;
  const auto place = [&](std::initializer_list<float> lefts) {
    const auto found = FindPlace(geometry, labels, {100, 16}, geometry.Y(20), lefts);
    REQUIRE(found);
    return *found;
  };
  stack(90, 40);
  CHECK(place({10, 700}).Max.y < geometry.Y(40));
  CHECK(place({10, 700}).Min.x == 700);
  stack(100, 95);
  CHECK(place({10, 700}).Min.x == 10);  // no better anywhere: at its line
  CHECK(place({10, 700}).Max.y == geometry.Y(20) - Px(3));
  stack(100, 0);
  labels.places = {{600, 0, 1000, 100}};
  CHECK(place({300, 470}).Min.x == 470);  // more than half of it beside the stack
  SECTION("judged over all of the plot while the stack moves under it") {
    labels.places.clear();
    labels.moving_stack.emplace(geometry, plot);
    CHECK(place({10, 700}).Min.x == 10);
    stack(40, 0);
    labels.moving_stack.emplace(geometry, plot);
    CHECK(place({10, 700}).Max.y < geometry.Y(40));
  }
}

TEST_CASE("How much a stack covers at a height is told of what of it is in sight") {
  const TimelineGeometry geometry = Geometry(1000);
  presenters::TimelinePlot plot;
  for (int i = -10; i < 100; ++i) {  // of the first ten none is in sight
    presenters::PlotColumn column{.begin = 10.0 * i, .end = 10.0 * (i + 1)};
    const int64_t bytes = i < 0 ? 90 : i < 25 ? 60 : i < 50 ? 30 : i < 75 ? 60 : 0;
    column.at_peak[static_cast<size_t>(timeline::Series::kAllocated)] = bytes;
    plot.columns.push_back(column);
  }
  const StackCover cover(geometry, plot);
  CHECK(cover.ShareAt(geometry.Y(61)) == 0);
  CHECK_THAT(cover.ShareAt(geometry.Y(60)), Catch::Matchers::WithinAbs(0.5, 1e-3));
  CHECK_THAT(cover.ShareAt(geometry.Y(31)), Catch::Matchers::WithinAbs(0.5, 1e-3));
  CHECK_THAT(cover.ShareAt(geometry.Y(0)), Catch::Matchers::WithinAbs(0.75, 1e-3));
  CHECK(StackCover(geometry, {}).ShareAt(100) == 0);
}

TEST_CASE_METHOD(Measured, "The rim of a label takes no more than seven times what is written") {
  ImDrawList* const list = ImGui::GetForegroundDrawList();
  list->ChannelsSplit(2);
  list->ChannelsSetCurrent(kLabelChannel);
  const auto vertices = [&](const auto& draw) {
    const int before = list->VtxBuffer.Size;
    draw();
    return list->VtxBuffer.Size - before;
  };
  const int written = vertices([&] { DrawText(list, {100, 40}, SmallMuted(), "textbook"); });
  CHECK(vertices([&] { DrawRimmed(list, {100, 40, 200, 56}, SmallMuted(), "textbook"); }) <= 7 * written);
  list->ChannelsMerge();
}

TEST_CASE_METHOD(Measured, "A label that is away from its line points there") {
  TimelineLabels labels;
  const auto vertices = [&](float y) {
    ImDrawList* const list = ImGui::GetForegroundDrawList();
    const int before = list->VtxBuffer.Size;
    list->ChannelsSplit(2);
    DrawLineLabel(list, {100, 40, 200, 56}, {150, y}, SmallMuted(), "textbook", 0, "", &labels);
    list->ChannelsMerge();
    return list->VtxBuffer.Size - before;
  };
  CHECK(vertices(120) > vertices(58));
  CHECK(vertices(10) > vertices(58));
}

TEST_CASE_METHOD(Measured, "What a label points with is no line, which would be a spike of the curve") {
  ImDrawList* const list = ImGui::GetForegroundDrawList();
  DrawPointer(list, {180, 40}, {180, 120}, Colors().compared);
  std::vector<ImRect> dots = RectsIn(*list);
  REQUIRE(dots.size() > 10);
  CHECK(dots.front().Max.y == 120);  // up to where it points
  for (size_t i = 0; i < dots.size(); ++i) {
    CHECK(dots[i].GetHeight() == 1);
    CHECK(dots[i].GetWidth() == 1);
    if (i > 0) CHECK(dots[i].Max.y < dots[i - 1].Min.y);
  }
}

TEST_CASE("A label crosses no marker's line and not the card's where another place is free") {
  const TimelineGeometry geometry = Geometry(1000);
  presenters::TimelinePlot plot;
  plot.markers = {{60, "fp16 on", ""}, {5000, "out of sight", ""}};
  TimelineInput input;
  input.plot = &plot;
  input.capacity.bytes = 90;
  TimelineLabels labels;
  labels.plot = &plot;
  TimelineState state;
  timeline::Stream stream;
  for (int i = 0; i <= 2000; ++i) stream.BeginPhase(events::Phase::kForward);
  const auto view = stream.Publish();
  input.view = view.get();
  state.cursors = {400, 2000};
  NoteLines(input, geometry, state, &labels);
  CHECK(labels.vertical_lines == std::vector<float>{60, 400});
  const auto aside = FindPlace(geometry, labels, {100, 16}, geometry.Y(40), {10, 700});
  REQUIRE(aside);
  CHECK(aside->Min.x == 700);
  const auto below =
      FindPlace(geometry, labels, {100, 16}, geometry.Y(80), {700});  // the card's is 10 above it
  REQUIRE(below);
  CHECK(below->Min.y > 20);
  CHECK(FindPlace(geometry, labels, {100, 16}, geometry.Y(40), {10}));  // there is no other
}

TEST_CASE_METHOD(Measured,
                 "A step of which little is in sight leaves the place below the next to that one's label") {
  TimelineGeometry geometry = Geometry(1000);
  geometry.steps = {{0, 120}, {1000, 136}};
  presenters::TimelinePlot plot;
  plot.steps = {{-500, 20, 7}, {20, 500, 168}, {500, 1500, 169}};
  const auto vertices = [&] {
    ImDrawList* const list = ImGui::GetForegroundDrawList();
    const int before = list->VtxBuffer.Size;
    DrawSteps(list, geometry, plot);
    return list->VtxBuffer.Size - before;
  };
  const int of_whole = vertices();
  plot.steps.erase(plot.steps.begin());
  CHECK(vertices() == of_whole);  // 168 and 169, and their lines, each time
  plot.steps = {{-500, 400, 7}};
  CHECK(vertices() > 0);
}

TEST_CASE("Lines that lie on each other share a label, where they are told") {
  const TimelineGeometry geometry = Geometry(100);
  const auto lie = [&](std::vector<int64_t> one, std::vector<int64_t> other) {
    return LieOnEachOther(geometry, one, other, ByteUnit::kMebibytes);
  };
  CHECK(lie({10, 40, 40}, {40, 40}));  // of the other no more is known
  CHECK(lie({10, 40, 40}, {0, 40, 40}));
  CHECK_FALSE(lie({10, 40, 40}, {20, 40, 40}));
  CHECK(lie({10, 10, 40, 40}, {10, 40, 40, 40}));  // the one rises a column before the other
  CHECK_FALSE(lie({10, 10, 10, 40}, {10, 40, 40, 40}));
  CHECK_FALSE(lie({40, 40}, {40, 41}));  // drawn as one, and told as two
  CHECK_FALSE(lie({}, {40}));
}

TEST_CASE("Failures of one size that lie side by side have one label, which counts them") {
  const TimelineGeometry geometry = Geometry(1000);
  const std::vector<presenters::PlotMarker> markers = {
      {10, "2 GB", ""}, {20, "2 GB", ""}, {90, "2 GB", ""}, {120, "2 GB", ""}, {130, "1 GB", ""}};
  const std::vector<presenters::PlotMarker> joined = Joined(geometry, markers, 100);
  REQUIRE(joined.size() == 3);
  CHECK(joined[0].text == "2 GB, 3 times");
  CHECK(joined[1].text == "2 GB");
  CHECK(joined[1].position == 120);
  CHECK(joined[2].text == "1 GB");
}

TEST_CASE_METHOD(Measured, "A failure's label is told shorter where it has no room, before it is cut") {
  timeline::Stream stream;
  stream.Allocate(512, 1 << 20);
  stream.Add(events::EventKind::kOutOfMemory, 0, 9'437'184);
  const auto view = stream.Publish();
  const presenters::TimelinePlot plot =
      presenters::MakeTimelinePlot(*view, {}, {.visible = {0, 2}, .columns = 2});
  REQUIRE(plot.failures.size() == 1);
  const auto at = [&](float width) { return FittedMarker(Words(), plot.failures[0], width); };
  CHECK(at(1000) == "out of memory: 9.4 MB (9,437,184 B) asked for");
  CHECK(at(300) == "out of memory: 9.4 MB");
  CHECK(at(100).ends_with("…"));
}

TEST_CASE("Labels of lines that lie on each other all find a place, further from their lines") {
  const TimelineGeometry geometry = Geometry(130);
  TimelineLabels labels;
  for (int line = 0; line < 4; ++line) {
    const auto place = FindPlace(geometry, labels, {100, 16}, geometry.Y(50), {10, 20});
    REQUIRE(place);
    CHECK_FALSE(labels.Overlap(*place));
    labels.places.push_back(*place);
  }
}

TEST_CASE_METHOD(Measured, "A label that is away from its line points at the line's place that it is of") {
  TimelineLabels labels;
  ImDrawList* const list = ImGui::GetForegroundDrawList();
  const int before = list->VtxBuffer.Size;
  list->ChannelsSplit(2);
  DrawLineLabel(list, {100, 40, 200, 56}, {180, 120}, SmallMuted(), "reserved", 0, "", &labels);
  list->ChannelsMerge();
  bool reaches = false;
  for (int i = before; i < list->VtxBuffer.Size; ++i) {
    const ImVec2 corner = list->VtxBuffer[i].pos;
    if (corner.y < 119) continue;
    reaches = true;
    CHECK(std::abs(corner.x - 180) < 2);
    CHECK(corner.x == std::round(corner.x));  // a pixel wide, it would else cover none
  }
  CHECK(reaches);
}

TEST_CASE_METHOD(Measured, "A label that is wider than its plot is cut in it") {
  const std::string text = "reserved · driver 218.1 MB";
  const TextStyle style = SmallMuted();
  CHECK(FittedLabel(Geometry(1000), style, text) == text);
  const std::string cut = FittedLabel(Geometry(100), style, text);
  CHECK(cut.ends_with("…"));
  CHECK(ChipSize(style, cut).x <= 100 - Px(8));
}

TEST_CASE_METHOD(Measured, "A label that is cut tells all of it under the mouse") {
  const std::string text = "a-recording-with-a-long-name.tide, at most 218.1 MB";
  const auto explained = [&](float width) {
    const TextStyle style = SmallMuted();
    const ImVec2 size = ChipSize(style, FittedLabel(Geometry(width), style, text));
    TimelineLabels labels;
    for (const float x : {14.0F, 15.0F, 16.0F}) {  // what is hovered is known in the frame after
      ImGui::EndFrame();
      ImGui::GetIO().AddMousePosEvent(x, 45);
      ImGui::NewFrame();
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize({700, 300});
      ImGui::Begin("timeline");
      ImDrawList* const list = ImGui::GetWindowDrawList();
      list->ChannelsSplit(2);
      DrawLineLabel(list, {{10, 40}, ImVec2(10, 40) + size}, {20, 60}, style, text, 218, "second run",
                    &labels);
      list->ChannelsMerge();
      ImGui::End();
    }
    return labels.explained;
  };
  CHECK(explained(120).starts_with(text + "\n218 B\n"));
  CHECK(explained(1000).starts_with("218 B\n"));
}

TEST_CASE("A second run's label says whether it tells of all of that run or of what is seen of it") {
  const ByteUnit unit = ByteUnit::kMegabytes;
  CHECK(TextOfCompared("b.tide", 80, 80, unit) == "b.tide, at most 80 B");
  CHECK(TextOfCompared("b.tide", 80, 90, unit) == "b.tide, at most 80 B here, 90 B in all");
  CHECK(TextOfCompared("b.tide", 80'000'000, 80'000'001, unit) == "b.tide, at most 80.0 MB");
}

TEST_CASE_METHOD(Measured, "A label of a line that rises stands beside it, left of where it rises to") {
  const TimelineGeometry geometry = Geometry(1000);
  presenters::TimelinePlot plot;
  for (int i = 0; i < 100; ++i) {  // the stack leaves no room below the line
    presenters::PlotColumn column{.begin = 10.0 * i, .end = 10.0 * (i + 1), .reserved_max = 20 + i / 5 * 3};
    column.at_peak[static_cast<size_t>(timeline::Series::kAllocated)] = column.reserved_max - 2;
    plot.columns.push_back(column);
  }
  TimelineLabels labels;
  labels.plot = &plot;
  ImDrawList* const list = ImGui::GetForegroundDrawList();
  list->ChannelsSplit(2);
  for (const presenters::PlotColumn& column : std::span(plot.columns).first(60)) {  // not at the right edge
    const ImVec2 at(geometry.X(column.begin), geometry.Y(static_cast<double>(column.reserved_max)));
    if (DrawLabelHere(Ground::kClear, list, geometry, at, "reserved, at most 77 B", 77, Colors().muted, "",
                      &labels))
      break;
  }
  list->ChannelsMerge();
  REQUIRE(labels.places.size() == 1);
  const ImRect place = labels.places.front();
  CHECK(IsClear(geometry, plot, place));
  const auto last = static_cast<size_t>(place.Max.x / 10);
  CHECK(geometry.Y(static_cast<double>(plot.columns[last].reserved_max)) - place.Max.y <= Px(4));
}

}  // namespace tidemark::gui
