#include "app/gui/panels/curve_axes.h"

#include <algorithm>
#include <cmath>

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

void DrawAxes(ImDrawList* list, const CurveAxes& axes, std::span<const int64_t> values, ByteUnit unit) {
  for (double power = 1e3; power <= 1e13; power *= 10) {
    if (power < axes.least || power > axes.most) continue;
    const float y = std::round(axes.Y(power));
    list->AddLine({axes.plot.Min.x, y}, {axes.plot.Max.x, y}, U32(Colors().faint));
    DrawText(list, {axes.plot.Min.x - Px(6), y - Px(8)}, SmallMuted(),
             FormatBytes(static_cast<int64_t>(power), unit), Align::kRight);
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

void DrawCurve(ImDrawList* list, const CurveAxes& axes, const std::vector<CurveDot>& dots, Color color,
               const char* name, bool with_dots) {
  const CurveDot* before = nullptr;
  for (const CurveDot& dot : dots) {
    const ImVec2 at(axes.X(dot.value), axes.Y(static_cast<double>(dot.bytes)));
    if (before != nullptr && !dot.out_of_memory)
      list->AddLine({axes.X(before->value), axes.Y(static_cast<double>(before->bytes))}, at, U32(color),
                    Px(2));
    if (with_dots) list->AddCircleFilled(at, Px(3), U32(dot.out_of_memory ? Colors().bad : color));
    before = &dot;
  }
  if (dots.empty()) return;
  const float y = axes.Y(static_cast<double>(dots.front().bytes));
  DrawText(list, {axes.X(dots.front().value) + Px(8), y - Px(22)}, Colored(SmallMuted(), color), name);
}

void DrawCardLine(ImDrawList* list, const CurveAxes& axes, int64_t card_bytes, ByteUnit unit) {
  if (card_bytes <= 0) return;
  const float y = std::round(axes.Y(static_cast<double>(card_bytes)));
  list->AddRectFilled({axes.plot.Min.x, y - Px(1)}, {axes.plot.Max.x, y + Px(1)}, U32(Colors().bad));
  DrawText(list, {axes.plot.Min.x + Px(6), y + Px(3)}, Colored(SmallMuted(), Colors().bad),
           "the card has " + FormatBytes(card_bytes, unit));
}

}  // namespace tidemark::gui
