#include "app/gui/panels/timeline_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "app/gui/widgets/labels.h"
#include "app/gui/widgets/text.h"
#include "app/gui/widgets/translation.h"
#include "app/gui/window/theme.h"

namespace tidemark::gui {
namespace {

using presenters::PlotColumn;
using presenters::PlotLevel;
using presenters::PlotMarker;
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

// Finds room for a label of `size` near (x, y): above the line, below it, and then further along it.
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

// Labels lie above all lines, whichever is drawn first.
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

void DrawDashes(ImDrawList* list, float from, float to, float y, float dash, float gap, float width,
                Color color) {
  for (float x = from; x < to; x += dash + gap) {
    list->AddRectFilled({x, y - width / 2}, {std::min(x + dash, to), y + width / 2}, U32(color));
  }
}

// A level's label sits on its line: at the left for the textbook, at the right for the phantom, each where it
// is free.
void DrawLevel(ImDrawList* list, const TimelineGeometry& geometry, const PlotLevel& level, const char* name,
               bool dotted, ByteUnit unit, TakenPlaces* taken, AboveAxis* above) {
  const float from = std::max(geometry.X(level.begin), geometry.plot.Min.x);
  const float to = std::min(geometry.X(level.end), geometry.plot.Max.x);
  if (to - from < 2 || level.bytes <= 0) return;
  if (static_cast<double>(level.bytes) > geometry.top_bytes) return above->Add(name, level.bytes);
  const float y = std::round(geometry.Y(static_cast<double>(level.bytes)));
  const Color color = dotted ? Colors().accent : Colors().theory;
  // A thin shadow keeps the line apart from whatever colour lies under it.
  list->AddRectFilled({from, y - Px(1.5F)}, {to, y + Px(1.5F)},
                      U32(Colors().background.WithAlpha(Colors().dark ? 0.45 : 0.0)));
  if (dotted) {
    DrawDashes(list, from, to, y, Px(2), Px(4), Px(2), color);
  } else {
    DrawDashes(list, from, to, y, Px(8), Px(5), Px(2), color);
  }
  const TextStyle style{Faces().strong, kSmallTextSize, color};
  const std::string text = std::string(name) + " " + FormatBytes(level.bytes, unit);
  const ImVec2 size = ChipSize(style, text);
  if (to - from < size.x * 0.8F) return;
  const float left = dotted ? to - size.x - Px(6) : from + Px(6);
  const float other = dotted ? from + Px(6) : to - size.x - Px(6);
  if (const auto place = FindPlace(geometry, *taken, size, y, {left, other, (from + to - size.x) / 2})) {
    DrawChip(list, *place, style, text, Colors().panel.WithAlpha(0.88));
    taken->Take(*place, name);
  }
}

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

TextStyle LaneWords() { return Colored(SmallMuted(), Colors().dark ? Rgb(0xC9CFD8) : Rgb(0x3A4350)); }

void DrawLaneName(ImDrawList* list, const TimelineGeometry& geometry, const char* name) {
  DrawText(list, {geometry.phases.Min.x - Px(8), geometry.phases.GetCenter().y - Px(8)}, SmallMuted(), name,
           Align::kRight);
}

// Where phases are too narrow: from one step that is named below to the next.
void DrawStepBands(ImDrawList* list, const TimelineGeometry& geometry, const TimelinePlot& plot) {
  const std::vector<presenters::PlotStep>& steps = plot.steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    const bool last = i + 1 == steps.size();
    const double end = last ? plot.columns.back().end : steps[i + 1].begin;
    const float from = std::max(geometry.X(steps[i].begin), geometry.phases.Min.x);
    const float to = std::min(geometry.X(end), geometry.phases.Max.x);
    if (to - from < Px(3)) continue;
    list->AddRectFilled({from + Px(1), geometry.phases.Min.y}, {to - Px(1), geometry.phases.Max.y},
                        U32(Colors().dark ? Colors().raised : Colors().border), Px(3));
    TooltipOver({from, geometry.phases.Min.y}, {to, geometry.phases.Max.y},
                "From step " + FormatNumber(steps[i].number) + " on. Zoom in to see the phases.");
    // Of a run that was restarted numbers come again.
    const int64_t count = last ? 0 : steps[i + 1].number - steps[i].number;
    const std::string text = FormatNumber(count) + (count == 1 ? " step" : " steps");
    if (count > 0 && Measure(LaneWords(), text).x + Px(6) < to - from) {
      DrawText(list, {(from + to) / 2, geometry.phases.GetCenter().y - Px(8)}, LaneWords(), text,
               Align::kCenter);
    }
  }
  DrawLaneName(list, geometry, "steps");
}

// Where there is no room for the whole name.
std::string_view ShortNameOf(events::Phase phase) {
  static constexpr std::array<std::string_view, events::kPhaseCount> kNames = {"", "fwd", "bwd", "opt",
                                                                               "eval"};
  return kNames[static_cast<size_t>(phase)];
}

}  // namespace

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

