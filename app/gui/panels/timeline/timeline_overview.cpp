// The strip of the whole run, with a brush over what is in sight.
#include <algorithm>
#include <cmath>

#include "app/gui/panels/timeline/timeline_parts.h"
#include "app/gui/window/theme.h"

namespace tidemark::gui {

namespace {

// Grey where it is not of blocks, as the curve is then.
Color ColorOfStrip(const presenters::PlotColumn& column) {
  const Color color = column.tells_blocks() ? Colors().Of(events::Category::kActivation) : Colors().muted;
  return color.WithAlpha(0.5);
}

}  // namespace

void DrawOverview(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input) {
  const Palette& colors = Colors();
  const ImRect& strip = geometry.overview;
  list->AddRectFilled(strip.Min, strip.Max, U32(colors.sunken), Px(4));
  const double span = input.whole.end - input.whole.begin;
  if (span <= 0) return;
  const auto x_of = [&](double position) {
    return strip.Min.x + static_cast<float>((position - input.whole.begin) / span) * strip.GetWidth();
  };
  const double highest = std::max<double>(1, static_cast<double>(input.overview->highest_bytes));
  list->PushClipRect(strip.Min, strip.Max, true);
  for (const presenters::PlotColumn& column : input.overview->columns) {
    const int64_t bytes = presenters::ShownBytes(column, timeline::kAllCategories);
    const float x0 = std::floor(x_of(column.begin));
    const float x1 = std::max(x0 + 1, std::floor(x_of(column.end)));
    const float top = strip.Max.y - Px(2) -
                      static_cast<float>(static_cast<double>(bytes) / highest) * (strip.GetHeight() - Px(5));
    list->AddRectFilled({x0, top}, {x1, strip.Max.y - Px(2)}, U32(ColorOfStrip(column)));
  }
  for (const presenters::PlotMarker& marker : input.overview->markers) {
    const float x = x_of(marker.position);
    list->AddLine({x, strip.Min.y}, {x, strip.Max.y},
                  U32(IsFailure(input, marker) ? colors.bad : colors.good), Px(1));
  }
  for (const presenters::PlotMarker& bookmark : input.bookmarks) {
    const float x = x_of(bookmark.position);
    list->AddLine({x, strip.Min.y}, {x, strip.Max.y}, U32(colors.accent), Px(1.5F));
  }
  for (const presenters::PlotMarker& failure : input.overview->failures) {
    const float x = x_of(failure.position);
    list->AddLine({x, strip.Min.y}, {x, strip.Max.y}, U32(colors.bad), Px(2));
  }
  list->PopClipRect();
  ImRect brush(x_of(geometry.visible.begin), strip.Min.y, x_of(geometry.visible.end), strip.Max.y);
  if (brush.GetWidth() < Px(4)) brush.Max.x = brush.Min.x + Px(4);
  brush.ClipWith(strip);
  list->AddRectFilled(brush.Min, brush.Max, U32(colors.accent.WithAlpha(0.12)), Px(4));
  list->AddRect(brush.Min, brush.Max, U32(colors.accent), Px(4), Px(1.5F));
}

}  // namespace tidemark::gui
