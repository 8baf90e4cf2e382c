#include "app/gui/panels/timeline/timeline_labels.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <vector>

#include "app/gui/widgets/labels.h"
#include "app/gui/widgets/translation.h"
#include "app/gui/window/theme.h"
#include "app/presenters/plot/line_labels.h"
#include "profiler/base/format.h"

namespace tidemark::gui {
namespace {

using presenters::PlotColumn;
using presenters::PlotMarker;

// Where it is in sight.
std::optional<float> LineOf(const TimelineGeometry& geometry, double position) {
  const float x = std::round(geometry.X(position));
  if (x < geometry.plot.Min.x - 1 || x > geometry.plot.Max.x + 1) return std::nullopt;
  return x;
}

std::string WordsOf(const PlotMarker& marker) {
  return marker.consequence.empty() ? marker.text : marker.text + ": " + marker.consequence;
}

void DrawMarkerLine(ImDrawList* list, const TimelineGeometry& geometry, const PlotMarker& marker,
                    Color color) {
  if (const auto x = LineOf(geometry, marker.position))
    list->AddLine({*x, geometry.plot.Min.y}, {*x, geometry.phases.Max.y}, U32(color), Px(1.5F));
}

void LabelMarker(ImDrawList* list, const TimelineGeometry& geometry, const PlotMarker& marker, Color color,
                 Color fill, TimelineLabels* labels) {
  const std::optional<float> line = LineOf(geometry, marker.position);
  if (!line) return;
  const float x = *line;
  const TextStyle style{Faces().strong, kSmallTextSize, color};
  const std::string whole = WordsOf(marker);
  const std::string text = FittedMarker(style, marker, geometry.plot.GetWidth());
  const ImVec2 size = ChipSize(style, text);
  for (int row = 0; row < 4; ++row) {
    const float top = geometry.plot.Min.y + Px(2) + static_cast<float>(row) * (size.y + Px(3));
    const float left = std::min(x, geometry.plot.Max.x - size.x);
    const ImRect place(left, top, left + size.x, top + size.y);
    if (labels->Overlap(place)) continue;
    DrawChip(list, place, style, text, fill);
    labels->Take(place, "");
    if (text != whole) labels->Explain(place, whole);
    return;
  }
}

void DrawMarker(ImDrawList* list, const TimelineGeometry& geometry, const PlotMarker& marker, Color color,
                Color fill, TimelineLabels* labels) {
  DrawMarkerLine(list, geometry, marker, color);
  LabelMarker(list, geometry, marker, color, fill, labels);
}

// How high the stack reaches in a column; nothing where there is none.
std::optional<float> TopOf(const TimelineGeometry& geometry, const PlotColumn& column) {
  const int64_t allocated = ValueOf(column.at_peak, timeline::Series::kAllocated);
  if (allocated <= 0) return std::nullopt;
  return geometry.Y(static_cast<double>(allocated));
}

// Columns under a label.
auto ColumnsUnder(const TimelineGeometry& geometry, const presenters::TimelinePlot& plot,
                  const ImRect& place) {
  const auto first =
      std::ranges::upper_bound(plot.columns, geometry.PositionAt(place.Min.x), {}, &PlotColumn::end);
  const auto end =
      std::ranges::upper_bound(plot.columns, geometry.PositionAt(place.Max.x), {}, &PlotColumn::begin);
  return std::ranges::subrange(first, std::max(first, end));
}

bool IsCovered(const TimelineGeometry& geometry, const PlotColumn& column, const ImRect& place) {
  const std::optional<float> top = TopOf(geometry, column);
  return top && *top <= place.Max.y;
}

// The share of a label's width under which the stack reaches as high as that is.
float CoveredShare(const TimelineGeometry& geometry, const TimelineLabels& labels, const ImRect& place) {
  if (labels.moving_stack) return labels.moving_stack->ShareAt(place.Max.y);
  float covered = 0;
  for (const PlotColumn& column : ColumnsUnder(geometry, *labels.plot, place)) {
    if (!IsCovered(geometry, column, place)) continue;
    covered +=
        std::min(geometry.X(column.end), place.Max.x) - std::max(geometry.X(column.begin), place.Min.x);
  }
  return covered / place.GetWidth();
}

bool LiesBetween(float y, const ImRect& place) { return y >= place.Min.y && y <= place.Max.y; }

// A level that lies behind it, or is drawn through it.
bool Crosses(const TimelineGeometry& geometry, std::span<const presenters::PlotLevel> levels,
             const ImRect& place) {
  return std::ranges::any_of(levels, [&](const presenters::PlotLevel& level) {
    return level.bytes > 0 && geometry.X(level.begin) < place.Max.x && geometry.X(level.end) > place.Min.x &&
           LiesBetween(geometry.Y(static_cast<double>(level.bytes)), place);
  });
}

bool Crosses(const TimelineGeometry& geometry, const presenters::PlotLine& line, const ImRect& place) {
  const double width = (line.end - line.begin) / static_cast<double>(line.bytes.size());
  const double before = (geometry.PositionAt(place.Min.x) - line.begin) / width - 1;
  for (auto k = static_cast<size_t>(std::max(0.0, before)); k < line.bytes.size(); ++k) {
    const double begin = line.begin + width * static_cast<double>(k);
    if (geometry.X(begin + width) < place.Min.x) continue;
    if (geometry.X(begin) > place.Max.x) break;
    if (line.bytes[k] > 0 && LiesBetween(geometry.Y(static_cast<double>(line.bytes[k])), place)) return true;
  }
  return false;
}

}  // namespace

std::string SightInWords(presenters::TimeAxis axis, const presenters::VisibleRange& visible,
                         const presenters::VisibleRange& whole) {
  const double span = std::min(visible.end, whole.end) - std::max(visible.begin, whole.begin);
  if (span <= 0) return "";
  if (axis == presenters::TimeAxis::kWallClock)
    return FormatDuration(static_cast<int64_t>(span)) + " in sight";
  return FormatNumber(static_cast<int64_t>(span)) + (span < 2 ? " event" : " events") + " in sight";
}

StackCover::StackCover(const TimelineGeometry& geometry, const presenters::TimelinePlot& plot) {
  tops_.reserve(plot.columns.size());
  for (const PlotColumn& column : plot.columns) {
    const float from = std::max(geometry.X(column.begin), geometry.plot.Min.x);
    const float to = std::min(geometry.X(column.end), geometry.plot.Max.x);
    const std::optional<float> top = TopOf(geometry, column);
    if (top && to > from) tops_.push_back({*top, (to - from) / geometry.plot.GetWidth()});
  }
  std::ranges::sort(tops_, {}, &Top::y);
  float share = 0;
  for (Top& top : tops_) top.share = share += top.share;
}

float StackCover::ShareAt(float y) const {
  const auto below = std::ranges::upper_bound(tops_, y, {}, &Top::y);
  return below == tops_.begin() ? 0 : std::prev(below)->share;
}

bool TimelineLabels::Overlap(const ImRect& place) const {
  return std::ranges::any_of(places, [&](const ImRect& other) { return other.Overlaps(place); });
}

bool TimelineLabels::CrossLine(const ImRect& place) const {
  return std::ranges::any_of(vertical_lines, [&](float x) { return x > place.Min.x && x < place.Max.x; }) ||
         std::ranges::any_of(horizontal_lines, [&](float y) { return y > place.Min.y && y < place.Max.y; });
}

std::optional<presenters::VisibleRange> PositionsOfCursors(const TimelineInput& input,
                                                           const TimelineState& state) {
  if (!state.cursors || input.view == nullptr) return std::nullopt;
  const auto position = [&](events::EventIndex index) {
    return presenters::PositionOf(*input.view, state.axis, std::max(index, input.view->first()));
  };
  return presenters::VisibleRange{position(state.cursors->first), position(state.cursors->second)};
}

void NoteLines(const TimelineInput& input, const TimelineGeometry& geometry, const TimelineState& state,
               TimelineLabels* labels) {
  const auto note = [&](double position) {
    if (const auto x = LineOf(geometry, position)) labels->vertical_lines.push_back(*x);
  };
  for (const std::vector<PlotMarker>* markers :
       {&input.bookmarks, &input.plot->failures, &input.plot->markers}) {
    for (const PlotMarker& marker : *markers) note(marker.position);
  }
  if (input.pinned) note(*input.pinned);
  if (const auto cursors = PositionsOfCursors(input, state)) {
    note(cursors->begin);
    note(cursors->end);
  }
  if (input.capacity.bytes > 0)
    labels->horizontal_lines.push_back(geometry.Y(static_cast<double>(input.capacity.bytes)));
}

std::string FittedMarker(const TextStyle& style, const PlotMarker& marker, float plot_width) {
  const std::string whole = WordsOf(marker);
  const float room = std::max(Px(120), plot_width * 0.6F);
  if (marker.shorter.empty() || Measure(style, whole).x <= room) return Fitted(style, whole, room);
  return Fitted(style, marker.shorter, std::max(room, plot_width - Px(12)));
}

std::vector<PlotMarker> Joined(const TimelineGeometry& geometry, std::span<const PlotMarker> markers,
                               float reach) {
  std::vector<PlotMarker> joined;
  for (size_t begin = 0, end = 0; begin < markers.size(); begin = end) {
    const float x = geometry.X(markers[begin].position);
    for (end = begin + 1; end < markers.size() && markers[end].text == markers[begin].text &&
                          geometry.X(markers[end].position) - x < reach;)
      ++end;
    joined.push_back(markers[begin]);
    if (end - begin == 1) continue;
    const std::string times = ", " + FormatNumber(static_cast<int64_t>(end - begin)) + " times";
    joined.back().text += times;
    if (!joined.back().shorter.empty()) joined.back().shorter += times;
  }
  return joined;
}

void TimelineLabels::Take(const ImRect& place, std::string_view label) {
  places.push_back(place);
  if (!label.empty()) Explain(place, MeaningOfLabel(label));
}

void TimelineLabels::Explain(const ImRect& place, const std::string& words) {
  if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(place.Min, place.Max)) explained = words;
}

