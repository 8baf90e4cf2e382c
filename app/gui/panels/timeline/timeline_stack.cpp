// The stack itself, by category or by whatever else it is grouped, and single blocks in it.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "app/gui/panels/timeline/timeline_parts.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/text.h"
#include "app/gui/window/opaque_fill.h"
#include "app/gui/window/theme.h"
#include "app/presenters/allocations/blocks.h"
#include "profiler/base/saturating.h"

namespace tidemark::gui {
namespace {

using presenters::PlotColumn;
using presenters::StackBy;
using presenters::TimelinePlot;

constexpr double kFaded = 0.26;     // what is not selected, beside what is
constexpr double kDipFades = 0.42;  // of the panel, over what was not there all the time

using StackColors = std::array<Color, events::kCategoryCount>;
static_assert(presenters::kMostStackGroups <= events::kCategoryCount);

// Opaque, though they fade: painted in software, mixing is most of a frame's time.
Color InDip(Color color) {
  if (color.alpha == 255) return Mixed(color, Colors().panel, kDipFades);
  return color.WithAlpha(color.alpha / 255.0 * (1 - kDipFades));
}

// One rectangle per run of columns in which a part of the stack stays the same; what lies above a column's
// lowest, as much as was there all the time, is a rectangle of its own.
class StackPainter {
 public:
  StackPainter(ImDrawList* list, size_t columns, const StackColors& colors)
      : list_(list), left_(2 * static_cast<int>(columns) * events::kCategoryCount) {
    is_opaque_ = std::ranges::all_of(colors, [](const Color& color) { return color.alpha == 255; });
    if (is_opaque_) BeginOpaque(list_);
    list_->PrimReserve(6 * left_, 4 * left_);
    for (size_t part = 0; part < colors.size(); ++part) {
      all_the_time_[part].color = colors[part];
      at_times_[part].color = InDip(colors[part]);
    }
  }
  void Add(int part, float x0, float x1, float y_top, float y_bottom, float y_lowest) {
    const auto at = static_cast<size_t>(part);
    const float cut = std::clamp(y_lowest, y_top, y_bottom);
    Extend(all_the_time_[at], {x0, cut, x1, y_bottom});
    Extend(at_times_[at], {x0, y_top, x1, cut});
  }
  void Finish() {
    for (Run& run : all_the_time_) Flush(run);
    for (Run& run : at_times_) Flush(run);
    list_->PrimUnreserve(6 * left_, 4 * left_);
    if (is_opaque_) EndOpaque(list_);
    for (const Run& part : large_) FillOpaque(list_, part.rect, part.color);
  }

 private:
  struct Run {
    ImRect rect;
    Color color;
  };
  void Extend(Run& run, const ImRect& rect) {
    ImRect& open = run.rect;
    if (open.GetWidth() > 0 && open.Min.y == rect.Min.y && open.Max.y == rect.Max.y &&
        rect.Min.x <= open.Max.x + 0.5F) {
      open.Max.x = std::max(open.Max.x, rect.Max.x);
      return;
    }
    Flush(run);
    open = rect;
  }
  void Flush(Run& run) {
    const ImRect rect = std::exchange(run.rect, {});
    if (rect.GetWidth() <= 0 || rect.GetHeight() < 0.01F || left_ == 0) return;
    // None lies on another, so the order in which they are painted is free.
    if (run.color.alpha == 255 && rect.GetArea() >= kWorthClearing)
      return large_.push_back({rect, run.color});
    list_->PrimRect(rect.Min, rect.Max, U32(run.color));
    --left_;
  }

