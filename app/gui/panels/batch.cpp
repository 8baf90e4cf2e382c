#include "app/gui/panels/batch.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/gui/panels/curve_axes.h"
#include "app/gui/widgets/labels.h"
#include "app/gui/widgets/panel_frame.h"

namespace tidemark::gui {
namespace {

// Of what ran out it is known only how far it came: it stands at the card's line at least.
std::vector<CurveDot> DotsOf(const std::vector<presenters::BatchPoint>& points, int64_t card_bytes) {
  std::vector<CurveDot> dots;
  for (const presenters::BatchPoint& point : points) {
    dots.push_back({static_cast<double>(point.batch),
                    point.out_of_memory ? std::max(point.bytes, card_bytes) : point.bytes,
                    point.out_of_memory});
  }
  return dots;
}

int BatchAt(const CurveAxes& axes, float x) {
  return std::clamp(static_cast<int>(std::lround(axes.ValueAt(x))), 1, networks::kMaxBatch);
}

std::vector<int64_t> NamedBatches() {
  std::vector<int64_t> batches;
  for (int batch = 1; batch <= networks::kMaxBatch; batch *= 4) batches.push_back(batch);
  return batches;
}

// "batch 64 · textbook 58.5 MB · phantom 177.7 MB"
std::string Summary(const BatchInput& input) {
  std::string text = "batch " + FormatNumber(input.batch);
  if (const auto point = input.curve->textbook_here())
    text += " · textbook " + FormatBytes(point->bytes, input.unit);
  if (const auto point = input.curve->phantom_here()) {
    text += point->out_of_memory ? " · does not fit" : " · phantom " + FormatBytes(point->bytes, input.unit);
  } else if (!input.curve->complete()) {
    text += " · phantom …";
  }
  return text;
}

std::string ExactSummary(const BatchInput& input) {
  const auto textbook = input.curve->textbook_here();
  const auto phantom = input.curve->phantom_here();
  return JoinedFacts(
      {textbook ? "textbook " + FormatExactBytes(textbook->bytes) : "",
       phantom && !phantom->out_of_memory ? "phantom " + FormatExactBytes(phantom->bytes) : ""});
}

// Over the batch that it ran with, whichever is chosen; a program tells of none.
std::optional<ImVec2> PlaceOfRing(const BatchInput& input, const CurveAxes& axes) {
  if (!input.measured || !input.measured->settings) return std::nullopt;
  return ImVec2(axes.X(input.measured->settings->batch), axes.Y(static_cast<double>(input.measured->bytes)));
}

void Drag(const BatchInput& input, const CurveAxes& axes, BatchState& state, CommandQueue& queue) {
  ImGui::SetCursorScreenPos(axes.plot.Min);
  ImGui::InvisibleButton("batches", axes.plot.GetSize());
  if (input.locked) return Tooltip("The batch is locked by the lesson or the session code.");
  if (ImGui::IsItemActive()) state.dragged = BatchAt(axes, ImGui::GetIO().MousePos.x);
  if (!ImGui::IsItemDeactivated() || !state.dragged) return;
  networks::TrainingSettings settings = input.settings;
  settings.batch = *state.dragged;
  queue.Push(ChangeSettings{settings});
  state.dragged.reset();
}

}  // namespace

void DrawBatchPanel(const BatchInput& input, BatchState& state, CommandQueue& queue) {
  state.drawn = true;
  if (input.curve == nullptr || input.curve->textbook().empty()) {
    PanelTitle("Over the batch size", "");
    return EmptyReason(input.empty_reason);
  }
  PanelTitle("Over the batch size", "allocated peak of a step");
  Put(Words(), Fitted(Words(), Summary(input), ImGui::GetContentRegionAvail().x));
  TellExactly(ExactSummary(input));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImRect area = PlotIn(at, room);
  if (area.GetWidth() < Px(60) || area.GetHeight() < Px(40)) return;
  const std::vector<CurveDot> textbook = DotsOf(input.curve->textbook(), input.card_bytes);
  const std::vector<CurveDot> phantom = DotsOf(input.curve->phantom(), input.card_bytes);
  CurveAxes axes = AxesFor(area, 1, networks::kMaxBatch, std::array{&textbook, &phantom}, input.card_bytes);
  axes.marked = input.batch;
  Drag(input, axes, state, queue);
  ImDrawList* list = ImGui::GetWindowDrawList();
  DrawAxes(list, axes, NamedBatches(), input.unit);
  DrawCurves(list, axes,
             std::array{Curve{&textbook, Colors().theory, "textbook", LineStyle::kDashed, false},
                        Curve{&phantom, Colors().accent, "phantom", LineStyle::kDotted}},
             input.card_bytes, input.unit);
  const float x = std::round(axes.X(input.batch));
  list->AddLine({x, area.Min.y}, {x, area.Max.y}, U32(Colors().text.WithAlpha(0.6)), Px(1.5F));
  std::string words = "red: does not fit · drag to change the batch";
  if (const auto place = PlaceOfRing(input, axes)) {
    DrawMeasured(list, *place, *input.measured);
    words.insert(0, WordsOfRing(input.measured, input.on_phantom) + " · ");
  }
  ImGui::SetCursorScreenPos({at.x, at.y + room.y - Px(18)});
  Put(SmallMuted(), Fitted(SmallMuted(), words, room.x));
}

}  // namespace tidemark::gui
