// The lines over the stack: reserved, the second run, theory, what the driver and the card report.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>

#include "app/gui/panels/timeline/timeline_labels.h"
#include "app/gui/panels/timeline/timeline_parts.h"
#include "app/gui/widgets/labels.h"
#include "app/gui/window/theme.h"

namespace tidemark::gui {
namespace {

using presenters::PlotColumn;
using presenters::PlotLevel;
using presenters::TimelinePlot;

void DrawDashes(ImDrawList* list, float from, float to, float y, float dash, float gap, float width,
                Color color) {
  for (float x = from; x < to; x += dash + gap) {
    list->AddRectFilled({x, y - width / 2}, {std::min(x + dash, to), y + width / 2}, U32(color));
  }
}

// A level's label sits on its line: at the left for the textbook, at the right for the phantom, each where it
// is free.
void DrawLevel(ImDrawList* list, const TimelineGeometry& geometry, const PlotLevel& level, const char* name,
               bool dotted, ByteUnit unit, TimelineLabels* labels, AboveAxis* above) {
  const float from = std::max(geometry.X(level.begin), geometry.plot.Min.x);
  const float to = std::min(geometry.X(level.end), geometry.plot.Max.x);
  if (to - from < 2 || level.bytes <= 0) return;
  if (static_cast<double>(level.bytes) > geometry.top_bytes) return above->Add(name, level.bytes);
  const float y = std::round(geometry.Y(static_cast<double>(level.bytes)));
  const Color color = dotted ? Colors().accent : Colors().theory;
  list->AddRectFilled({from, y - Px(1.5F)}, {to, y + Px(1.5F)}, U32(Colors().panel.WithAlpha(kUnderTheory)));
  if (dotted) {
    DrawDashes(list, from, to, y, Px(kDot), Px(kGapOfDots), Px(2), color);
  } else {
    DrawDashes(list, from, to, y, Px(kDash), Px(kGapOfDashes), Px(2), color);
  }
  const TextStyle style{Faces().strong, kSmallTextSize, color};
  const std::string text = std::string(name) + " " + FormatBytes(level.bytes, unit);
  const ImVec2 size = ChipSize(style, FittedLabel(geometry, style, text));
  if (to - from < size.x * 0.8F) return;
  const float left = dotted ? to - size.x - Px(6) : from + Px(6);
  const float other = dotted ? from + Px(6) : to - size.x - Px(6);
  if (const auto place =
          FindPlace(geometry, *labels, size, y,
                    {left, other, (left + other) / 2, (3 * left + other) / 4, (left + 3 * other) / 4}))
    DrawLineLabel(list, *place, {place->GetCenter().x, y}, style, text, level.bytes, name, labels);
}

// Up and down again and again: a line from each to the next would hide the stack that it is compared with.
bool IsComb(const TimelineGeometry& geometry, std::span<const PlotLevel> levels) {
  constexpr int kOfASpike = 2;  // on a slope
  int turns = 0;
  int direction = 0;
  float last = geometry.Y(static_cast<double>(levels.front().bytes));
  for (const PlotLevel& level : levels) {
    const float y = geometry.Y(static_cast<double>(level.bytes));
    if (std::abs(y - last) < Px(2)) continue;
    const int now = y < last ? 1 : -1;
    turns += direction != 0 && now != direction ? 1 : 0;
    direction = now;
    last = y;
  }
  return turns > kOfASpike;
}

// A line's columns as one path: a rectangle for as many columns as are alike. Interrupted where it is not
// known.
void DrawLine(ImDrawList* list, const TimelineGeometry& geometry, const presenters::PlotLine& line,
              Color color) {
  const double width = (line.end - line.begin) / static_cast<double>(line.bytes.size());
  const float half = Px(0.75F);
  std::optional<ImRect> open;  // from the first of them to the last
  for (size_t k = 0; k < line.bytes.size(); ++k) {
    const auto [x0, x1] = geometry.Pixels(line.begin + width * static_cast<double>(k),
                                          line.begin + width * static_cast<double>(k + 1));
    const float y = std::round(geometry.Y(static_cast<double>(line.bytes[k])));
    const ImRect here(x0, y - half, x1, y + half);
    const bool is_known = line.bytes[k] > 0;
    if (is_known && open && here.Min.y == open->Min.y) {
      open->Max.x = x1;
      continue;
    }
    if (open) list->AddRectFilled(open->Min, open->Max, U32(color));
    if (open && is_known) {
      list->AddRectFilled({x0 - half, std::min(here.Min.y, open->Min.y) + half},
                          {x0 + half, std::max(here.Min.y, open->Min.y) + half}, U32(color));
    }
    open = is_known ? std::optional(here) : std::nullopt;
  }
  if (open) list->AddRectFilled(open->Min, open->Max, U32(color));
}

int64_t HighestOf(const presenters::PlotLine& line) {
  return line.bytes.empty() ? 0 : *std::max_element(line.bytes.begin(), line.bytes.end());
}

// A column of a line: where, and what it holds there.
struct LinePoint {
  double position = 0;
  int64_t bytes = 0;
};

// What is written on a line: as widgets/labels.h names it, and with what it holds where it stands at that.
struct LineLabel {
  std::string title;
  int64_t latest_bytes = 0;
  int64_t most_bytes = 0;
  ByteUnit unit;
  Color color;
  std::string when_told = {};  // PlotLine's
  std::string also = {};       // " · driver": lines that lie on it, for which it stands as well
};

LineLabel LabelOf(const std::string& title, std::span<const int64_t> bytes, ByteUnit unit, Color color) {
  return {title, LatestHeld(bytes), bytes.empty() ? 0 : std::ranges::max(bytes), unit, color};
}

// Where a label is tried.
struct LabelTry {
  Ground ground;
  bool only_with_size;
};

// On the line; not where it holds nothing yet.
bool LabelAt(LabelTry how, ImDrawList* list, const TimelineGeometry& geometry, LinePoint point,
             const LineLabel& label, TimelineLabels* labels) {
  if (point.bytes <= 0) return false;
  const ImVec2 at(geometry.X(point.position), geometry.Y(static_cast<double>(point.bytes)));
  const std::string title = label.title + label.also;
  std::string text =
      TextOnLine(geometry, title, label.latest_bytes, point.bytes, label.unit, label.when_told);
  if (how.only_with_size && text == title) return false;
  const int64_t told_bytes = text == title ? label.most_bytes : label.latest_bytes;
  if (text == title) text = TextBesideLatest(title, label.most_bytes, label.unit);
  return DrawLabelHere(how.ground, list, geometry, at, text, told_bytes, label.color, label.title, labels);
}

// Along a line, wherever its label lies on nothing, or else where there is room; with its size where the line
// stands at that, or else with the most that it has in sight.
void LabelOnce(size_t columns, const std::function<bool(LabelTry, size_t)>& label) {
  for (const Ground ground : kGrounds) {
    for (const bool only_with_size : {true, false}) {
      if (ColumnForLabel(columns, [&](size_t column) { return label({ground, only_with_size}, column); }))
        return;
    }
  }
}

void LabelLine(ImDrawList* list, const TimelineGeometry& geometry, const presenters::PlotLine& line,
               const std::string& also, ByteUnit unit, Color color, TimelineLabels* labels) {
  const double last = std::max(1.0, static_cast<double>(line.bytes.size() - 1));
  LineLabel label = LabelOf(line.title, line.bytes, unit, color);
  label.when_told = line.when_told;
  label.also = also;
  LabelOnce(line.bytes.size(), [&](LabelTry how, size_t column) {
    const double position = line.begin + (line.end - line.begin) * static_cast<double>(column) / last;
    return LabelAt(how, list, geometry, {position, line.bytes[column]}, label, labels);
  });
}

// " · process · card": of the lines those that lie on one with these columns. One label tells of them all:
// each with its own, all but one would stand at another line.
std::string TitlesOn(const TimelineGeometry& geometry, std::span<const int64_t> bytes,
                     std::span<const presenters::PlotLine> lines, ByteUnit unit) {
  std::string titles;
  for (const presenters::PlotLine& line : lines) {
    if (LieOnEachOther(geometry, bytes, line.bytes, unit)) titles += " · " + line.title;
  }
  return titles;
}

std::vector<int64_t> ReservedOf(const TimelinePlot& plot) {
  std::vector<int64_t> reserved;
  reserved.reserve(plot.columns.size());
  for (const PlotColumn& column : plot.columns) reserved.push_back(column.reserved_max);
  return reserved;
}

}  // namespace

bool LieOnEachOther(const TimelineGeometry& geometry, std::span<const int64_t> one,
                    std::span<const int64_t> other, ByteUnit unit) {
  const size_t common = std::min(one.size(), other.size());  // all end at the right
  one = one.last(common);
  other = other.last(common);
  const auto is_apart = [&](int64_t a, int64_t b) {
    const float apart = geometry.Y(static_cast<double>(a)) - geometry.Y(static_cast<double>(b));
    return a > 0 && b > 0 && std::abs(apart) >= Px(2);
  };
  // Where both rise, one may do so a column before the other.
  const auto leaves = [&](int64_t bytes, std::span<const int64_t> line, size_t k) {
    const size_t from = k == 0 ? 0 : k - 1;
    return std::ranges::all_of(line.subspan(from, std::min(k + 2, common) - from),
                               [&](int64_t beside) { return is_apart(bytes, beside); });
  };
  for (size_t k = 0; k < common; ++k) {
    if (leaves(one[k], other, k) || leaves(other[k], one, k)) return false;
  }
  const int64_t latest = LatestHeld(one);
  return latest > 0 && FormatBytes(latest, unit) == FormatBytes(LatestHeld(other), unit);
}

void AboveAxis::Add(std::string_view title, int64_t bytes, const std::string& when_told) {
  for (Level& level : levels) {
    if (level.title == title) return void(level.bytes = std::max(level.bytes, bytes));
  }
  levels.push_back({std::string(title), bytes, when_told});
}

std::string AboveAxis::InWords(ByteUnit unit) const {
  std::string words;
  for (size_t i = 0; i < levels.size(); ++i) {
    const Level& level = levels[i];
    words += (i == 0 ? "↑ " : " · ") + level.title;
    const bool is_like_next = i + 1 < levels.size() && levels[i + 1].bytes == level.bytes &&
                              levels[i + 1].when_told == level.when_told;
    if (!is_like_next) words += " " + FormatBytes(level.bytes, unit) + level.when_told;
  }
  return words;
}

std::vector<bool> InCombs(const TimelineGeometry& geometry, std::span<const PlotLevel> levels) {
  std::vector<bool> in_combs;
  in_combs.reserve(levels.size());
  for (size_t begin = 0, end = 0; begin < levels.size(); begin = end) {
    const auto is_narrow = [&](size_t i) {
      return geometry.X(levels[i].end) - geometry.X(levels[i].begin) < Px(2);
    };
    const auto goes_on = [&] {
      return end < levels.size() && is_narrow(end) && is_narrow(end - 1) &&
             levels[end - 1].end == levels[end].begin &&
             geometry.X(levels[end].end) - geometry.X(levels[begin].begin) < Px(10);
    };
    for (end = begin + 1; goes_on();) ++end;
    in_combs.resize(end, IsComb(geometry, levels.subspan(begin, end - begin)));
  }
  return in_combs;
}

void DrawReserved(ImDrawList* list, const TimelineGeometry& geometry, const TimelinePlot& plot, ByteUnit unit,
                  TimelineLabels* labels, AboveAxis* above) {
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
  const int64_t highest = HighestReserved(plot);
  if (static_cast<double>(highest) > geometry.top_bytes) return above->Add("reserved", highest);
  const std::vector<int64_t> reserved = ReservedOf(plot);
  LineLabel label = LabelOf("reserved", reserved, unit, color);
  label.also = TitlesOn(geometry, reserved, plot.lines, unit);
  LabelOnce(plot.columns.size(), [&](LabelTry how, size_t column) {
    const PlotColumn& at = plot.columns[column];
    return LabelAt(how, list, geometry, {at.begin, at.reserved_max}, label, labels);
  });
}

void DrawCompared(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input,
                  TimelineLabels* labels) {
  const Color color = Colors().compared;
  const float half = Px(1);
  const PlotLevel* before = nullptr;
  const PlotLevel* highest = nullptr;
  const std::vector<PlotLevel>& levels = input.plot->compared;
  const std::vector<bool> in_combs = InCombs(geometry, levels);
  for (size_t i = 0; i < levels.size(); ++i) {
    const PlotLevel& level = levels[i];
    const auto [x0, x1] = geometry.Pixels(level.begin, level.end);
    const float y = std::round(geometry.Y(static_cast<double>(level.bytes)));
    if (before != nullptr && before->end == level.begin && !(in_combs[i] && in_combs[i - 1])) {
      const float last_y = std::round(geometry.Y(static_cast<double>(before->bytes)));
      list->AddRectFilled({x0 - half, std::min(y, last_y)}, {x0 + half, std::max(y, last_y)}, U32(color));
    }
    list->AddRectFilled({x0, y - half}, {x1, y + half}, U32(color));
    before = &level;
    if (highest == nullptr || level.bytes > highest->bytes) highest = &level;
  }
  if (highest == nullptr) return;
  const TextStyle style{Faces().strong, kSmallTextSize, color};
  const std::string text =
      TextOfCompared(input.compared, highest->bytes, input.plot->compared_peak_bytes, input.unit);
  const ImVec2 size = ChipSize(style, FittedLabel(geometry, style, text));
  const float x = geometry.X(highest->begin);
  const float y = geometry.Y(static_cast<double>(highest->bytes));
  if (const auto place = FindPlace(geometry, *labels, size, y, {x, x - size.x}))
    DrawLineLabel(list, *place, {x, y}, style, text, highest->bytes, "second run", labels);
}

void DrawLevels(ImDrawList* list, const TimelineGeometry& geometry, const TimelinePlot& plot, ByteUnit unit,
                TimelineLabels* labels, AboveAxis* above) {
  for (const PlotLevel& level : plot.phantom)
    DrawLevel(list, geometry, level, "phantom peak", true, unit, labels, above);
  for (const PlotLevel& level : plot.textbook)
    DrawLevel(list, geometry, level, "textbook", false, unit, labels, above);
}

void DrawLines(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input,
               TimelineLabels* labels, AboveAxis* above) {
  const Color color = Colors().muted;
  const std::vector<int64_t> reserved = ReservedOf(*input.plot);
  const std::span<const presenters::PlotLine> lines = input.plot->lines;
  for (size_t i = 0; i < lines.size(); ++i) {
    const presenters::PlotLine& line = lines[i];
    const int64_t highest = HighestOf(line);
    if (static_cast<double>(highest) > geometry.top_bytes) {
      above->Add(line.title, highest, highest == LatestHeld(line.bytes) ? line.when_told : "");
      continue;
    }
    DrawLine(list, geometry, line, color);
    const bool is_told = LieOnEachOther(geometry, reserved, line.bytes, input.unit) ||
                         std::ranges::any_of(lines.first(i), [&](const presenters::PlotLine& before) {
                           return LieOnEachOther(geometry, before.bytes, line.bytes, input.unit);
                         });
    if (is_told) continue;
    LabelLine(list, geometry, line, TitlesOn(geometry, line.bytes, lines.subspan(i + 1), input.unit),
              input.unit, color, labels);
  }
  if (input.capacity.bytes > 0 && static_cast<double>(input.capacity.bytes) <= geometry.top_bytes) {
    const float y = std::round(geometry.Y(static_cast<double>(input.capacity.bytes)));
    list->AddRectFilled({geometry.plot.Min.x, y - Px(1)}, {geometry.plot.Max.x, y + Px(1)},
                        U32(Colors().bad));
    DrawLabel(list, geometry, {geometry.plot.Max.x, y},
              session::InWords(input.capacity) + " " + FormatBytes(input.capacity.bytes, input.unit),
              Colors().bad, "the card has", labels);
  } else if (input.capacity.bytes > 0) {
    above->Add(session::InWords(input.capacity), input.capacity.bytes);
  }
}

void DrawAbove(ImDrawList* list, const TimelineGeometry& geometry, const AboveAxis& above, ByteUnit unit,
               TimelineLabels* labels) {
  const std::string words = above.InWords(unit);
  if (words.empty()) return;
  const std::string shown = Fitted(SmallMuted(), words, geometry.plot.GetWidth());
  const ImVec2 size = Measure(SmallMuted(), shown);
  const float top = UnitTop(geometry);
  const ImRect place(geometry.plot.Max.x - size.x, top, geometry.plot.Max.x, top + size.y);
  list->PushClipRect(place.Min, place.Max);
  DrawText(list, place.Min, SmallMuted(), shown);
  list->PopClipRect();
  labels->Take(place, "above the axis");
  if (shown != words) labels->Explain(place, words + "\n" + MeaningOfLabel("above the axis"));
}

}  // namespace tidemark::gui
