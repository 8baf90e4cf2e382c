// Both axes: how far the vertical one reaches, the figures at them, and the grid.
#include <algorithm>
#include <cmath>

#include "app/gui/panels/timeline/timeline_parts.h"
#include "app/gui/widgets/text.h"
#include "app/gui/window/theme.h"
#include "app/presenters/plot/axis_ticks.h"

namespace tidemark::gui {
namespace {

using presenters::PlotColumn;
using presenters::PlotLevel;
using presenters::TimelinePlot;

constexpr double kLeastHeight = 1e6;  // bytes; less would be told in another unit

TextStyle AxisNumbers() { return {Faces().numbers, kSmallTextSize + 1, Colors().muted}; }

}  // namespace

int64_t HighestReserved(const TimelinePlot& plot) {
  int64_t highest = 0;
  for (const PlotColumn& column : plot.columns) highest = std::max(highest, column.reserved_max);
  return highest;
}

timeline::CategorySet ShownIn(const TimelineInput& input, const TimelineState& state) {
  const bool is_of_categories = input.plot->groups.empty();
  return is_of_categories ? timeline::kAllCategories & ~(state.hidden_categories | input.untold)
                          : timeline::kAllCategories;
}

void ChooseVerticalAxis(const TimelineInput& input, const TimelineState& state, TimelineGeometry* geometry) {
  const TimelinePlot& plot = *input.plot;
  const timeline::CategorySet categories = ShownIn(input, state);
  int64_t reached = 0;
  const auto reach = [&](int64_t bytes) { reached = std::max(reached, bytes); };
  if (categories == timeline::kAllCategories) reach(plot.highest_bytes);
  for (const PlotColumn& column : plot.columns) reach(presenters::ShownBytes(column, categories));
  if (state.fit_lines || presenters::ReachesUpTo(input.capacity.bytes, reached)) reach(input.capacity.bytes);
  if (state.fit_lines) {
    reach(HighestReserved(plot));
    for (const auto* levels : {&plot.textbook, &plot.phantom}) {
      for (const PlotLevel& level : *levels) reach(level.bytes);
    }
    for (const presenters::PlotLine& line : plot.lines) {
      for (const int64_t bytes : line.bytes) reach(bytes);
    }
  }
  const double highest = std::max(static_cast<double>(reached) / state.magnified, kLeastHeight);
  const bool decimal = input.unit == ByteUnit::kMegabytes;
  const bool large = highest > 4e9;
  geometry->unit_bytes = decimal ? (large ? 1e9 : 1e6) : (large ? 1073741824.0 : 1048576.0);
  geometry->unit_name = decimal ? (large ? "GB" : "MB") : (large ? "GiB" : "MiB");
  const double top = highest * 1.06 / geometry->unit_bytes;
  const double tick =
      presenters::RoundStep(top, std::clamp(static_cast<int>(geometry->plot.GetHeight() / Px(34)), 1, 6));
  geometry->tick_bytes = tick * geometry->unit_bytes;
  geometry->top_bytes = std::ceil(top / tick) * geometry->tick_bytes;
}

float UnitTop(const TimelineGeometry& geometry) { return geometry.plot.Min.y - Px(26); }

void DrawGrid(ImDrawList* list, const TimelineGeometry& geometry) {
  for (double bytes = 0; bytes <= geometry.top_bytes * 1.001; bytes += geometry.tick_bytes) {
    const float y = std::round(geometry.Y(bytes));
    list->AddLine({geometry.plot.Min.x, y}, {geometry.plot.Max.x, y}, U32(Colors().faint));
    const std::string text =
        FormatDecimal(bytes / geometry.unit_bytes, geometry.tick_bytes < geometry.unit_bytes ? 1 : 0);
    DrawText(list, {geometry.plot.Min.x - Px(8), y - Px(8)}, AxisNumbers(), text, Align::kRight);
  }
  DrawText(list, {geometry.plot.Min.x - Px(8), UnitTop(geometry)}, SmallMuted(), geometry.unit_name,
           Align::kRight);
}

// How wide one is, the widest tells, and how many there are decides how wide that is.
presenters::AxisTicks HorizontalTicks(const TimelineGeometry& geometry, presenters::TimeAxis axis) {
  presenters::AxisTicks ticks;
  if (geometry.axis.GetHeight() <= 0) return ticks;
  const float width = geometry.plot.GetWidth();
  for (float each = Px(64); each < width; each += Px(16)) {
    ticks = TicksOver(axis, geometry.visible, std::max(1, static_cast<int>(width / each)));
    float widest = 0;
    for (const presenters::AxisTick& tick : ticks.ticks)
      widest = std::max(widest, Measure(AxisNumbers(), tick.text).x);
    if (widest + Px(20) <= each) break;
  }
  return ticks;
}

void DrawHorizontalAxis(ImDrawList* list, const TimelineGeometry& geometry,
                        const presenters::AxisTicks& ticks) {
  const ImRect& row = geometry.axis;
  DrawText(list, {row.Min.x - Px(8), row.Min.y + Px(1)}, SmallMuted(), ticks.unit, Align::kRight);
  for (const presenters::AxisTick& tick : ticks.ticks) {
    const float x = std::round(geometry.X(tick.position));
    list->AddLine({x, geometry.plot.Min.y}, {x, geometry.plot.Max.y}, U32(Colors().faint));
    list->AddLine({x, geometry.plot.Max.y}, {x, geometry.plot.Max.y + Px(4)}, U32(Colors().muted));
    // At the edges beside the tick, rather than out of the panel.
    const float width = Measure(AxisNumbers(), tick.text).x;
    const float left = std::clamp(x - width / 2, row.Min.x, std::max(row.Min.x, row.Max.x - width));
    DrawText(list, {left, row.Min.y}, AxisNumbers(), tick.text);
  }
}

}  // namespace tidemark::gui
