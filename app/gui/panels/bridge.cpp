#include "app/gui/panels/bridge.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "app/gui/widgets/panel_frame.h"

namespace tidemark::gui {
namespace {

struct BridgeScale {
  float left = 0;        // of the bars
  float width = 0;
  int64_t most_bytes = 1;

  float X(int64_t bytes) const {
    return left + width * static_cast<float>(static_cast<double>(bytes) / static_cast<double>(most_bytes));
  }
};

Color ColorOf(const BridgeStep& step) {
  if (step.subtotal) return Colors().dark ? Rgb(0x7B8796) : Rgb(0x8A95A4);
  if (step.category) return Colors().Of(*step.category);
  return Colors().muted;
}

void DrawStep(const BridgeStep& step, const BridgeScale& scale, ByteUnit unit, float height) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::Dummy({width, height});
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (ImGui::IsItemHovered()) list->AddRectFilled(at, {at.x + width, at.y + height}, U32(Colors().raised.WithAlpha(0.5)), Px(4));
  Tooltip(step.help + "\n" + FormatExactBytes(step.bytes));
  const float text_y = at.y + (height - Px(kTextSize)) / 2 - Px(1);
  const TextStyle label = step.subtotal ? StrongWords() : Colored(Words(), Colors().muted);
  DrawText(list, {scale.left - Px(10), text_y}, label, step.label, Align::kRight);
  const float x0 = scale.X(std::min(step.from_bytes, step.from_bytes + step.bytes));
  const float x1 = std::max(scale.X(std::max(step.from_bytes, step.from_bytes + step.bytes)), x0 + Px(2));
  const float inset = height * 0.2F;
  list->AddRectFilled({x0, at.y + inset}, {x1, at.y + height - inset}, U32(ColorOf(step)), x1 - x0 > Px(6) ? Px(3) : 0);
  std::string figure = FormatInUnit(std::abs(step.bytes), unit);
  if (!step.subtotal) figure = (step.bytes < 0 ? "−" : "+") + figure;
  const TextStyle number = step.subtotal ? StrongWords() : Numbers();
  DrawText(list, {x1 + Px(8), text_y}, number, figure);
}

}  // namespace

void DrawBridgePanel(const BridgeInput& input, BridgeState&, CommandQueue&) {
  PanelTitle("The bridge", std::string("textbook → device, ") + UnitName(input.unit));
  if (input.bridge->steps.empty()) {
    EmptyReason("The bridge leads from the textbook's figure to the measured peak. It needs one complete step.");
    return;
  }
  BridgeScale scale;
  float labels = 0;
  float figures = 0;
  for (const BridgeStep& step : input.bridge->steps) {
    labels = std::max(labels, Measure(StrongWords(), step.label).x);
    figures = std::max(figures, Measure(Numbers(), "+" + FormatInUnit(std::abs(step.bytes), input.unit)).x);
    scale.most_bytes = std::max({scale.most_bytes, step.from_bytes + step.bytes, step.from_bytes});
  }
  scale.left = ImGui::GetCursorScreenPos().x + labels + Px(10);
  scale.width = std::max(Px(40), ImGui::GetContentRegionAvail().x - labels - figures - Px(22));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  for (const BridgeStep& step : input.bridge->steps) DrawStep(step, scale, input.unit, Px(26));
  ImGui::PopStyleVar();
  if (input.bridge->question.empty()) return;
  ImGui::Dummy({0, Px(6)});
  ImGui::PushStyleColor(ImGuiCol_ChildBg, U32(Colors().sunken));
  if (ImGui::BeginChild("why", {0, 0}, ImGuiChildFlags_AutoResizeY | ImGuiChildFlags_AlwaysUseWindowPadding)) {
    PutWrapped(StrongWords(), input.bridge->question);
    PutWrapped(MutedWords(), input.bridge->answer);
  }
  ImGui::EndChild();
  ImGui::PopStyleColor();
}

}  // namespace tidemark::gui
