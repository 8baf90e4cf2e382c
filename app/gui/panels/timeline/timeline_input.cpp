#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/gui/panels/timeline/timeline_parts.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/translation.h"
#include "app/presenters/plot/compared_run.h"
#include "profiler/base/saturating.h"

namespace tidemark::gui {
namespace {

using presenters::VisibleRange;

constexpr double kSmallestSpanEvents = 8;  // the deepest zoom
constexpr double kSmallestSpanNanoseconds = 2000;

double SmallestSpan(const TimelineState& state) {
  return state.axis == presenters::TimeAxis::kEvents ? kSmallestSpanEvents : kSmallestSpanNanoseconds;
}

// Keeps a range inside the run, with a little air on both sides, and no deeper than makes sense.
VisibleRange Kept(VisibleRange range, const VisibleRange& whole, double smallest) {
  const double longest = std::max((whole.end - whole.begin) * 1.02, smallest);
  double span = std::clamp(range.end - range.begin, smallest, longest);
  const double middle = (range.begin + range.end) / 2;
  range = {middle - span / 2, middle + span / 2};
  const double air = span * 0.02;
  if (range.begin < whole.begin - air) range = {whole.begin - air, whole.begin - air + span};
  if (range.end > whole.end + air)
    range = {std::max(whole.begin - air, whole.end + air - span), whole.end + air};
  return range;
}

void Show(const TimelineInput& input, TimelineState& state, VisibleRange range) {
  state.follow = false;
  state.whole = false;
  state.visible = Kept(range, input.whole, SmallestSpan(state));
}

void Zoom(const TimelineInput& input, TimelineState& state, const TimelineGeometry& geometry, double around,
          double factor) {
  const double left = (around - geometry.visible.begin) * factor;
  const double right = (geometry.visible.end - around) * factor;
  Show(input, state, {around - left, around + right});
}

constexpr double kMostMagnified = 1000;

void Wheel(const TimelineInput& input, const TimelineGeometry& geometry, TimelineState& state) {
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelX);
  const ImGuiIO& io = ImGui::GetIO();
  const double span = geometry.visible.end - geometry.visible.begin;
  const double sideways = io.MouseWheelH + (io.KeyShift ? io.MouseWheel : 0.0F);
  if (io.KeyCtrl && io.MouseWheel != 0) {
    state.magnified = std::clamp(state.magnified * std::pow(1.22, io.MouseWheel), 1.0, kMostMagnified);
  } else if (sideways != 0) {
    Show(input, state,
         {geometry.visible.begin - sideways * span * 0.08, geometry.visible.end - sideways * span * 0.08});
  } else if (io.MouseWheel != 0) {
    Zoom(input, state, geometry, geometry.PositionAt(io.MousePos.x), std::pow(0.82, io.MouseWheel));
  }
}

void Keys(const TimelineInput& input, const TimelineGeometry& geometry, TimelineState& state) {
  if (ImGui::GetIO().KeyAlt) return;  // turns a lesson's page
  const ImGuiID owner = ImGui::GetID("timeline keys");
  for (const ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow}) {
    ImGui::SetKeyOwner(key, owner);
  }
  const double span = geometry.visible.end - geometry.visible.begin;
  const double middle = (geometry.visible.begin + geometry.visible.end) / 2;
  const auto pressed = [owner](ImGuiKey key) {
    return ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, owner);
  };
  if (pressed(ImGuiKey_LeftArrow))
    Show(input, state, {geometry.visible.begin - span * 0.1, geometry.visible.end - span * 0.1});
  if (pressed(ImGuiKey_RightArrow))
    Show(input, state, {geometry.visible.begin + span * 0.1, geometry.visible.end + span * 0.1});
  if (pressed(ImGuiKey_UpArrow)) Zoom(input, state, geometry, middle, 0.8);
  if (pressed(ImGuiKey_DownArrow)) Zoom(input, state, geometry, middle, 1.25);
}

