#include "app/gui/panels/batch.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/gui/widgets/panel_frame.h"

namespace tidemark::gui {
namespace {

// Both axes in equal ratios: a card's line and a small network's curve are in one picture.
struct Axes {
  ImRect plot;
  double least = 1e6;
  double most = 1e9;

  float X(double batch) const {
    return plot.Min.x + plot.GetWidth() * static_cast<float>(std::log(batch) / std::log(networks::kMaxBatch));
  }
  float Y(double bytes) const {
    const double share = std::log(std::clamp(bytes, least, most) / least) / std::log(most / least);
    return plot.Max.y - plot.GetHeight() * static_cast<float>(share);
  }
  int BatchAt(float x) const {
    const double share = std::clamp((x - plot.Min.x) / plot.GetWidth(), 0.0F, 1.0F);
    const double batch = std::pow(double{networks::kMaxBatch}, share);
    return std::clamp(static_cast<int>(std::lround(batch)), 1, networks::kMaxBatch);
  }
};

Axes AxesFor(const BatchInput& input, const ImRect& area) {
  double least = 1e18;
  double most = static_cast<double>(input.card_bytes) * 1.3;
  for (const auto* points : {&input.curve->textbook(), &input.curve->phantom()}) {
    for (const BatchPoint& point : *points) {
      least = std::min(least, static_cast<double>(point.bytes));
      most = std::max(most, static_cast<double>(point.bytes) * 1.3);
    }
  }
  least = std::max(1.0, least * 0.7);
  return {area, least, std::max(most, least * 10)};
}

void DrawAxes(ImDrawList* list, const Axes& axes, ByteUnit unit) {
  for (double power = 1e3; power <= 1e13; power *= 10) {
    if (power < axes.least || power > axes.most) continue;
    const float y = std::round(axes.Y(power));
    list->AddLine({axes.plot.Min.x, y}, {axes.plot.Max.x, y}, U32(Colors().faint));
    DrawText(list, {axes.plot.Min.x - Px(6), y - Px(8)}, SmallMuted(),
             FormatBytes(static_cast<int64_t>(power), unit), Align::kRight);
  }
  for (int batch = 1; batch <= networks::kMaxBatch; batch *= 4) {
    const float x = std::round(axes.X(batch));
    list->AddLine({x, axes.plot.Min.y}, {x, axes.plot.Max.y}, U32(Colors().faint));
    DrawText(list, {x, axes.plot.Max.y + Px(3)}, SmallMuted(), FormatNumber(batch), Align::kCenter);
  }
}

void DrawCurve(ImDrawList* list, const Axes& axes, const std::vector<BatchPoint>& points, Color color,
               const char* name, bool dots) {
  const BatchPoint* before = nullptr;
  for (const BatchPoint& point : points) {
    const ImVec2 at(axes.X(point.batch), axes.Y(static_cast<double>(point.bytes)));
    if (before != nullptr && !point.out_of_memory)
      list->AddLine({axes.X(before->batch), axes.Y(static_cast<double>(before->bytes))}, at, U32(color),
                    Px(2));
    if (dots) list->AddCircleFilled(at, Px(3), U32(point.out_of_memory ? Colors().bad : color));
    before = &point;
  }
  if (points.empty()) return;
  const float y = axes.Y(static_cast<double>(points.front().bytes));
  DrawText(list, {axes.X(points.front().batch) + Px(8), y - Px(22)}, Colored(SmallMuted(), color), name);
}

void DrawCard(ImDrawList* list, const Axes& axes, const BatchInput& input) {
  if (input.card_bytes <= 0) return;
  const float y = std::round(axes.Y(static_cast<double>(input.card_bytes)));
  list->AddRectFilled({axes.plot.Min.x, y - Px(1)}, {axes.plot.Max.x, y + Px(1)}, U32(Colors().bad));
  DrawText(list, {axes.plot.Min.x + Px(6), y + Px(3)}, Colored(SmallMuted(), Colors().bad),
           "the card has " + FormatBytes(input.card_bytes, input.unit));
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

void Drag(const BatchInput& input, const Axes& axes, BatchState& state, CommandQueue& queue) {
  ImGui::SetCursorScreenPos(axes.plot.Min);
  ImGui::InvisibleButton("batches", axes.plot.GetSize());
  if (input.locked) return Tooltip("The batch is locked by the lesson or the session code.");
  if (ImGui::IsItemActive()) state.dragged = axes.BatchAt(ImGui::GetIO().MousePos.x);
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
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImRect area(at + ImVec2(Px(62), Px(6)), at + room - ImVec2(Px(8), Px(42)));
  if (area.GetWidth() < Px(60) || area.GetHeight() < Px(40)) return;
  const Axes axes = AxesFor(input, area);
  Drag(input, axes, state, queue);
  ImDrawList* list = ImGui::GetWindowDrawList();
  DrawAxes(list, axes, input.unit);
  DrawCard(list, axes, input);
  DrawCurve(list, axes, input.curve->textbook(), Colors().theory, "textbook", false);
  DrawCurve(list, axes, input.curve->phantom(), Colors().accent, "phantom", true);
  const float x = std::round(axes.X(input.batch));
  list->AddLine({x, area.Min.y}, {x, area.Max.y}, U32(Colors().text.WithAlpha(0.6)), Px(1.5F));
  if (input.measured_bytes) {
    const ImVec2 point(axes.X(input.settings.batch), axes.Y(static_cast<double>(*input.measured_bytes)));
    list->AddCircle(point, Px(6), U32(Colors().good), 0, Px(2));
  }
  ImGui::SetCursorScreenPos({at.x, at.y + room.y - Px(18)});
  Put(SmallMuted(),
      Fitted(SmallMuted(), "ring: measured · red: does not fit · drag to change the batch", room.x));
}

}  // namespace tidemark::gui