const PlotColumn* ColumnAt(const TimelinePlot& plot, double position) {
  const auto after = std::upper_bound(plot.columns.begin(), plot.columns.end(), position,
                                      [](double at, const PlotColumn& column) { return at < column.begin; });
  if (after == plot.columns.begin()) return nullptr;
  const PlotColumn& column = *std::prev(after);
  return position < column.end ? &column : nullptr;
}

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

void DrawBlocks(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input) {
  const ImU32 rim = U32(Colors().panel.WithAlpha(0.55));
  const bool fades = input.selected != nullptr && input.selected->selection.any();
  for (const presenters::PlotBlock& block : *input.blocks) {
    const ImRect box(geometry.X(block.begin), geometry.Y(static_cast<double>(block.top_bytes)),
                     geometry.X(block.end), geometry.Y(static_cast<double>(block.bottom_bytes)));
    if (box.Max.x < geometry.plot.Min.x || box.Min.x > geometry.plot.Max.x) continue;
    list->AddLine(box.Min, {box.Max.x, box.Min.y}, rim);
    if (block.born) list->AddLine(box.Min, {box.Min.x, box.Max.y}, rim);
    if (block.gone) list->AddLine({box.Max.x, box.Min.y}, box.Max, rim);
    if (block.title.empty() || box.GetHeight() < Px(kSmallTextSize + 3)) continue;
    const TextStyle style = fades ? SmallMuted() : Colored(SmallMuted(), TextOn(Colors().Of(block.category)));
    const float left = std::max(box.Min.x, geometry.plot.Min.x) + Px(5);
    const float room = std::min(box.Max.x, geometry.plot.Max.x) - Px(5) - left;
    if (room < Px(60) && Measure(style, block.title).x > room) continue;  // two letters say nothing
    const float y = box.GetCenter().y - Px(kSmallTextSize) / 2 - Px(1);
    DrawText(list, {left, y}, style, Fitted(style, block.title, room));
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
  DrawChip(list, place, style, text, Colors().panel.WithAlpha(0.92));
  taken->Take(place, "");
}

void DrawGrid(ImDrawList* list, const TimelineGeometry& geometry) {
  const TextStyle style = Colored({Faces().numbers, kSmallTextSize + 1, Colors().muted}, Colors().muted);
  for (double bytes = 0; bytes <= geometry.top_bytes * 1.001; bytes += geometry.tick_bytes) {
    const float y = std::round(geometry.Y(bytes));
    list->AddLine({geometry.plot.Min.x, y}, {geometry.plot.Max.x, y}, U32(Colors().faint));
    char text[32];
    std::snprintf(text, sizeof text, geometry.tick_bytes < geometry.unit_bytes ? "%.1f" : "%.0f",
                  bytes / geometry.unit_bytes);
    DrawText(list, {geometry.plot.Min.x - Px(8), y - Px(8)}, style, text, Align::kRight);
  }
  DrawText(list, {geometry.plot.Min.x - Px(8), geometry.plot.Min.y - Px(26)}, SmallMuted(),
           geometry.unit_name, Align::kRight);
}

void DrawReserved(ImDrawList* list, const TimelineGeometry& geometry, const TimelinePlot& plot, ByteUnit unit,
                  TakenPlaces* taken) {
  if (plot.columns.empty()) return;
  const Color color = Colors().dark ? Rgb(0xC9CFD8) : Rgb(0x4A5361);
  const float width = Px(1.5F);
  float last_y = 0;
  float last_x = 0;
  bool any = false;
  for (const PlotColumn& column : plot.columns) {
    const float y = std::round(geometry.Y(static_cast<double>(column.reserved_max)));
    const float x0 = std::floor(geometry.X(column.begin));
    if (column.reserved_max <= 0) continue;
    if (!any || y != last_y) {
      if (any) {
        list->AddRectFilled({last_x, last_y - width / 2}, {x0, last_y + width / 2}, U32(color));
        list->AddRectFilled({x0 - width / 2, std::min(y, last_y)}, {x0 + width / 2, std::max(y, last_y)},
                            U32(color));
      }
      last_x = x0;
      last_y = y;
    }
    any = true;
  }
  if (!any) return;
  const float end = std::min(std::floor(geometry.X(plot.columns.back().end)), geometry.plot.Max.x);
  list->AddRectFilled({last_x, last_y - width / 2}, {end, last_y + width / 2}, U32(color));
  const TextStyle style = Colored(SmallMuted(), color);
  const std::string text = "reserved " + FormatBytes(plot.columns.back().reserved_max, unit);
  const ImVec2 size = ChipSize(style, text);
  if (const auto place =
          FindPlace(geometry, *taken, size, last_y, {end - size.x, geometry.plot.Min.x + Px(6)})) {
    DrawChip(list, *place, style, text, Colors().panel.WithAlpha(0.88));
    taken->Take(*place, "reserved");
  }
}

namespace {

// Where levels are too narrow to be told apart, the highest of some: a line up and down at each would hide
// the stack that they are compared with.
std::vector<PlotLevel> ToldApart(const TimelineGeometry& geometry, const std::vector<PlotLevel>& levels) {
  std::vector<PlotLevel> told;
  bool is_open = false;  // the last one takes in narrow ones still
  for (const PlotLevel& level : levels) {
    const bool is_narrow = geometry.X(level.end) - geometry.X(level.begin) < Px(2);
    const bool joins = is_open && is_narrow && told.back().end == level.begin;
    if (joins) {
      told.back().end = level.end;
      told.back().bytes = std::max(told.back().bytes, level.bytes);
    } else {
      told.push_back(level);
    }
    is_open = is_narrow && geometry.X(told.back().end) - geometry.X(told.back().begin) < Px(10);
  }
  return told;
}

}  // namespace

void DrawCompared(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input,
                  TakenPlaces* taken) {
  const Color color = Colors().compared;
  const float half = Px(1);
  const PlotLevel* before = nullptr;
  const PlotLevel* highest = nullptr;
  const std::vector<PlotLevel> levels = ToldApart(geometry, input.plot->compared);
  for (const PlotLevel& level : levels) {
    const auto [x0, x1] = geometry.Pixels(level.begin, level.end);
    const float y = std::round(geometry.Y(static_cast<double>(level.bytes)));
    if (before != nullptr && before->end == level.begin) {
      const float last_y = std::round(geometry.Y(static_cast<double>(before->bytes)));
      list->AddRectFilled({x0 - half, std::min(y, last_y)}, {x0 + half, std::max(y, last_y)}, U32(color));
    }
    list->AddRectFilled({x0, y - half}, {x1, y + half}, U32(color));
    before = &level;
    if (highest == nullptr || level.bytes > highest->bytes) highest = &level;
  }
  if (highest == nullptr) return;
  const TextStyle style{Faces().strong, kSmallTextSize, color};
  const std::string text = input.compared + " " + FormatBytes(highest->bytes, input.unit);
  const ImVec2 size = ChipSize(style, text);
  const float x = geometry.X(highest->begin);
  const float y = geometry.Y(static_cast<double>(highest->bytes));
  if (const auto place = FindPlace(geometry, *taken, size, y, {x, x - size.x})) {
    DrawChip(list, *place, style, text, Colors().panel.WithAlpha(0.88));
    taken->Take(*place, "second run");
  }
}

bool DrawLabel(ImDrawList* list, const TimelineGeometry& geometry, ImVec2 at, const std::string& text,
               Color color, std::string_view label, TakenPlaces* taken) {
  const TextStyle style = Colored(SmallMuted(), color);
  const ImVec2 size = ChipSize(style, text);
  const auto place = FindPlace(geometry, *taken, size, at.y,
                               {at.x, geometry.plot.Min.x + Px(6), geometry.plot.GetCenter().x - size.x / 2});
  if (!place) return false;
  DrawChip(list, *place, style, text, Colors().panel.WithAlpha(0.88));
  taken->Take(*place, label);
  return true;
}

void DrawLevels(ImDrawList* list, const TimelineGeometry& geometry, const TimelinePlot& plot, ByteUnit unit,
                TakenPlaces* taken, AboveAxis* above) {
  for (const PlotLevel& level : plot.phantom)
    DrawLevel(list, geometry, level, "phantom peak", true, unit, taken, above);
  for (const PlotLevel& level : plot.textbook)
    DrawLevel(list, geometry, level, "textbook", false, unit, taken, above);
}

void DrawMarkers(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input,
                 TakenPlaces* taken) {
  const Palette& colors = Colors();
  for (const PlotMarker& bookmark : input.bookmarks)
    DrawMarker(list, geometry, bookmark, colors.accent, colors.raised, taken);
  for (const PlotMarker& failure : input.plot->failures)
    DrawMarker(list, geometry, failure, colors.bad, colors.bad_fill, taken);
  for (const PlotMarker& marker : input.plot->markers) {
    const bool bad = !input.failure.empty() && marker.text == input.failure;
    DrawMarker(list, geometry, marker, bad ? colors.bad : colors.good,
               bad ? colors.bad_fill : colors.good_fill, taken);
  }
}

void DrawPhases(ImDrawList* list, const TimelineGeometry& geometry, const TimelinePlot& plot) {
  if (plot.phases.empty() && !plot.steps.empty()) return DrawStepBands(list, geometry, plot);
  const TextStyle style = LaneWords();
  bool any = false;
  for (const presenters::PlotPhase& phase : plot.phases) {
    if (phase.phase == events::Phase::kIdle) continue;
    any = true;
    const float from = std::max(geometry.X(phase.begin), geometry.phases.Min.x);
    const float to = std::min(geometry.X(phase.end), geometry.phases.Max.x);
    if (to - from < 1) continue;
    const float gap = to - from > Px(6) ? Px(1) : 0;
    list->AddRectFilled({from + gap, geometry.phases.Min.y}, {to - gap, geometry.phases.Max.y},
                        U32(Colors().Of(phase.phase)), to - from > Px(8) ? Px(3) : 0);
    const std::string_view name = events::NameOf(phase.phase);
    TooltipOver({from, geometry.phases.Min.y}, {to, geometry.phases.Max.y},
                std::string(Translated(name)) + ": " + std::string(Translated(MeaningOfLabel(name))));
    for (const std::string_view text : {name, ShortNameOf(phase.phase)}) {
      if (Measure(style, text).x + Px(6) >= to - from) continue;
      DrawText(list, {(from + to) / 2, geometry.phases.GetCenter().y - Px(8)}, style, text, Align::kCenter);
      break;
    }
  }
  if (any) DrawLaneName(list, geometry, "phase");
}

void DrawSteps(ImDrawList* list, const TimelineGeometry& geometry, const TimelinePlot& plot) {
  const TextStyle style = SmallMuted();
  float free_from = geometry.steps.Min.x;
  for (const presenters::PlotStep& step : plot.steps) {
    const float x = geometry.X(step.begin);
    if (x < geometry.plot.Min.x - 1) continue;
    list->AddLine({std::round(x), geometry.phases.Min.y}, {std::round(x), geometry.steps.Min.y + Px(6)},
                  U32(Colors().border));
    const std::string text = "step " + FormatNumber(step.number);
    const float width = Measure(style, text).x;
    const float left = x + Px(3);
    if (left < free_from || left + width > geometry.steps.Max.x) continue;
    DrawText(list, {left, geometry.steps.Min.y}, style, text);
    free_from = left + width + Px(12);
  }
}

void DrawHighlight(ImDrawList* list, const TimelineGeometry& geometry,
                   const std::vector<HighlightSpan>& spans) {
  const ImU32 fill = U32(Rgb(0xFFFFFF).WithAlpha(0.22));
  const ImU32 edge = U32(Colors().dark ? Rgb(0xFFFFFF) : Rgb(0x000000));
  for (const HighlightSpan& span : spans) {
    const auto [x0, x1] = geometry.Pixels(span.begin, span.end);
    const float top = std::round(geometry.Y(static_cast<double>(span.top_bytes)));
    const float bottom = std::round(geometry.Y(static_cast<double>(span.bottom_bytes)));
    list->AddRectFilled({x0, top}, {x1, bottom}, fill);
    list->AddRectFilled({x0, top}, {x1, top + 1}, edge);
    list->AddRectFilled({x0, bottom - 1}, {x1, bottom}, edge);
  }
}

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
  for (const PlotColumn& column : input.overview->columns) {
    const int64_t allocated = column.at_peak[static_cast<size_t>(timeline::Series::kAllocated)];
    const float x0 = std::floor(x_of(column.begin));
    const float x1 = std::max(x0 + 1, std::floor(x_of(column.end)));
    const float top =
        strip.Max.y - Px(2) -
        static_cast<float>(static_cast<double>(allocated) / highest) * (strip.GetHeight() - Px(5));
    list->AddRectFilled({x0, top}, {x1, strip.Max.y - Px(2)},
                        U32(colors.Of(events::Category::kActivation).WithAlpha(0.5)));
  }
  for (const PlotMarker& marker : input.overview->markers) {
    const float x = x_of(marker.position);
    list->AddLine({x, strip.Min.y}, {x, strip.Max.y}, U32(colors.good), Px(1));
  }
  for (const PlotMarker& bookmark : input.bookmarks) {
    const float x = x_of(bookmark.position);
    list->AddLine({x, strip.Min.y}, {x, strip.Max.y}, U32(colors.accent), Px(1.5F));
  }
  for (const PlotMarker& failure : input.overview->failures) {
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
