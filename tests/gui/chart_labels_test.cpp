#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "app/gui/panels/checkpointing_labels.h"
#include "app/gui/panels/curve_axes.h"
#include "app/gui/widgets/label_places.h"
#include "tests/gui/measured.h"
#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

using networks::CheckpointMode;

// None lies on another, and none outside.
template <typename Labels>
void CheckFree(const Labels& labels, const ImRect& area) {
  for (size_t i = 0; i < labels.size(); ++i) {
    INFO(labels[i].text);
    CHECK(area.Contains(labels[i].place));
    for (size_t j = 0; j < i; ++j) {
      INFO(labels[j].text);
      CHECK_FALSE(labels[i].place.Overlaps(labels[j].place));
    }
  }
}

template <typename Labels>
bool Names(const Labels& labels, std::string_view text) {
  return std::ranges::any_of(labels, [&](const auto& label) { return label.text.starts_with(text); });
}

CheckpointWay Way(CheckpointMode mode, int segments, int64_t bytes, double share, bool is_best) {
  return {{mode, segments}, bytes / 2, bytes, share, 0, is_best, bytes * 5 / 4, false};
}

}  // namespace

TEST_CASE_METHOD(Measured, "Theory's curve is dashed and the phantom's dotted, around corners, too") {
  float drawn = 0;
  CHECK(DashesOf(LineStyle::kSolid, {0, 0}, {100, 0}, &drawn).size() == 1);
  const auto dashes = DashesOf(LineStyle::kDashed, {0, 0}, {30, 0}, &drawn);
  REQUIRE(dashes.size() == 3);
  CHECK(dashes[1].first.x == 13);
  CHECK(dashes[1].second.x == 21);
  const auto around = DashesOf(LineStyle::kDashed, {30, 0}, {30, 50}, &drawn);
  CHECK(around.front().first.y == 0);
  CHECK(around.front().second.y == 4);  // half of it is before the corner
  CHECK(around[1].first.y == 9);
  CHECK(DashesOf(LineStyle::kDotted, {0, 0}, {30, 0}, &(drawn = 0)).size() == 5);
}

TEST_CASE_METHOD(Measured, "No curve's label lies on the line of what is chosen") {
  std::vector<CurveDot> dots;
  for (const double value : {1.0, 16.0, 64.0, 256.0, 4096.0}) dots.push_back({value, 50'000'000});
  CurveAxes axes = AxesFor({{0, 0}, {400, 200}}, 1, 4096, std::array{&dots}, 0);
  const auto place = [&] {
    const auto labels =
        CurveLabelsOf(axes, std::array{Curve{&dots, Colors().theory, "textbook"}}, 0, ByteUnit::kMegabytes);
    REQUIRE(labels.size() == 1);
    return labels.front().place;
  };
  const float middle = place().GetCenter().x;
  axes.marked = axes.ValueAt(middle);
  CHECK((place().Max.x < middle || place().Min.x > middle));
}

TEST_CASE_METHOD(Measured, "Of the places that a label is offered it takes the first that is free") {
  LabelPlaces places({{0, 0}, {100, 100}});
  places.Take({{0, 0}, {20, 20}});
  places.TakeLine({0, 50}, {100, 50});
  const ImVec2 size(20, 10);
  const auto place =
      places.TakeFirst(size, std::array{ImVec2(10, 10), ImVec2(30, 45), ImVec2(90, 10), ImVec2(30, 10)});
  REQUIRE(place);
  CHECK(place->Min.x == 30);
  CHECK(place->Min.y == 10);
  CHECK_FALSE(places.TakeFirst(size, std::array{ImVec2(40, 15)}));  // it is taken now
  CHECK_FALSE(places.IsFree({{10, 40}, {20, 60}}));
  CHECK(places.IsFree({{10, 51}, {20, 60}}));
  places.TakeLine({60, 60}, {100, 100});
  CHECK_FALSE(places.IsFree({{70, 75}, {75, 80}}));
  CHECK(places.IsFree({{80, 60}, {95, 75}}));
}