void NoteHover(const TimelineInput& input, const TimelineGeometry& geometry, TimelineState& state) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const double position = geometry.PositionAt(mouse.x);
  const presenters::PlotColumn* column = presenters::ColumnAt(*input.plot, position);
  if (column == nullptr) return;
  if (!input.plot->groups.empty()) {
    state.hover = TimelineState::Hover{position, static_cast<int64_t>(geometry.BytesAt(mouse.y))};
    return;
  }
  // Hidden categories take no room in the picture, but they do in the stack that is asked about the block.
  auto bytes = static_cast<int64_t>(geometry.BytesAt(mouse.y));
  int64_t shown = 0;
  int64_t all = 0;
  for (size_t category = 0; category < events::kCategoryCount; ++category) {
    const int64_t here = column->at_peak[category];
    const bool hidden = !timeline::Contains(ShownIn(input, state), category);
    if (!hidden && bytes < SaturatingSum(shown, here)) break;
    all = SaturatingSum(all, here);
    if (!hidden) shown = SaturatingSum(shown, here);
  }
  bytes = SaturatingSum(bytes, SaturatingDifference(all, shown));
  state.hover = TimelineState::Hover{position, bytes};
}

// A click shows its moment everywhere, and lights up what lies there.
void PinAndSelect(const TimelineInput& input, const TimelineGeometry& geometry,
                  const presenters::PlotColumn& column, CommandQueue& queue) {
  presenters::Selection under_mouse;
  if (!input.plot->groups.empty()) {
    const auto bytes = static_cast<int64_t>(geometry.BytesAt(ImGui::GetIO().MousePos.y));
    if (const auto group = GroupAt(*input.plot, column, bytes)) under_mouse = SelectionOfGroup(input, *group);
  } else if (input.hovered) {
    under_mouse = presenters::AllocationSelected(input.hovered->born);
  }
  queue.Push(PinMoment{column.peak, under_mouse});
}

// `told`: what lay under the mouse in the frame before, which `input.hovered` is about. A click is on that
// picture: the run that is followed may have moved on.
void Pan(const TimelineInput& input, const TimelineGeometry& geometry,
         const std::optional<TimelineState::Hover>& told, TimelineState& state, CommandQueue& queue) {
  using Drag = TimelineState::Drag;
  if (ImGui::IsItemActivated() && !ImGui::GetIO().KeyShift) {
    state.drag = Drag::kPan;
    state.drag_from = geometry.visible;
  }
  if (state.drag != Drag::kPan) return;
  const ImVec2 moved = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, Px(4));
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, Px(4))) {
    const double per_pixel = (state.drag_from.end - state.drag_from.begin) / geometry.plot.GetWidth();
    Show(input, state,
         {state.drag_from.begin - moved.x * per_pixel, state.drag_from.end - moved.x * per_pixel});
  }
  if (ImGui::IsItemDeactivated()) {
    const ImVec2 travelled = ImGui::GetIO().MouseClickedPos[0] - ImGui::GetIO().MousePos;
    const bool clicked = std::abs(travelled.x) < Px(4) && std::abs(travelled.y) < Px(4);
    const double position = told ? told->position : geometry.PositionAt(ImGui::GetIO().MousePos.x);
    const presenters::PlotColumn* column = presenters::ColumnAt(*input.plot, position);
    if (clicked && ImGui::IsItemHovered() && column != nullptr) PinAndSelect(input, geometry, *column, queue);
    state.drag = Drag::kNone;
  }
}

// Of a column the moment that its height and the tooltip tell, as a click pins it; beside the curve its end.
events::EventIndex MomentUnderMouse(const TimelineInput& input, const TimelineGeometry& geometry,
                                    const TimelineState& state) {
  const double position =
      geometry.PositionAt(std::clamp(ImGui::GetIO().MousePos.x, geometry.plot.Min.x, geometry.plot.Max.x));
  const presenters::PlotColumn* column = presenters::ColumnAt(*input.plot, position);
  if (column != nullptr) return column->peak;
  return std::clamp(presenters::IndexAtPosition(*input.view, state.axis, position), input.view->first(),
                    input.view->end() - 1);
}

