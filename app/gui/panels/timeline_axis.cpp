// The vertical axis: how far it reaches, and its grid.
#include <algorithm>
#include <cmath>

#include "app/gui/panels/timeline_parts.h"
#include "app/gui/widgets/text.h"
#include "app/gui/window/theme.h"

namespace tidemark::gui {
namespace {

using presenters::PlotColumn;
using presenters::PlotLevel;
using presenters::TimelinePlot;

bool Hidden(uint32_t hidden_categories, int category) { return (hidden_categories >> category & 1U) != 0; }

// 1, 2, 4 or 5 times a power of ten, so that about so many ticks cover `span`.
double RoundTick(double span, double ticks) {
  const double rough = span / ticks;
  const double power = std::pow(10.0, std::floor(std::log10(std::max(rough, 1e-9))));
  for (const double step : {1.0, 2.0, 4.0, 5.0, 10.0}) {
    if (step * power >= rough) return step * power;
  }
  return 10 * power;
}

}  // namespace

uint32_t HiddenIn(const TimelinePlot& plot, const TimelineState& state) {
  return plot.groups.empty() ? state.hidden_categories : 0;
}

void ChooseVerticalAxis(const TimelineInput& input, const TimelineState& state, TimelineGeometry* geometry) {
  const TimelinePlot& plot = *input.plot;
  const uint32_t hidden_categories = HiddenIn(plot, state);
  double highest = 1e6;
  if (hidden_categories == 0) highest = std::max(highest, static_cast<double>(plot.highest_bytes));
  for (const PlotColumn& column : plot.columns) {
    int64_t sum = 0;
    for (int category = 0; category < events::kCategoryCount; ++category) {
      if (!Hidden(hidden_categories, category)) sum += column.at_peak[static_cast<size_t>(category)];
    }
    highest = std::max(highest, static_cast<double>(sum));
  }
  if (state.fit_lines) {
    highest = std::max(highest, static_cast<double>(input.card_bytes));
    for (const auto* levels : {&plot.textbook, &plot.phantom}) {
      for (const PlotLevel& level : *levels) highest = std::max(highest, static_cast<double>(level.bytes));
    }
    for (const presenters::PlotLine& line : plot.lines) {
      for (const int64_t bytes : line.bytes) highest = std::max(highest, static_cast<double>(bytes));
    }
  }
  const bool decimal = input.unit == ByteUnit::kMegabytes;
  const bool large = highest > 4e9;
  geometry->unit_bytes = decimal ? (large ? 1e9 : 1e6) : (large ? 1073741824.0 : 1048576.0);
  geometry->unit_name = decimal ? (large ? "GB" : "MB") : (large ? "GiB" : "MiB");
  const double top = highest * 1.06 / geometry->unit_bytes;
  const double tick =
      RoundTick(top, std::clamp(static_cast<double>(geometry->plot.GetHeight() / Px(34)), 1.0, 6.0));
  geometry->tick_bytes = tick * geometry->unit_bytes;
  geometry->top_bytes = std::ceil(top / tick) * geometry->tick_bytes;
}

void DrawGrid(ImDrawList* list, const TimelineGeometry& geometry) {
  const TextStyle style = Colored({Faces().numbers, kSmallTextSize + 1, Colors().muted}, Colors().muted);
  for (double bytes = 0; bytes <= geometry.top_bytes * 1.001; bytes += geometry.tick_bytes) {
    const float y = std::round(geometry.Y(bytes));
    list->AddLine({geometry.plot.Min.x, y}, {geometry.plot.Max.x, y}, U32(Colors().faint));
    const std::string text =
        FormatDecimal(bytes / geometry.unit_bytes, geometry.tick_bytes < geometry.unit_bytes ? 1 : 0);
    DrawText(list, {geometry.plot.Min.x - Px(8), y - Px(8)}, style, text, Align::kRight);
  }
  DrawText(list, {geometry.plot.Min.x - Px(8), geometry.plot.Min.y - Px(26)}, SmallMuted(),
           geometry.unit_name, Align::kRight);
}

}  // namespace tidemark::gui