bool CrossesCurve(const TimelineGeometry& geometry, const presenters::TimelinePlot& plot,
                  const ImRect& place) {
  std::optional<float> reserved_before;
  for (const PlotColumn& column : ColumnsUnder(geometry, plot, place)) {
    const float reserved = geometry.Y(static_cast<double>(column.reserved_max));
    const float from = reserved_before.value_or(reserved);  // where it comes from
    if (std::max(from, reserved) >= place.Min.y && std::min(from, reserved) <= place.Max.y) return true;
    reserved_before = reserved;
  }
  return Crosses(geometry, plot.textbook, place) || Crosses(geometry, plot.phantom, place) ||
         Crosses(geometry, plot.compared, place) ||
         std::ranges::any_of(plot.lines, [&](const presenters::PlotLine& line) {
           return !line.bytes.empty() && Crosses(geometry, line, place);
         });
}

bool IsClear(const TimelineGeometry& geometry, const presenters::TimelinePlot& plot, const ImRect& place) {
  for (const PlotColumn& column : ColumnsUnder(geometry, plot, place)) {
    if (IsCovered(geometry, column, place)) return false;
  }
  return !CrossesCurve(geometry, plot, place);
}

presenters::LabelRows RowsOf(Ground ground) {
  switch (ground) {
    case Ground::kClearAway:
      return presenters::kNearLine;
    case Ground::kClearFar:
      return presenters::kFarFromLine;
    case Ground::kAway:
      return presenters::kAwayFromLine;
    case Ground::kClear:
    case Ground::kHalfClear:
    case Ground::kOnStack:
    case Ground::kAny:
      break;
  }
  return presenters::kAtLine;
}