// Shift and drag: two cursors, and what lies between them, until a click with Shift takes them away.
void Measure(const TimelineInput& input, const TimelineGeometry& geometry, TimelineState& state) {
  using Drag = TimelineState::Drag;
  const ImGuiIO& io = ImGui::GetIO();
  const auto moment = [&] { return MomentUnderMouse(input, geometry, state); };
  if (ImGui::IsItemActivated() && io.KeyShift) {
    state.drag = Drag::kMeasure;
    state.cursors = {moment(), moment()};
  }
  if (state.drag != Drag::kMeasure || !state.cursors) return;
  if (ImGui::IsItemActive()) state.cursors->second = moment();
  if (!ImGui::IsItemDeactivated()) return;
  state.drag = Drag::kNone;
  const bool clicked = std::abs(io.MouseClickedPos[0].x - io.MousePos.x) < Px(4);
  if (clicked || state.cursors->first == state.cursors->second) state.cursors.reset();
}

void TooltipRow(const char* name, const std::string& value) {
  if (value.empty()) return;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  Put(SmallMuted(), name);
  ImGui::TableNextColumn();
  PutNarrow(Words(), value, Px(520));
}

void BlockTooltip(const presenters::BlockDescription& block, ByteUnit unit) {
  Swatch(Colors().Of(block.category));
  ImGui::SameLine();
  PutNarrow(StrongWords(), block.title, Px(520));
  if (!ImGui::BeginTable("block", 2, ImGuiTableFlags_SizingFixedFit)) return;
  std::string size = FormatExactBytes(block.bytes) + " · " + FormatBytes(block.bytes, unit);
  if (block.rounded_bytes != block.bytes) size += " · block of " + FormatExactBytes(block.rounded_bytes);
  TooltipRow("size", size);
  TooltipRow("shape", block.shape);
  TooltipRow("holds", std::string(events::NameOf(block.category)));
  TooltipRow("layer", block.layer);
  TooltipRow("operator", block.op);
  TooltipRow("below", block.below);
  TooltipRow("alive", block.alive);
  ImGui::EndTable();
}

// Beside the mouse and above the lanes, which tell of the same moment: it grows upwards, as far as there is
// room by its height in the frame before.
void PlaceHoverTooltip(float lowest) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool is_right = mouse.x < ImGui::GetMainViewport()->Size.x / 2;
  const ImGuiWindow* before = ImGui::FindWindowByName("##Tooltip_00");
  const float height = before != nullptr && before->WasActive ? before->Size.y : 0;
  const float bottom = std::max(std::min(mouse.y + Px(70), lowest), height + Px(4));
  ImGui::SetNextWindowPos({mouse.x + (is_right ? Px(18) : -Px(18)), bottom}, ImGuiCond_Always,
                          {is_right ? 0.0F : 1.0F, 1});
}

void GroupTooltip(const TimelineInput& input, const presenters::PlotColumn& column, size_t group) {
  const presenters::TimelinePlot& plot = *input.plot;
  const auto k = static_cast<size_t>(&column - plot.columns.data());
  Swatch(ColorOfGroup(input, group));
  ImGui::SameLine();
  PutNarrow(StrongWords(), plot.groups[group], Px(520));
  Put(Words(), FormatExactBytes(plot.grouped[k * plot.groups.size() + group]));
  if (!plot.group_ranks.empty()) Put(SmallMuted(), "its highest at this place of the step");
}

}  // namespace

void HandlePlotInput(const TimelineInput& input, const TimelineGeometry& geometry, TimelineState& state,
                     CommandQueue& queue) {
  ImGui::SetCursorScreenPos(geometry.plot.Min);
  ImGui::InvisibleButton("plot", geometry.plot.GetSize());
  const bool hovered = ImGui::IsItemHovered();
  const std::optional<TimelineState::Hover> told = std::exchange(state.hover, std::nullopt);
  Measure(input, geometry, state);
  Pan(input, geometry, told, state, queue);
  if (hovered) {
    Wheel(input, geometry, state);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) queue.Push(ActionId::kFit);
    if (!ImGui::IsMouseDragging(ImGuiMouseButton_Left)) NoteHover(input, geometry, state);
  }
  if (hovered || ImGui::IsWindowFocused()) Keys(input, geometry, state);
}