TEST_CASE_METHOD(Measured,
                 "A card's line between the ways to checkpoint leaves every text of its own place") {
  CheckpointingInput input;
  input.ways = {Way(CheckpointMode::kSegments, 13, 360'000'000, 1, true),
                Way(CheckpointMode::kSegments, 4, 410'000'000, 0.75, true),
                Way(CheckpointMode::kEvery, 2, 430'000'000, 0.74, false),
                Way(CheckpointMode::kNone, 0, 800'000'000, 0, true)};
  for (const int64_t card :
       std::array<int64_t, 5>{365'000'000, 400'000'000, 440'000'000, 1'100'000'000, 80'000'000'000}) {
    input.card_bytes = card;
    const ImRect plot({100, 100}, {560, 360});
    const PriceAxes axes = PriceAxesFor(input, plot);
    const std::vector<PriceLabel> labels = PriceLabelsOf(input, axes);
    CheckFree(labels, {{100, 70}, {560, 360}});
    CHECK(Names(labels, "the card"));
    CHECK(Names(labels, "phantom"));
    CHECK(Names(labels, "textbook"));
    for (const PriceLabel& label : labels) {
      for (const CheckpointWay& way : input.ways)
        CHECK_FALSE(label.place.Contains(ImVec2(axes.X(way.share_run_again), axes.Y(way.total_bytes))));
    }
  }
}

TEST_CASE_METHOD(Measured, "However the ways lie, no text lies on another") {
  std::mt19937 random(7);
  size_t told = 0;
  for (int round = 0; round < 300; ++round) {
    CheckpointingInput input;
    const auto any = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
    for (int way = any(12); way >= 0; --way)
      input.ways.push_back(Way(way == 0 ? CheckpointMode::kNone : CheckpointMode::kSegments, way,
                               1'000'000 * (1 + any(900)), way == 0 ? 0 : any(101) / 100.0, any(2) == 0));
    input.card_bytes = 1'000'000LL * any(2000);
    const ImRect plot({100, 100},
                      {180.0F + static_cast<float>(any(900)), 220.0F + static_cast<float>(any(400))});
    const std::vector<PriceLabel> labels = PriceLabelsOf(input, PriceAxesFor(input, plot));
    CheckFree(labels, {plot.Min - ImVec2(0, 30), plot.Max});
    CHECK_FALSE(labels.empty());
    told += labels.size();
  }
  CHECK(told > 300 * 2);  // they are not free because there is none
}

TEST_CASE_METHOD(Measured, "Curves that lie close to each other and to the card's line are named apart") {
  std::vector<CurveDot> low;
  std::vector<CurveDot> high;
  for (int value = 1; value <= 4096; value *= 2) {
    low.push_back({static_cast<double>(value), 50'000'000 + 900'000LL * value});
    high.push_back({static_cast<double>(value), 52'000'000 + 910'000LL * value});
  }
  const ImRect plot({100, 100}, {560, 360});
  for (const int64_t card : std::array<int64_t, 3>{51'000'000, 60'000'000, 500'000'000}) {
    const CurveAxes axes = AxesFor(plot, 1, 4096, std::array{&low, &high}, card);
    const auto labels =
        CurveLabelsOf(axes, std::array{Curve{&low, {}, "textbook"}, Curve{&high, {}, "phantom"}}, card,
                      ByteUnit::kMegabytes);
    CheckFree(labels, plot);
    CHECK(labels.size() == 3);
    for (const auto& label : labels) {
      for (const auto* dots : {&low, &high}) {
        for (const CurveDot& dot : *dots)
          CHECK_FALSE(
              label.place.Contains(ImVec2(axes.X(dot.value), axes.Y(static_cast<double>(dot.bytes)))));
      }
    }
  }
}

TEST_CASE("Curves of one order of magnitude have more than one line across") {
  const std::vector<CurveDot> near = {{1, 900'000'000}, {2, 1'400'000'000}};
  const std::vector<CurveDot> far = {{1, 2'000'000}, {2, 9'000'000'000}};
  const ImRect plot({100, 100}, {560, 360});
  const auto lines = [&](const std::vector<CurveDot>& dots) {
    return BytesOnAxis(AxesFor(plot, 1, 2, std::array{&dots}, 0), ByteUnit::kMegabytes);
  };
  CHECK(lines(near) == std::vector<double>{1e9, 2e9, 5e9});
  CHECK(lines(far) == std::vector<double>{1e7, 1e8, 1e9, 1e10});
}

}  // namespace tidemark::gui