std::optional<ImRect> FindPlaceOn(Ground ground, const TimelineGeometry& geometry,
                                  const TimelineLabels& labels, ImVec2 size, float y,
                                  std::initializer_list<float> lefts) {
  const float least = geometry.plot.Min.x + Px(4);
  const float most = std::max(least, geometry.plot.Max.x - size.x - Px(4));
  std::vector<double> in_sight;
  in_sight.reserve(lefts.size());
  for (const float left : lefts) in_sight.push_back(std::clamp(left, least, most));
  const auto rect = [](const presenters::LabelBox& box) {
    return ImRect(static_cast<float>(box.left), static_cast<float>(box.top), static_cast<float>(box.right),
                  static_cast<float>(box.bottom));
  };
  const auto suits = [&](const ImRect& place) {
    if (labels.plot == nullptr || ground == Ground::kAny || ground == Ground::kAway) return true;
    if (labels.CrossLine(place)) return false;
    if (ground == Ground::kClear || ground == Ground::kClearAway || ground == Ground::kClearFar) {
      const bool may_come_under = labels.moving_stack && labels.moving_stack->ShareAt(place.Max.y) > 0;
      return !may_come_under && IsClear(geometry, *labels.plot, place);
    }
    if (CrossesCurve(geometry, *labels.plot, place)) return false;
    return ground == Ground::kOnStack || CoveredShare(geometry, labels, place) <= 0.5F;
  };
  const auto is_free = [&](const presenters::LabelBox& box) {
    const ImRect place = rect(box);
    if (place.Min.y < geometry.plot.Min.y || place.Max.y > geometry.plot.Max.y) return false;
    return !labels.Overlap(place) && suits(place);
  };
  const auto box = presenters::PlaceOfLabel({size.x, size.y, y, Px(3), in_sight}, RowsOf(ground), is_free);
  return box ? std::optional(rect(*box)) : std::nullopt;
}

