#include "app/gui/panels/curve_axes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/widgets/label_places.h"
#include "app/gui/widgets/labels.h"
#include "app/gui/widgets/text.h"

namespace tidemark::gui {

float CurveAxes::X(double value) const {
  if (last <= first) return plot.GetCenter().x;
  const double share = std::log(std::max(value, first) / first) / std::log(last / first);
  return plot.Min.x + plot.GetWidth() * static_cast<float>(share);
}

float CurveAxes::Y(double bytes) const {
  const double share = std::log(std::clamp(bytes, least, most) / least) / std::log(most / least);
  return plot.Max.y - plot.GetHeight() * static_cast<float>(share);
}

double CurveAxes::ValueAt(float x) const {
  const double share = std::clamp((x - plot.Min.x) / plot.GetWidth(), 0.0F, 1.0F);
  return first * std::pow(last / first, share);
}

ImRect PlotIn(ImVec2 at, ImVec2 room) {
  return {at + ImVec2(Px(62), Px(6)), at + room - ImVec2(Px(8), Px(42))};
}

CurveAxes AxesFor(const ImRect& plot, double first, double last,
                  std::span<const std::vector<CurveDot>* const> curves, int64_t card_bytes) {
  double least = 1e18;
  double most = static_cast<double>(card_bytes) * 1.3;
  for (const std::vector<CurveDot>* dots : curves) {
    for (const CurveDot& dot : *dots) {
      least = std::min(least, static_cast<double>(dot.bytes));
      most = std::max(most, static_cast<double>(dot.bytes) * 1.3);
    }
  }
  constexpr double kWithoutDots = 1e-3;
  least = std::max(1.0, least < most ? least * 0.7 : most * kWithoutDots);
  return {plot, first, last, least, std::max(most, least * 10)};
}

std::vector<double> BytesOnAxis(const CurveAxes& axes, ByteUnit unit) {
  constexpr size_t kFew = 3;
  constexpr double kMost = 1e13;
  const bool is_decimal = unit == ByteUnit::kMegabytes;
  const std::array<double, 3> between =
      is_decimal ? std::array<double, 3>{1, 2, 5} : std::array<double, 3>{1, 2, 4};
  std::vector<double> powers;
  std::vector<double> all;
  for (double power = is_decimal ? 1000 : 1024; power <= kMost; power *= is_decimal ? 10 : 8) {
    for (const double times : between) {
      const double bytes = power * times;
      if (bytes < axes.least || bytes > axes.most) continue;
      all.push_back(bytes);
      if (times == 1) powers.push_back(bytes);
    }
  }
  return powers.size() < kFew ? all : powers;
}

void DrawAxes(ImDrawList* list, const CurveAxes& axes, std::span<const int64_t> values, ByteUnit unit) {
  for (const double bytes : BytesOnAxis(axes, unit)) {
    const float y = std::round(axes.Y(bytes));
    list->AddLine({axes.plot.Min.x, y}, {axes.plot.Max.x, y}, U32(Colors().faint));
    DrawText(list, {axes.plot.Min.x - Px(6), y - Px(8)}, SmallMuted(),
             FormatBytes(static_cast<int64_t>(bytes), unit), Align::kRight);
  }
  float free_from = axes.plot.Min.x - Px(40);
  for (const int64_t value : values) {
    const float x = std::round(axes.X(static_cast<double>(value)));
    list->AddLine({x, axes.plot.Min.y}, {x, axes.plot.Max.y}, U32(Colors().faint));
    const std::string text = FormatNumber(value);
    const float half = Measure(SmallMuted(), text).x / 2;
    if (x - half < free_from) continue;
    DrawText(list, {x, axes.plot.Max.y + Px(3)}, SmallMuted(), text, Align::kCenter);
    free_from = x + half + Px(6);
  }
}

namespace {

ImVec2 At(const CurveAxes& axes, const CurveDot& dot) {
  return {axes.X(dot.value), axes.Y(static_cast<double>(dot.bytes))};
}

void DrawCurve(ImDrawList* list, const CurveAxes& axes, const Curve& curve) {
  const CurveDot* before = nullptr;
  float drawn = 0;  // of its length, so that dashes go on around corners
  for (const CurveDot& dot : *curve.dots) {
    const ImVec2 at = At(axes, dot);
    if (before != nullptr && !dot.out_of_memory) {
      for (const auto& [from, to] : DashesOf(curve.style, At(axes, *before), at, &drawn))
        list->AddLine(from, to, U32(curve.color), Px(2));
    }
    if (curve.with_dots)
      list->AddCircleFilled(at, Px(3), U32(dot.out_of_memory ? Colors().bad : curve.color));
    before = &dot;
  }
}

void TakeCurve(const CurveAxes& axes, const std::vector<CurveDot>& dots, LabelPlaces& places) {
  const ImVec2 half(Px(5), Px(5));
  for (size_t i = 0; i < dots.size(); ++i) {
    const ImVec2 at = At(axes, dots[i]);
    places.Take({at - half, at + half});
    if (i > 0) places.TakeLine(At(axes, dots[i - 1]), at);
  }
}

// At the left, where curves are low and the card's line is high, unless another place is free only.
std::vector<ImVec2> CornersOfCardLabel(const CurveAxes& axes, float line, ImVec2 size) {
  std::vector<ImVec2> corners;
  for (const float top : {line + Px(3), line - Px(3) - size.y}) {
    for (const float share : {0.0F, 1.0F, 0.5F, 0.25F, 0.75F})
      corners.push_back({axes.plot.Min.x + Px(6) + share * (axes.plot.GetWidth() - Px(12) - size.x), top});
  }
  return corners;
}

}  // namespace

std::vector<std::pair<ImVec2, ImVec2>> DashesOf(LineStyle style, ImVec2 from, ImVec2 to, float* drawn) {
  const ImVec2 way = to - from;
  const float length = std::sqrt(ImLengthSqr(way));
  if (style == LineStyle::kSolid || length <= 0) return {{from, to}};
  const float dash = style == LineStyle::kDashed ? kDash : kDot;
  const float period = Px(dash + (style == LineStyle::kDashed ? kGapOfDashes : kGapOfDots));
  std::vector<std::pair<ImVec2, ImVec2>> dashes;
  for (float at = -std::fmod(*drawn, period); at < length; at += period) {
    const float begin = std::max(at, 0.0F);
    const float end = std::min(at + Px(dash), length);
    if (end > begin) dashes.emplace_back(from + way * (begin / length), from + way * (end / length));
  }
  *drawn += length;
  return dashes;
}

std::vector<CurveLabel> CurveLabelsOf(const CurveAxes& axes, std::span<const Curve> curves,
                                      int64_t card_bytes, ByteUnit unit) {
  LabelPlaces places(axes.plot);
  std::vector<CurveLabel> labels;
  const auto add = [&](const std::string& text, Color color, const std::vector<ImVec2>& corners) {
    const auto place = places.TakeFirst(Measure(SmallMuted(), text), corners);
    if (place) labels.push_back({*place, text, color});
  };
  for (const Curve& curve : curves) TakeCurve(axes, *curve.dots, places);
  if (axes.marked) {
    const float x = axes.X(*axes.marked);
    places.TakeLine({x, axes.plot.Min.y}, {x, axes.plot.Max.y});
  }
  if (card_bytes > 0) {
    const float line = std::round(axes.Y(static_cast<double>(card_bytes)));
    const std::string text = "the card has " + FormatBytes(card_bytes, unit);
    places.TakeLine({axes.plot.Min.x, line}, {axes.plot.Max.x, line});
    add(text, Colors().bad, CornersOfCardLabel(axes, line, Measure(SmallMuted(), text)));
  }
  for (const Curve& curve : curves) {
    std::vector<ImVec2> points;
    for (const CurveDot& dot : *curve.dots) points.push_back(At(axes, dot));
    add(curve.name, curve.color, CornersAround(points, Measure(SmallMuted(), curve.name), Px(7)));
  }
  return labels;
}

void DrawMeasured(ImDrawList* list, ImVec2 at, const presenters::MeasuredPeak& measured) {
  list->AddCircle(at, Px(6), U32(measured.ran_out ? Colors().bad : Colors().good), 0, Px(2));
}

std::string WordsOfRing(const std::optional<presenters::MeasuredPeak>& measured, bool on_phantom) {
  const bool ran_out = measured && measured->ran_out;
  return std::string("ring: ") + WordForRun(on_phantom) + (ran_out ? ", ran out of memory" : "");
}

void DrawCurves(ImDrawList* list, const CurveAxes& axes, std::span<const Curve> curves, int64_t card_bytes,
                ByteUnit unit) {
  if (card_bytes > 0) {
    const float y = std::round(axes.Y(static_cast<double>(card_bytes)));
    list->AddRectFilled({axes.plot.Min.x, y - Px(1)}, {axes.plot.Max.x, y + Px(1)}, U32(Colors().bad));
  }
  for (const Curve& curve : curves) DrawCurve(list, axes, curve);
  for (const CurveLabel& label : CurveLabelsOf(axes, curves, card_bytes, unit))
    DrawText(list, label.place.Min, Colored(SmallMuted(), label.color), label.text);
}

}  // namespace tidemark::gui
