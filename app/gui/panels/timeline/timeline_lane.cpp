// The lanes under the plot: of phases and steps, of layers, of replays of CUDA graphs, and of kernels, memory
// copies and memsets.
#include <algorithm>
#include <array>
#include <string>

#include "app/gui/panels/timeline/timeline_parts.h"
#include "app/gui/widgets/labels.h"
#include "app/gui/widgets/text.h"
#include "app/gui/widgets/translation.h"
#include "app/gui/window/theme.h"
#include "app/presenters/allocations/layer_names.h"

namespace tidemark::gui {
namespace {

using presenters::WorkColumn;
using presenters::WorkSlice;

constexpr float kLeastShare = 0.35F;  // of the lane's height: whatever happened can be seen

Color ColorOf(events::EventKind kind) {
  switch (kind) {
    case events::EventKind::kMemoryCopy:
      return Colors().Of(events::Category::kInput);
    case events::EventKind::kMemorySet:
      return Colors().muted;
    default:
      return Colors().accent;
  }
}

// What most of a column's works are.
Color ColorOf(const WorkColumn& column) {
  const auto most = std::ranges::max_element(column.counts) - column.counts.begin();
  return ColorOf(static_cast<events::EventKind>(static_cast<int>(events::EventKind::kKernel) + most));
}

std::string KindText(const timeline::DeviceWork& work, ByteUnit unit) {
  std::string text = "GPU " + FormatNumber(work.device) + ", stream " + FormatNumber(work.stream);
  if (work.kind != events::EventKind::kKernel) text += " · " + FormatBytes(work.bytes, unit);
  return text + (work.duration_ns > 0 ? " · " + FormatDuration(work.duration_ns) : " · time not known");
}

void WorkTooltip(const TimelineInput& input, const timeline::DeviceWork& work) {
  if (!ImGui::BeginTooltip()) return;
  PutNarrow(StrongWords(), presenters::TitleOf(*input.view, work), Px(520));
  Put(SmallMuted(), KindText(work, input.unit));
  ImGui::EndTooltip();
}

void ColumnTooltip(const TimelineInput& input, const WorkColumn& column) {
  if (column.count() == 1) return WorkTooltip(input, column.longest);
  if (!ImGui::BeginTooltip()) return;
  std::string text = presenters::CountsText(column.counts);
  if (column.bytes > 0) text += " · " + FormatBytes(column.bytes, input.unit);
  if (column.busy_ns > 0) text += " · " + FormatDuration(column.busy_ns);
  Put(StrongWords(), text);
  const std::string which = column.busy_ns > 0 ? "longest: " : "first: ";
  PutNarrow(SmallMuted(), which + presenters::TitleOf(*input.view, column.longest), Px(520));
  ImGui::EndTooltip();
}

void DrawSlice(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input,
               const WorkSlice& slice) {
  const auto [x0, x1] = geometry.Pixels(slice.begin, slice.end);
  const ImRect lane = geometry.lane;
  list->AddRectFilled({x0, lane.Min.y}, {x1, lane.Max.y}, U32(ColorOf(slice.work.kind)),
                      x1 - x0 > Px(8) ? Px(3) : 0);
  const float room = std::min(x1, lane.Max.x) - std::max(x0, lane.Min.x) - Px(8);
  if (room < Px(30)) return;
  const TextStyle style = Colored(SmallMuted(), Colors().panel);
  DrawText(list, {std::max(x0, lane.Min.x) + Px(4), lane.GetCenter().y - Px(8)}, style,
           Fitted(style, presenters::TitleOf(*input.view, slice.work), room));
}

TextStyle LaneWords() { return Colored(SmallMuted(), Colors().dark ? Rgb(0xC9CFD8) : Rgb(0x3A4350)); }

void DrawLaneName(ImDrawList* list, const TimelineGeometry& geometry, const char* name) {
  DrawText(list, {geometry.phases.Min.x - Px(8), geometry.phases.GetCenter().y - Px(8)}, SmallMuted(), name,
           Align::kRight);
}

// Where phases are too narrow: from one step that is named below to the next.
void DrawStepBands(ImDrawList* list, const TimelineGeometry& geometry, const presenters::TimelinePlot& plot) {
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

void DrawPhases(ImDrawList* list, const TimelineGeometry& geometry, const presenters::TimelinePlot& plot) {
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

void DrawSteps(ImDrawList* list, const TimelineGeometry& geometry, const presenters::TimelinePlot& plot) {
  const TextStyle style = SmallMuted();
  float free_from = geometry.steps.Min.x;
  for (const presenters::PlotStep& step : plot.steps) {
    const float x = geometry.X(step.begin);
    if (x >= geometry.plot.Min.x - 1) {
      list->AddLine({std::round(x), geometry.phases.Min.y}, {std::round(x), geometry.steps.Min.y + Px(6)},
                    U32(Colors().border));
    }
    // Within what is in sight of it: of the first the beginning may be out of sight, of the last the end.
    const std::string text = "step " + FormatNumber(step.number);
    const float width = Measure(style, text).x;
    const float left = std::min(std::max(x, geometry.steps.Min.x) + Px(3), geometry.steps.Max.x - width);
    const bool is_under_next =
        x < geometry.steps.Min.x && &step != &plot.steps.back() && geometry.X(step.end) < left + width;
    if (left < std::max(x, free_from) || geometry.X(step.end) < left || is_under_next) continue;
    DrawText(list, {left, geometry.steps.Min.y}, style, text);
    free_from = left + width + Px(12);
  }
}

void DrawLayers(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input,
                CommandQueue& queue) {
  const ImRect& lane = geometry.layers;
  if (lane.GetHeight() <= 0) return;
  DrawText(list, {lane.Min.x - Px(8), lane.GetCenter().y - Px(8)}, SmallMuted(), "layer", Align::kRight);
  for (const presenters::LayerSpan& span : *input.layers) {
    const float from = std::max(geometry.X(span.begin), lane.Min.x);
    const float to = std::min(geometry.X(span.end), lane.Max.x);
    if (to - from < 2) continue;
    const std::string name(input.view->name(span.layer));
    const bool lit = input.selected != nullptr && presenters::IsOneOf(input.selected->layer, name);
    const ImVec2 low(from + Px(0.5F), lane.Min.y);
    const ImVec2 high(to - Px(0.5F), lane.Max.y);
    const bool hovered = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, high);
    const double quiet = Colors().dark ? 0.5 : 0.75;
    const Color fill = Colors().Of(span.phase).WithAlpha(hovered ? 1 : quiet);
    list->AddRectFilled(low, high, U32(fill), to - from > Px(8) ? Px(3) : 0);
    if (lit) list->AddRect(low, high, U32(Colors().accent), Px(3), Px(1.5F));
    const float room = to - from - Px(8);
    const TextStyle style = Colored(SmallMuted(), Colors().text);
    const std::string shown = Fitted(style, name, room);
    if (room > Px(20))
      DrawText(list, {(from + to) / 2, lane.GetCenter().y - Px(8)}, style, shown, Align::kCenter);
    if (!hovered) continue;
    TooltipBeside(low, high,
                  name + " · " + std::string(events::NameOf(span.phase)) +
                      "\nClick to light it up in every panel; click again to stop.");
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) queue.Push(Select{presenters::LayerSelected(name)});
  }
}

namespace {

// The longest that has room; a number alone says in the lane of graphs what it is.
std::string TextOfReplays(const presenters::PlotReplays& told, float room) {
  std::string text = told.count == 1 ? "replay" : FormatNumber(told.count) + " replays";
  if (told.graph > 0)
    text = (told.count == 1 ? "" : FormatNumber(told.count) + " of ") + "graph " + FormatNumber(told.graph);
  const std::string shorter = told.count == 1 ? "" : FormatNumber(told.count) + " ×";
  for (const std::string& one : {text, shorter}) {
    if (Measure(LaneWords(), one).x <= room) return one;
  }
  return "";
}

std::string TooltipOfReplays(const presenters::PlotReplays& told, int64_t of_all) {
  const std::string last = told.count == 1 ? "" : " to " + FormatNumber(told.first + told.count - 1);
  const std::string graph = told.graph == 0 ? "" : " " + FormatNumber(told.graph);
  std::string text = (told.count == 1 ? "Replay " : "Replays ") + FormatNumber(told.first) + last + " of " +
                     FormatNumber(of_all);
  if (told.count == 1)
    return text + " of a CUDA graph" + (graph.empty() ? "" : ", graph" + graph) + ": it allocates nothing.";
  return text + (graph.empty() ? " of CUDA graphs" : ", all of CUDA graph" + graph) +
         ": they allocate nothing. Zoom in to see each.";
}

}  // namespace

void DrawReplays(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input) {
  const ImRect& lane = geometry.replays;
  if (lane.GetHeight() <= 0) return;
  DrawText(list, {lane.Min.x - Px(8), lane.GetCenter().y - Px(8)}, SmallMuted(), "graphs", Align::kRight);
  const auto of_all = static_cast<int64_t>(input.view->graph_replays().size());
  const std::vector<presenters::PlotReplays>& replays = *input.replays;
  for (size_t i = 0; i < replays.size(); ++i) {
    const presenters::PlotReplays& told = replays[i];
    const float from = std::max(std::round(geometry.X(told.begin)), lane.Min.x);
    const float next = i + 1 < replays.size() ? geometry.X(replays[i + 1].begin) : lane.Max.x;
    const float to = std::clamp(geometry.X(told.end), from + Px(3), std::max(from + Px(3), lane.Max.x));
    list->AddRectFilled({from, lane.Min.y}, {to, lane.Max.y},
                        U32(Colors().dark ? Colors().raised : Colors().border));
    list->AddRectFilled({from, lane.Min.y}, {from + Px(2), lane.Max.y}, U32(Colors().accent));
    DrawText(list, {from + Px(6), lane.GetCenter().y - Px(8)}, LaneWords(),
             TextOfReplays(told, next - from - Px(8)));
    TooltipOver({from, lane.Min.y}, {to, lane.Max.y}, TooltipOfReplays(told, of_all));
  }
}

void DrawLane(ImDrawList* list, const TimelineGeometry& geometry, const TimelineInput& input) {
  const ImRect& lane = geometry.lane;
  if (lane.GetHeight() <= 0 || input.lane->columns.size() != input.plot->columns.size()) return;
  DrawText(list, {lane.Min.x - Px(8), lane.GetCenter().y - Px(8)}, SmallMuted(), "GPU", Align::kRight);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool hovered = ImGui::IsWindowHovered() && lane.Contains(mouse);
  const WorkColumn* under_mouse = nullptr;
  list->PushClipRect(lane.Min, lane.Max, true);
  for (size_t k = 0; k < input.lane->columns.size(); ++k) {
    const WorkColumn& column = input.lane->columns[k];
    if (column.count() == 0) continue;
    const auto [x0, x1] = geometry.Pixels(input.plot->columns[k].begin, input.plot->columns[k].end);
    const float share =
        column.width_ns <= 0
            ? 0.0F
            : static_cast<float>(static_cast<double>(column.busy_ns) / static_cast<double>(column.width_ns));
    const float height = lane.GetHeight() * std::clamp(share, kLeastShare, 1.0F);
    list->AddRectFilled({x0, lane.Max.y - height}, {x1, lane.Max.y}, U32(ColorOf(column)));
    if (hovered && mouse.x >= x0 - Px(2) && mouse.x < x1 + Px(2)) under_mouse = &column;
  }
  const WorkSlice* slice_under_mouse = nullptr;
  for (const WorkSlice& slice : input.lane->slices) {
    DrawSlice(list, geometry, input, slice);
    const auto [x0, x1] = geometry.Pixels(slice.begin, slice.end);
    if (hovered && mouse.x >= x0 && mouse.x < x1) slice_under_mouse = &slice;
  }
  list->PopClipRect();
  if (slice_under_mouse != nullptr) return WorkTooltip(input, slice_under_mouse->work);
  if (under_mouse != nullptr) ColumnTooltip(input, *under_mouse);
}

}  // namespace tidemark::gui