std::optional<ImRect> FindPlace(const TimelineGeometry& geometry, const TimelineLabels& labels, ImVec2 size,
                                float y, std::initializer_list<float> lefts) {
  for (const Ground ground : kGrounds) {
    if (const auto place = FindPlaceOn(ground, geometry, labels, size, y, lefts)) return place;
  }
  return std::nullopt;
}

std::optional<size_t> ColumnForLabel(size_t columns, const std::function<bool(size_t)>& suits) {
  if (columns == 0) return std::nullopt;
  for (const double share : {1.0, 0.0, 0.5, 0.75, 0.25, 0.875, 0.625, 0.375, 0.125, 0.9375, 0.8125, 0.6875,
                             0.5625, 0.4375, 0.3125, 0.1875, 0.0625}) {
    const auto column = static_cast<size_t>(share * static_cast<double>(columns - 1));
    if (suits(column)) return column;
  }
  return std::nullopt;
}

int64_t LatestHeld(std::span<const int64_t> bytes) {
  const auto held = std::find_if(bytes.rbegin(), bytes.rend(), [](int64_t level) { return level > 0; });
  return held == bytes.rend() ? 0 : *held;
}

std::string TextOnLine(const TimelineGeometry& geometry, const std::string& title, int64_t latest_bytes,
                       int64_t bytes, ByteUnit unit, const std::string& when_told) {
  const float apart = geometry.Y(static_cast<double>(bytes)) - geometry.Y(static_cast<double>(latest_bytes));
  return std::abs(apart) < Px(2) ? title + " " + FormatBytes(latest_bytes, unit) + when_told : title;
}

std::string TextBesideLatest(const std::string& title, int64_t most_bytes, ByteUnit unit) {
  return title + ", at most " + FormatBytes(most_bytes, unit);
}

std::string TextOfCompared(const std::string& title, int64_t seen_bytes, int64_t peak_bytes, ByteUnit unit) {
  const std::string seen = TextBesideLatest(title, seen_bytes, unit);
  const std::string peak = FormatBytes(peak_bytes, unit);
  return peak_bytes <= seen_bytes || seen.ends_with(" " + peak) ? seen : seen + " here, " + peak + " in all";
}

void DrawChip(ImDrawList* list, const ImRect& place, const TextStyle& style, const std::string& text,
              Color fill) {
  list->ChannelsSetCurrent(kLabelChannel);
  list->AddRectFilled(place.Min, place.Max, U32(fill), Px(4));
  DrawText(list, {place.Min.x + Px(6), place.Min.y + Px(2)}, style, text);
  list->ChannelsSetCurrent(kLineChannel);
}

void DrawRimmed(ImDrawList* list, const ImRect& place, const TextStyle& style, const std::string& text) {
  list->ChannelsSetCurrent(kLabelChannel);
  const ImVec2 at(place.Min.x + Px(6), place.Min.y + Px(2));
  const TextStyle rim = Colored(style, Colors().panel.WithAlpha(0.6));
  for (const ImVec2 to : {ImVec2(1, 0), ImVec2(0.5F, 0.9F), ImVec2(0.5F, -0.9F)}) {
    for (const float radius : {Px(-1.5F), Px(1.5F)}) DrawText(list, at + to * radius, rim, text);
  }
  DrawText(list, at, style, text);
  list->ChannelsSetCurrent(kLineChannel);
}

void DrawPointer(ImDrawList* list, ImVec2 from, ImVec2 to, Color color) {
  // Whole pixels: one that begins and ends in their middles may cover none.
  const float dot = std::max(1.0F, std::round(Px(1)));
  const float x = std::round(to.x - dot / 2);
  const float end = std::round(to.y);
  const float length = std::abs(end - std::round(from.y));
  for (float away = 0; away + dot <= length; away += 3 * dot) {
    const float y = from.y < to.y ? end - away - dot : end + away;
    list->AddRectFilled({x, y}, {x + dot, y + dot}, U32(color));
  }
}