void HandleOverviewInput(const TimelineInput& input, const TimelineGeometry& geometry, TimelineState& state) {
  using Drag = TimelineState::Drag;
  ImGui::SetCursorScreenPos(geometry.overview.Min);
  ImGui::InvisibleButton("overview", geometry.overview.GetSize());
  const double span = input.whole.end - input.whole.begin;
  if (span <= 0) return;
  const auto position_at = [&](float x) {
    return input.whole.begin + (x - geometry.overview.Min.x) / geometry.overview.GetWidth() * span;
  };
  const double per_pixel = span / geometry.overview.GetWidth();
  const double at = position_at(ImGui::GetIO().MousePos.x);
  const double reach = per_pixel * Px(6);
  const bool on_begin = std::abs(at - geometry.visible.begin) < reach;
  const bool on_end = std::abs(at - geometry.visible.end) < reach;
  if (ImGui::IsItemHovered() && (on_begin || on_end)) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (ImGui::IsItemActivated()) {
    const double shown = geometry.visible.end - geometry.visible.begin;
    const bool inside = at >= geometry.visible.begin && at <= geometry.visible.end;
    // What shows the whole run cannot be moved.
    const bool draws = !inside || shown > span - 2 * reach;
    state.drag = on_begin ? Drag::kBrushBegin
                 : on_end ? Drag::kBrushEnd
                 : draws  ? Drag::kBrushNew
                          : Drag::kBrush;
    state.drag_from =
        inside || on_begin || on_end ? geometry.visible : VisibleRange{at - shown / 2, at + shown / 2};
    state.drag_position = at;
  }
  if (ImGui::IsItemActive()) {
    const double moved = at - state.drag_position;
    VisibleRange range = state.drag_from;
    if (state.drag == Drag::kBrushNew) {
      if (std::abs(moved) > reach)
        range = {std::min(at, state.drag_position), std::max(at, state.drag_position)};
    } else {
      if (state.drag != Drag::kBrushEnd) range.begin += moved;
      if (state.drag != Drag::kBrushBegin) range.end += moved;
    }
    if (range.end > range.begin) Show(input, state, range);
  }
  if (ImGui::IsItemDeactivated()) state.drag = Drag::kNone;
}

void DrawHoverTooltip(const TimelineInput& input, const TimelineState& state, std::string_view explained,
                      float lowest) {
  if (!explained.empty()) {
    ImGui::SetTooltip("%s", std::string(Translated(explained)).c_str());
    return;
  }
  if (!state.hover || state.drag != TimelineState::Drag::kNone) return;
  const presenters::PlotColumn* column = presenters::ColumnAt(*input.plot, state.hover->position);
  const bool tells_sums = input.untold == 0;  // what is left out of one would be the difference
  if (column == nullptr || (!tells_sums && !input.hovered)) return;
  PlaceHoverTooltip(lowest);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(Px(14), Px(12)));
  if (ImGui::BeginTooltip()) {
    if (input.hovered) BlockTooltip(*input.hovered, input.unit);
    if (const auto group = GroupAt(*input.plot, *column, state.hover->bytes))
      GroupTooltip(input, *column, *group);
    if (!input.plot->group_ranks.empty()) Put(SmallMuted(), "the rank that is shown:");
    for (const std::string& line : presenters::DescribeColumn(*column, ShownIn(input, state))) {
      if (tells_sums) Put(SmallMuted(), line);
    }
    if (tells_sums && !input.compared.empty())
      Put(SmallMuted(), presenters::DescribeCompared(*input.plot, *column, input.compared, input.unit));
    ImGui::EndTooltip();
  }
  ImGui::PopStyleVar();
}

}  // namespace tidemark::gui
