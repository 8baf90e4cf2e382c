#include "app/gui/panels/checkpointing.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/gui/panels/checkpointing_labels.h"
#include "app/gui/panels/curve_axes.h"
#include "app/gui/panels/lesson_text.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/labels.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/presenters/plot/axis_ticks.h"

namespace tidemark::gui {
namespace {

using networks::CheckpointMode;

void DrawPriceGrid(ImDrawList* list, const PriceAxes& axes, ByteUnit unit) {
  const double tick = presenters::RoundBytes(axes.most, 4, unit);
  for (double at = 0; at <= axes.most; at += tick) {
    const float y = std::round(axes.Y(static_cast<int64_t>(at)));
    list->AddLine({axes.plot.Min.x, y}, {axes.plot.Max.x, y}, U32(Colors().faint));
    DrawText(list, {axes.plot.Min.x - Px(6), y - Px(8)}, SmallMuted(),
             FormatBytes(static_cast<int64_t>(at), unit), Align::kRight);
  }
  for (const int percent : {0, 25, 50, 75, 100}) {
    const float x = std::round(axes.X(percent / 100.0));
    list->AddLine({x, axes.plot.Min.y}, {x, axes.plot.Max.y}, U32(Colors().faint));
    DrawText(list, {x, axes.plot.Max.y + Px(3)}, SmallMuted(), fmt::format("{} %", percent), Align::kCenter);
  }
}

void DrawCardLine(ImDrawList* list, const PriceAxes& axes, const CheckpointingInput& input) {
  if (input.card_bytes <= 0 || IsCardFarAbove(input, axes)) return;
  const float y = std::round(axes.Y(input.card_bytes));
  list->AddRectFilled({axes.plot.Min.x, y - Px(1)}, {axes.plot.Max.x, y + Px(1)}, U32(Colors().bad));
}

bool IsChosen(const CheckpointingInput& input, const CheckpointWay& way) {
  return way.checkpoint == input.settings.checkpoint;
}

void DrawFrontierLine(ImDrawList* list, const PriceAxes& axes, const CheckpointingInput& input,
                      bool phantom) {
  const std::vector<ImVec2> line = FrontierOf(input, axes, phantom);
  list->AddPolyline(line.data(), static_cast<int>(line.size()),
                    U32(phantom ? Colors().accent : Colors().theory), Px(1.5F));
}

std::string TooltipOf(const CheckpointingInput& input, const CheckpointWay& way) {
  std::string text = networks::TitleOf(way.checkpoint) + "\n" + WhyOfWay(way, input.ways, input.unit);
  text += "\nTextbook, a step in all: " + FormatExactBytes(way.total_bytes);
  if (way.phantom_bytes)
    text += way.does_not_fit ? "\nPhantom: does not fit on the card"
                             : "\nPhantom, allocated at the peak: " + FormatExactBytes(*way.phantom_bytes);
  if (way.step_seconds > 0)
    text += "\nA step ~" + FormatDuration(static_cast<int64_t>(way.step_seconds * 1e9)) + ", estimated";
  if (IsChosen(input, way)) return text + "\nChosen.";
  return text + (input.locked ? "\nThe lesson or the session code has locked checkpointing."
                              : "\nClick: chooses it; Ctrl+Z takes it back.");
}

// A dot that can be clicked.
void DrawWay(const CheckpointingInput& input, const CheckpointWay& way, ImVec2 at, Color color,
             const char* series, CommandQueue& queue) {
  const float half = Px(9);
  ImGui::SetCursorScreenPos(at - ImVec2(half, half));
  const std::string id = std::string(series) + " " + networks::TextOf(way.checkpoint);
  const bool clicked = ImGui::InvisibleButton(id.c_str(), {2 * half, 2 * half}, ImGuiButtonFlags_EnableNav);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float radius = ImGui::IsItemHovered() ? Px(6) : Px(4);
  list->AddCircleFilled(at, radius, U32(way.is_best ? color : Colors().panel));
  if (!way.is_best) list->AddCircle(at, radius, U32(color), 0, Px(1.5F));
  if (IsChosen(input, way)) list->AddCircle(at, Px(8), U32(Colors().text), 0, Px(2));
  Tooltip(TooltipOf(input, way));
  if (!clicked || input.locked || IsChosen(input, way)) return;
  networks::TrainingSettings settings = input.settings;
  settings.checkpoint = way.checkpoint;
  queue.Push(ChangeSettings{settings});
}

void DrawWays(const CheckpointingInput& input, const PriceAxes& axes, CommandQueue& queue) {
  for (const CheckpointWay& way : input.ways) {
    const ImVec2 at(axes.X(way.share_run_again), axes.Y(way.total_bytes));
    if (way.phantom_bytes)
      DrawWay(input, way, {at.x, axes.Y(*way.phantom_bytes)},
              way.does_not_fit ? Colors().bad : Colors().accent, "phantom", queue);
    DrawWay(input, way, at, Colors().theory, "textbook", queue);
  }
}

const CheckpointWay* ChosenWay(const CheckpointingInput& input) {
  const auto found = std::ranges::find(input.ways, input.settings.checkpoint, &CheckpointWay::checkpoint);
  return found == input.ways.end() ? nullptr : &*found;
}

// "none · textbook 58.5 MB · phantom 177.7 MB"
std::string SummaryOf(const CheckpointingInput& input) {
  const CheckpointWay* now = ChosenWay(input);
  std::string text = networks::TitleOf(input.settings.checkpoint);
  if (now == nullptr) return text;
  text += " · textbook " + FormatBytes(now->total_bytes, input.unit);
  if (now->does_not_fit) return text + " · does not fit";
  return now->phantom_bytes ? text + " · phantom " + FormatBytes(*now->phantom_bytes, input.unit) : text;
}

std::string ExactSummaryOf(const CheckpointingInput& input) {
  const CheckpointWay* now = ChosenWay(input);
  if (now == nullptr) return "";
  const bool has_phantom = !now->does_not_fit && now->phantom_bytes;
  return JoinedFacts({"textbook " + FormatExactBytes(now->total_bytes),
                      has_phantom ? "phantom " + FormatExactBytes(*now->phantom_bytes) : ""});
}

// Where no way gains anything, why not, too.
std::string WhyOf(const CheckpointWay& now, const CheckpointingInput& input) {
  const std::string why = WhyOfWay(now, input.ways, input.unit);
  const auto vain = std::ranges::find(input.ways, false, &CheckpointWay::is_best);
  const bool gains = std::ranges::any_of(
      input.ways, [](const CheckpointWay& way) { return way.is_best && way.share_run_again > 0; });
  if (gains || vain == input.ways.end() || !now.is_best) return why;
  return why + " " + networks::TitleOf(vain->checkpoint) + ": " + WhyOfWay(*vain, input.ways, input.unit);
}

void DrawPlot(const CheckpointingInput& input, const ImRect& area, CommandQueue& queue) {
  const PriceAxes axes = PriceAxesFor(input, area);
  ImDrawList* list = ImGui::GetWindowDrawList();
  DrawPriceGrid(list, axes, input.unit);
  DrawCardLine(list, axes, input);
  DrawFrontierLine(list, axes, input, false);
  DrawFrontierLine(list, axes, input, true);
  DrawWays(input, axes, queue);
  for (const PriceLabel& label : PriceLabelsOf(input, axes))
    DrawText(list, label.place.Min, label.style, label.text);
  const CheckpointWay* now = ChosenWay(input);
  if (now == nullptr || !input.measured) return;
  DrawMeasured(list, {axes.X(now->share_run_again), axes.Y(input.measured->bytes)}, *input.measured);
}

}  // namespace

std::string WhyOfWay(const CheckpointWay& way, const std::vector<CheckpointWay>& ways, ByteUnit unit) {
  const auto none = std::ranges::find(ways, CheckpointMode::kNone,
                                      [](const CheckpointWay& one) { return one.checkpoint.mode; });
  const std::string saved = FormatBytes(way.saved_bytes, unit);
  if (way.share_run_again <= 0) return "Nothing runs again: all " + saved + " that backward needs are kept.";
  const std::string again = fmt::format("{:.0f} % of forward runs again", 100 * way.share_run_again);
  if (none == ways.end()) return again + ".";
  if (way.saved_bytes < none->saved_bytes) {
    const int64_t less_bytes = none->saved_bytes - way.saved_bytes;
    const bool stays = way.phantom_bytes && none->phantom_bytes && !none->does_not_fit &&
                       *way.phantom_bytes > *none->phantom_bytes - less_bytes / 10;
    const int64_t higher_bytes = stays ? *way.phantom_bytes - *none->phantom_bytes : 0;
    const std::string but =
        !stays ? ""
        : higher_bytes > 0
            ? " By the phantom the peak is " + FormatBytes(higher_bytes, unit) +
                  " higher all the same: it lies elsewhere, where what runs again comes on top."
            : " By the phantom the peak stays: it is elsewhere, such as in the optimizer's step.";
    return again + " for " + FormatBytes(less_bytes, unit) + " less: backward needs " + saved +
           " at most, the segments' inputs and what one segment saves." + but;
  }
  return again +
         " and gains nothing: when backward comes to the largest segment, all that it saves is there at "
         "once again, " +
         saved +
         " with the inputs that were kept. More and smaller segments, or a larger "
         "network, would gain.";
}

void DrawCheckpointingPanel(const CheckpointingInput& input, CheckpointingState& state, CommandQueue& queue) {
  state.drawn = true;
  const char* const aside = networks::UsesPipeline(input.settings)
                                ? "of the first stage: memory against what runs again"
                                : "memory against what runs again";
  PanelTitle("Checkpointing", input.planning ? "planning…" : aside);
  if (input.cancelled) {
    PutWrapped(MutedWords(), "Planning was cancelled, so the curve is not of the chosen settings.");
    if (PlainButton("Plan it")) queue.Push(PlanCheckpointCurve{});
  }
  if (input.ways.empty()) return EmptyReason(input.cancelled ? "" : input.empty_reason);
  const float width = ImGui::GetContentRegionAvail().x;
  Put(Words(), Fitted(Words(), SummaryOf(input), width));
  TellExactly(ExactSummaryOf(input));
  const CheckpointWay* now = ChosenWay(input);
  const std::string why = now == nullptr ? "" : WhyOf(*now, input);
  const float words = ExplainedHeight(why, SmallMuted(), width);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  // A low panel scrolls: what cannot be read is worth less than what is out of sight.
  const float height = std::max(Px(110), room.y - words - Px(68));
  const ImRect area(at + ImVec2(Px(66), Px(22)), at + ImVec2(room.x - Px(18), Px(22) + height));
  if (area.GetWidth() >= Px(60)) {
    DrawPlot(input, area, queue);
    const std::string ring = input.measured ? WordsOfRing(input.measured, input.on_phantom) + " · " : "";
    DrawText(ImGui::GetWindowDrawList(), {area.GetCenter().x, area.Max.y + Px(18)}, SmallMuted(),
             Fitted(SmallMuted(), "of forward runs again · " + ring + "click to apply", width),
             Align::kCenter);
  }
  ImGui::SetCursorScreenPos({at.x, area.Max.y + Px(38)});
  ImGui::Dummy({1, 1});
  if (!why.empty()) PutExplained(why, SmallMuted(), input.glossary);
}

}  // namespace tidemark::gui