// As much of a text as its place is wide; what is cut, as the first line of what the mouse tells there.
std::string DrawFitted(ImDrawList* list, const ImRect& place, const TextStyle& style,
                       const std::string& text) {
  const std::string shown = Fitted(style, text, place.GetWidth() - ChipSize(style, "").x + Px(0.5F));
  DrawRimmed(list, place, style, shown);
  return shown == text ? "" : std::string(Translated(text)) + "\n";
}

void DrawLineLabel(ImDrawList* list, const ImRect& place, ImVec2 at, const TextStyle& style,
                   const std::string& text, int64_t bytes, std::string_view label, TimelineLabels* labels) {
  const float x = std::clamp(at.x, place.Min.x + Px(1), place.Max.x - Px(1));
  const float gap = Px(4);
  if (at.y > place.Max.y + gap) DrawPointer(list, {x, place.Max.y}, {x, at.y}, style.color);
  if (at.y < place.Min.y - gap) DrawPointer(list, {x, place.Min.y}, {x, at.y}, style.color);
  const std::string cut = DrawFitted(list, place, style, text);
  labels->Take(place, "");
  if (!label.empty())
    labels->Explain(place,
                    cut + FormatExactBytes(bytes) + "\n" + std::string(Translated(MeaningOfLabel(label))));
}

ImVec2 ChipSize(const TextStyle& style, const std::string& text) {
  const ImVec2 size = Measure(style, text);
  return {size.x + Px(12), Px(style.size) + Px(6)};
}

std::string FittedLabel(const TimelineGeometry& geometry, const TextStyle& style, const std::string& text) {
  const float around = ChipSize(style, "").x + Px(8);
  return Fitted(style, text, geometry.plot.GetWidth() - around);
}

bool DrawLabel(ImDrawList* list, const TimelineGeometry& geometry, ImVec2 at, const std::string& text,
               Color color, std::string_view label, TimelineLabels* labels) {
  const TextStyle style = Colored(SmallMuted(), color);
  const ImVec2 size = ChipSize(style, FittedLabel(geometry, style, text));
  const auto place = FindPlace(geometry, *labels, size, at.y,
                               {at.x, geometry.plot.Min.x + Px(6), geometry.plot.GetCenter().x - size.x / 2});
  if (!place) return false;
  const std::string cut = DrawFitted(list, *place, style, text);
  labels->Take(*place, "");
  labels->Explain(*place, label.empty() ? cut : cut + MeaningOfLabel(label));
  return true;
}

bool DrawLabelHere(Ground ground, ImDrawList* list, const TimelineGeometry& geometry, ImVec2 at,
                   const std::string& text, int64_t bytes, Color color, std::string_view label,
                   TimelineLabels* labels) {
  const TextStyle style = Colored(SmallMuted(), color);
  const ImVec2 size = ChipSize(style, FittedLabel(geometry, style, text));
  // Where the line rises to, only what lies to the left of that is beside it.
  const auto place =
      FindPlaceOn(ground, geometry, *labels, size, at.y, {at.x, at.x - size.x, at.x - size.x / 2});
  if (place) DrawLineLabel(list, *place, at, style, text, bytes, label, labels);
  return place.has_value();
}

bool IsFailure(const TimelineInput& input, const PlotMarker& marker) {
  return !input.failure.empty() && marker.text == input.failure;
}

void DrawMarkers(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input,
                 TimelineLabels* labels) {
  const Palette& colors = Colors();
  for (const PlotMarker& bookmark : input.bookmarks)
    DrawMarker(list, geometry, bookmark, colors.accent, colors.raised, labels);
  for (const PlotMarker& failure : input.plot->failures) DrawMarkerLine(list, geometry, failure, colors.bad);
  for (const PlotMarker& failure : Joined(geometry, input.plot->failures, Px(260)))
    LabelMarker(list, geometry, failure, colors.bad, colors.bad_fill, labels);
  for (const PlotMarker& marker : input.plot->markers) {
    const bool bad = IsFailure(input, marker);
    DrawMarker(list, geometry, marker, bad ? colors.bad : colors.good,
               bad ? colors.bad_fill : colors.good_fill, labels);
  }
}

void DrawMeasure(ImDrawList* list, const TimelineGeometry& geometry, const presenters::VisibleRange& range,
                 const std::string& text, TimelineLabels* labels) {
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
  while (labels->Overlap(place) && place.Min.y > geometry.plot.Min.y + size.y)
    place.Translate({0, -size.y - Px(3)});
  DrawChip(list, place, style, text, Colors().panel);
  labels->Take(place, "");
  labels->measured_top = place.Min.y;
}

}  // namespace tidemark::gui
