#include "app/gui/panels/timeline_labels.h"

#include <algorithm>
#include <cmath>

#include "app/gui/widgets/labels.h"
#include "app/gui/window/theme.h"

namespace tidemark::gui {
namespace {

using presenters::PlotMarker;

void DrawMarker(ImDrawList* list, const TimelineGeometry& geometry, const PlotMarker& marker, Color color,
                Color fill, TakenPlaces* taken) {
  const float x = std::round(geometry.X(marker.position));
  if (x < geometry.plot.Min.x - 1 || x > geometry.plot.Max.x + 1) return;
  list->AddLine({x, geometry.plot.Min.y}, {x, geometry.phases.Max.y}, U32(color), Px(1.5F));
  const TextStyle style{Faces().strong, kSmallTextSize, color};
  const std::string whole =
      marker.consequence.empty() ? marker.text : marker.text + ": " + marker.consequence;
  const std::string text = Fitted(style, whole, std::max(Px(120), geometry.plot.GetWidth() * 0.6F));
  const ImVec2 size = ChipSize(style, text);
  for (int row = 0; row < 4; ++row) {
    const float top = geometry.plot.Min.y + Px(2) + static_cast<float>(row) * (size.y + Px(3));
    const float left = std::min(x, geometry.plot.Max.x - size.x);
    const ImRect place(left, top, left + size.x, top + size.y);
    if (taken->Overlap(place)) continue;
    DrawChip(list, place, style, text, fill);
    taken->Take(place, "");
    if (text != whole) taken->Explain(place, whole);
    return;
  }
}

bool DrawLabelAmong(ImDrawList* list, const TimelineGeometry& geometry, float y,
                    std::initializer_list<float> lefts, const std::string& text, Color color,
                    std::string_view label, TakenPlaces* taken) {
  const TextStyle style = Colored(SmallMuted(), color);
  const auto place = FindPlace(geometry, *taken, ChipSize(style, text), y, lefts);
  if (!place) return false;
  DrawChip(list, *place, style, text, CoverOfLabel());
  taken->Take(*place, label);
  return true;
}

}  // namespace

Color CoverOfLabel() { return Colors().panel.WithAlpha(0.72); }

bool TakenPlaces::Overlap(const ImRect& place) const {
  return std::ranges::any_of(places, [&](const ImRect& other) { return other.Overlaps(place); });
}

void TakenPlaces::Take(const ImRect& place, std::string_view label) {
  places.push_back(place);
  if (!label.empty()) Explain(place, MeaningOfLabel(label));
}

void TakenPlaces::Explain(const ImRect& place, const std::string& words) {
  if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(place.Min, place.Max)) explained = words;
}

std::optional<ImRect> FindPlace(const TimelineGeometry& geometry, const TakenPlaces& taken, ImVec2 size,
                                float y, std::initializer_list<float> lefts) {
  for (const float below : {0.0F, 1.0F}) {
    for (float left : lefts) {
      left = std::clamp(left, geometry.plot.Min.x + Px(4),
                        std::max(geometry.plot.Min.x + Px(4), geometry.plot.Max.x - size.x - Px(4)));
      const float top = below == 0 ? y - size.y - Px(3) : y + Px(3);
      const ImRect place(left, top, left + size.x, top + size.y);
      if (place.Min.y < geometry.plot.Min.y || place.Max.y > geometry.plot.Max.y) continue;
      if (!taken.Overlap(place)) return place;
    }
  }
  return std::nullopt;
}

std::optional<size_t> ColumnForLabel(size_t columns, const std::function<bool(size_t)>& suits) {
  if (columns == 0) return std::nullopt;
  for (const double share : {1.0, 0.0, 0.5, 0.75, 0.25, 0.875, 0.625, 0.375, 0.125}) {
    const auto column = static_cast<size_t>(share * static_cast<double>(columns - 1));
    if (suits(column)) return column;
  }
  return std::nullopt;
}

void DrawChip(ImDrawList* list, const ImRect& place, const TextStyle& style, const std::string& text,
              Color fill) {
  list->ChannelsSetCurrent(kLabelChannel);
  list->AddRectFilled(place.Min, place.Max, U32(fill), Px(4));
  DrawText(list, {place.Min.x + Px(6), place.Min.y + Px(2)}, style, text);
  list->ChannelsSetCurrent(kLineChannel);
}

ImVec2 ChipSize(const TextStyle& style, const std::string& text) {
  const ImVec2 size = Measure(style, text);
  return {size.x + Px(12), Px(style.size) + Px(6)};
}

bool DrawLabel(ImDrawList* list, const TimelineGeometry& geometry, ImVec2 at, const std::string& text,
               Color color, std::string_view label, TakenPlaces* taken) {
  const float width = ChipSize(Colored(SmallMuted(), color), text).x;
  return DrawLabelAmong(list, geometry, at.y,
                        {at.x, geometry.plot.Min.x + Px(6), geometry.plot.GetCenter().x - width / 2}, text,
                        color, label, taken);
}

bool DrawLabelHere(ImDrawList* list, const TimelineGeometry& geometry, ImVec2 at, const std::string& text,
                   Color color, std::string_view label, TakenPlaces* taken) {
  return DrawLabelAmong(list, geometry, at.y, {at.x}, text, color, label, taken);
}

bool IsFailure(const TimelineInput& input, const PlotMarker& marker) {
  return !input.failure.empty() && marker.text == input.failure;
}

void DrawMarkers(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input,
                 TakenPlaces* taken) {
  const Palette& colors = Colors();
  for (const PlotMarker& bookmark : input.bookmarks)
    DrawMarker(list, geometry, bookmark, colors.accent, colors.raised, taken);
  for (const PlotMarker& failure : input.plot->failures)
    DrawMarker(list, geometry, failure, colors.bad, colors.bad_fill, taken);
  for (const PlotMarker& marker : input.plot->markers) {
    const bool bad = IsFailure(input, marker);
    DrawMarker(list, geometry, marker, bad ? colors.bad : colors.good,
               bad ? colors.bad_fill : colors.good_fill, taken);
  }
}

void DrawMeasure(ImDrawList* list, const TimelineGeometry& geometry, const presenters::VisibleRange& range,
                 const std::string& text, TakenPlaces* taken) {
  const float a = std::round(geometry.X(range.begin));
  const float b = std::round(geometry.X(range.end));
  const ImRect band(std::min(a, b), geometry.plot.Min.y, std::max(a, b), geometry.phases.Max.y);
  list->AddRectFilled(band.Min, band.Max, U32(Colors().text.WithAlpha(0.08)));
  for (const float x : {a, b})
    list->AddLine({x, band.Min.y}, {x, band.Max.y}, U32(Colors().text.WithAlpha(0.8)), Px(1.5F));
  const TextStyle style{Faces().strong, kSmallTextSize, Colors().text};
  const ImVec2 size = ChipSize(style, text);
  const float left = std::clamp(band.GetCenter().x - size.x / 2, geometry.plot.Min.x,
                                std::max(geometry.plot.Min.x, geometry.plot.Max.x - size.x));
  const float top = geometry.plot.Max.y - size.y - Px(6);
  ImRect place(left, top, left + size.x, top + size.y);
  while (taken->Overlap(place) && place.Min.y > geometry.plot.Min.y + size.y)
    place.Translate({0, -size.y - Px(3)});
  DrawChip(list, place, style, text, Colors().panel);
  taken->Take(place, "");
  taken->measured_top = place.Min.y;
}

}  // namespace tidemark::gui