  ImDrawList* list_;
  std::vector<Run> large_;
  int left_;
  bool is_opaque_ = true;
  std::array<Run, events::kCategoryCount> all_the_time_{};
  std::array<Run, events::kCategoryCount> at_times_{};
};

// Where what is not there all the time begins. Of ranks' highest, which are of no common moment, nothing is
// known.
float LowestOf(const TimelineGeometry& geometry, const TimelinePlot& plot, const PlotColumn& column) {
  if (!plot.group_ranks.empty()) return geometry.plot.Min.y - geometry.plot.GetHeight();
  return std::round(geometry.Y(static_cast<double>(column.lowest)));
}

bool Faded(const TimelineInput& input, size_t part) {
  if (input.selected == nullptr || !input.selected->selection.any()) return false;
  if (!input.plot->groups.empty()) return input.lit_group && *input.lit_group != part;
  using Kind = presenters::Selection::Kind;
  if (input.selected->selection.kind != Kind::kCategory) return true;
  return static_cast<size_t>(*input.selected->category) != part;
}

StackColors ColorsFor(const TimelineInput& input) {
  StackColors colors{};
  for (size_t part = 0; part < colors.size(); ++part) {
    const Color color = input.plot->groups.empty() ? Colors().categories[part] : ColorOfGroup(input, part);
    colors[part] = Faded(input, part) ? color.WithAlpha(kFaded) : color;
  }
  return colors;
}

// The selected share of each category, at the bottom of the category's band.
void DrawSelectedParts(ImDrawList* list, const TimelineGeometry& geometry, const TimelinePlot& plot,
                       timeline::CategorySet categories) {
  if (plot.selected.size() != plot.columns.size()) return;
  StackPainter painter(list, plot.columns.size(), Colors().categories);
  for (size_t k = 0; k < plot.columns.size(); ++k) {
    const PlotColumn& column = plot.columns[k];
    const auto [x0, x1] = geometry.Pixels(column.begin, column.end);
    const float lowest = LowestOf(geometry, plot, column);
    int64_t below = 0;
    for (int category = 0; category < events::kCategoryCount; ++category) {
      const auto part = static_cast<size_t>(category);
      if (!timeline::Contains(categories, part)) continue;
      const float bottom = std::round(geometry.Y(static_cast<double>(below)));
      const int64_t selected = SaturatingSum(below, plot.selected[k][part]);
      const float top = std::round(geometry.Y(static_cast<double>(selected)));
      painter.Add(category, x0, x1, top, bottom, lowest);
      below = SaturatingSum(below, column.at_peak[part]);
    }
  }
  painter.Finish();
}

std::optional<Color> ColorOfPhase(std::string_view name) {
  for (int number = 0; number < events::kPhaseCount; ++number) {
    if (events::NameOf(static_cast<events::Phase>(number)) == name)
      return Colors().stacked_phases[static_cast<size_t>(number)];
  }
  return std::nullopt;
}

// Why the stack cannot be of this; "" where it can.
const char* WhyNotBy(StackBy by, const TimelineInput& input) {
  if (by == StackBy::kRank && !input.has_ranks)
    return "This run is one rank alone. Open the recordings of several at once, or train on several.";
  return by != StackBy::kCategory && input.untold != 0 ? kAskedFirst : "";
}

}  // namespace

Color ColorOfGroup(const TimelineInput& input, size_t group) {
  const TimelinePlot& plot = *input.plot;
  const bool by_phase = input.stack.by == StackBy::kPhase && group < plot.groups.size();
  const std::optional<Color> of_phase = by_phase ? ColorOfPhase(plot.groups[group]) : std::nullopt;
  if (of_phase) return *of_phase;
  static_assert(std::tuple_size_v<decltype(Palette::groups)> == presenters::kMostStackGroups);
  const bool ranks = !plot.group_ranks.empty();
  return Colors().OfGroup(group, ranks ? plot.group_ranks.size() + 1 : plot.groups.size());
}

std::optional<int64_t> RankOfGroup(const TimelinePlot& plot, size_t group) {
  return group < plot.group_ranks.size() ? std::optional(plot.group_ranks[group]) : std::nullopt;
}

const char* NameOf(StackBy by) {
  static constexpr std::array<const char*, presenters::kStackByCount> kNames = {
      "category", "layer", "operator", "phase", "stream", "line of code", "rank", "expression"};
  return kNames[static_cast<size_t>(by)];
}

void DrawStackChoice(const TimelineInput& input, TimelineState& state) {
  static constexpr std::array<const char*, presenters::kStackByCount> kHelp = {
      "What each block holds.",
      "The layer that allocated it, or whose parameter or optimizer state it is; of many layers their "
      "modules.",
      "The operator that allocated it.",
      "The phase in which it was allocated.",
      "The CUDA stream that it was allocated on.",
      "The line that asked for it, where the run has stacks: record --stacks python, or a snapshot.",
      "Every rank's highest at the same place of the same step, on the axis of the rank that is shown.",
      "A group for each thing that a regular expression finds in a block's tensor, layer or operator."};
  for (int i = 0; i < presenters::kStackByCount - 1; ++i) {
    const auto by = static_cast<StackBy>(i);
    const std::string_view why_not = WhyNotBy(by, input);
    const auto flags = why_not.empty() ? ImGuiSelectableFlags_None : ImGuiSelectableFlags_Disabled;
    if (Choice(NameOf(by), input.stack.by == by, flags)) state.stack = {by, ""};
    Tooltip(why_not.empty() ? kHelp[static_cast<size_t>(i)] : why_not);
  }
  ImGui::SetNextItemWidth(Px(260));
  const std::string_view why_none = WhyNotBy(StackBy::kExpression, input);
  ImGui::BeginDisabled(!why_none.empty());
  const bool entered = TextField("##expression", "expression, as conv|relu", state.expression);
  ImGui::EndDisabled();
  if (input.stack_error.empty())  // which it would lie over
    Tooltip(why_none.empty() ? kHelp.back() : why_none);
  if (ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
  if (entered && state.expression.front() != 0) state.stack = {StackBy::kExpression, state.expression.data()};
  if (input.stack_error.empty()) return;
  ImGui::PushTextWrapPos(Px(300));
  Put(Colored(SmallMuted(), Colors().warning), input.stack_error);
  ImGui::PopTextWrapPos();
}

std::optional<size_t> GroupAt(const TimelinePlot& plot, const PlotColumn& column, int64_t bytes) {
  const size_t groups = plot.groups.size();
  const auto k = static_cast<size_t>(&column - plot.columns.data());
  for (size_t group = 0; group < groups; ++group) {
    const int64_t here = plot.grouped[k * groups + group];
    if (bytes >= 0 && bytes < here) return group;
    bytes -= here;
  }
  return std::nullopt;
}

presenters::Selection SelectionOfGroup(const TimelineInput& input, size_t group) {
  const TimelinePlot& plot = *input.plot;
  if (group + 1 >= plot.groups.size() || !plot.group_ranks.empty()) return {};  // all others, or a rank
  const std::string& name = plot.groups[group];
  if (name.starts_with(presenters::kNoLayer) || name == presenters::kNoOperator ||
      name == presenters::kNoLine)
    return {};
  if (input.stack.by == StackBy::kLayer) return presenters::LayerSelected(name);
  if (input.stack.by == StackBy::kOperator) return presenters::OperatorSelected(name);
  if (input.stack.by == StackBy::kLine) return presenters::FrameSelected(name);
  return {};
}

namespace {

// Where nobody told of blocks: as high as the level that was told, which a line names.
void DrawLevelInstead(ImDrawList* list, const TimelineGeometry& geometry, const TimelinePlot& plot) {
  for (const PlotColumn& column : plot.columns) {
    const auto [x0, x1] = geometry.Pixels(column.begin, column.end);
    const auto bytes = static_cast<double>(presenters::ShownBytes(column, timeline::kAllCategories));
    list->AddRectFilled({x0, std::round(geometry.Y(bytes))}, {x1, geometry.plot.Max.y},
                        U32(Colors().muted.WithAlpha(0.3)));
  }
}

}  // namespace

void DrawStack(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input,
               timeline::CategorySet categories) {
  const TimelinePlot& plot = *input.plot;
  if (!plot.columns.empty() && !plot.columns.front().tells_blocks())
    return DrawLevelInstead(list, geometry, plot);
  const size_t groups = plot.groups.size();
  const StackColors colors = ColorsFor(input);
  StackPainter painter(list, plot.columns.size(), colors);
  for (size_t k = 0; k < plot.columns.size(); ++k) {
    const PlotColumn& column = plot.columns[k];
    const auto [x0, x1] = geometry.Pixels(column.begin, column.end);
    const float lowest = LowestOf(geometry, plot, column);
    int64_t below = 0;
    float bottom = geometry.plot.Max.y;
    const int parts = groups == 0 ? events::kCategoryCount : static_cast<int>(groups);
    for (int part = 0; part < parts; ++part) {
      const auto at = static_cast<size_t>(part);
      if (groups == 0 && !timeline::Contains(categories, at)) continue;
      below = SaturatingSum(below, groups == 0 ? column.at_peak[at] : plot.grouped[k * groups + at]);
      const float top = std::round(geometry.Y(static_cast<double>(below)));
      painter.Add(part, x0, x1, top, bottom, lowest);
      bottom = top;
    }
  }
  painter.Finish();
  if (groups == 0) DrawSelectedParts(list, geometry, plot, categories);
}

std::optional<float> TitleTop(const TimelineGeometry& geometry, const TimelinePlot& plot, const ImRect& box,
                              float left, float right) {
  const float height = Px(kSmallTextSize + 2);
  const float gap = Px(2);
  std::vector<float> lines;
  for (const auto* levels : {&plot.textbook, &plot.phantom}) {
    for (const presenters::PlotLevel& level : *levels) {
      if (geometry.X(level.begin) < right && geometry.X(level.end) > left)
        lines.push_back(geometry.Y(static_cast<double>(level.bytes)));
    }
  }
  const auto is_free = [&](float top) {
    return top >= box.Min.y && top + height <= box.Max.y &&
           std::ranges::none_of(lines, [&](float y) { return y > top - gap && y < top + height + gap; });
  };
  const float middle = box.GetCenter().y - height / 2;
  if (is_free(middle)) return middle;
  for (const float line : lines) {
    for (const float top : {line + gap, line - gap - height}) {
      if (is_free(top)) return top;
    }
  }
  return std::nullopt;
}

namespace {

// On whole pixels, as the stack itself: a smoothed line would be three wide.
void DrawRim(ImDrawList* list, const TimelineGeometry& geometry, const ImRect& box,
             const presenters::PlotBlock& block, ImU32 color) {
  const float left = std::max(std::round(box.Min.x), geometry.plot.Min.x);
  const float right = std::min(std::round(box.Max.x), geometry.plot.Max.x);
  const float top = std::round(box.Min.y);
  const float bottom = std::round(box.Max.y);
  list->AddRectFilled({left, top}, {right, top + 1}, color);
  if (block.born && left == std::round(box.Min.x))
    list->AddRectFilled({left, top}, {left + 1, bottom}, color);
  if (block.gone && right == std::round(box.Max.x))
    list->AddRectFilled({right - 1, top}, {right, bottom}, color);
}

}  // namespace

void DrawBlocks(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input) {
  const ImU32 rim = U32(Colors().panel.WithAlpha(0.55));
  const bool fades = input.selected != nullptr && input.selected->selection.any();
  for (const presenters::PlotBlock& block : *input.blocks) {
    const ImRect box(geometry.X(block.begin), geometry.Y(static_cast<double>(block.top_bytes)),
                     geometry.X(block.end), geometry.Y(static_cast<double>(block.bottom_bytes)));
    if (box.Max.x < geometry.plot.Min.x || box.Min.x > geometry.plot.Max.x) continue;
    DrawRim(list, geometry, box, block, rim);
    if (block.title.empty() || box.GetHeight() < Px(kSmallTextSize + 3)) continue;
    const TextStyle style = fades ? SmallMuted() : Colored(SmallMuted(), TextOn(Colors().Of(block.category)));
    const float left = std::max(box.Min.x, geometry.plot.Min.x) + Px(5);
    const float room = std::min(box.Max.x, geometry.plot.Max.x) - Px(5) - left;
    if (room < Px(60) && Measure(style, block.title).x > room) continue;  // two letters say nothing
    const std::string title = Fitted(style, block.title, room);
    const auto top = TitleTop(geometry, *input.plot, box, left, left + Measure(style, title).x);
    if (top) DrawText(list, {left, *top}, style, title);
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

void DrawSelected(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input) {
  if (input.selected == nullptr || !input.selected->category) return;
  const ImU32 color = U32(Colors().Of(*input.selected->category));
  for (const HighlightSpan& span : input.selected_spans) {
    const auto [x0, x1] = geometry.Pixels(span.begin, span.end);
    list->AddRectFilled({x0, std::round(geometry.Y(static_cast<double>(span.top_bytes)))},
                        {x1, std::round(geometry.Y(static_cast<double>(span.bottom_bytes)))}, color);
  }
  DrawHighlight(list, geometry, input.selected_spans);
}

}  // namespace tidemark::gui
