#include "app/gui/widgets/panel_frame.h"

#include <algorithm>

#include "app/gui/widgets/labels.h"
#include "app/gui/widgets/terms.h"

namespace tidemark::gui {

void PanelTitle(std::string_view title, std::string_view aside) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  Put(TitleWords(), title);
  if (!aside.empty()) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float width = ImGui::GetContentRegionAvail().x;
    const float room = width - Measure(TitleWords(), title).x - Px(16);
    const TextStyle style = SmallMuted();
    const std::string shown = Fitted(style, aside, room);
    DrawText(list, {at.x + width, at.y + Px(2)}, style, shown, Align::kRight);
    MarkTerms({at.x + width - Measure(style, shown).x, at.y + Px(2)}, style, shown);
  }
  ImGui::Dummy({0, Px(2)});
}

void EmptyReason(std::string_view text) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float wrap = std::min(room.x, Px(420));
  const TextStyle style = MutedWords();
  const ImVec2 size = MeasureWrapped(style, text, wrap);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 middle(at.x + std::max(0.0F, (room.x - size.x) / 2),
                      at.y + std::max(0.0F, (room.y - size.y) / 2));
  DrawWrapped(ImGui::GetWindowDrawList(), middle, style, text, wrap);
  ImGui::Dummy({room.x, std::max(size.y, room.y - Px(4))});
}

bool SelectableRow(const char* id, bool lit) {
  const ImVec2 at = ImGui::GetCursorPos();
  ImGui::PushID(id);
  const bool clicked = ImGui::Selectable(
      "##row", lit, ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap);
  ImGui::PopID();
  ImGui::SetCursorPos(at);
  return clicked;
}

void HeaderCell(std::string_view text, Align align, std::string_view label) {
  ImGui::TableNextColumn();
  PutLabel(SmallMuted(), text, align, label);
}

void BytesCell(std::optional<int64_t> bytes, ByteUnit unit, bool strong) {
  ImGui::TableNextColumn();
  if (!bytes) {
    PutRight(MutedNumbers(), "–");
    return;
  }
  PutRight(strong ? Colored(StrongWords(), Colors().text) : Numbers(), FormatInUnit(*bytes, unit));
  if (ImGui::IsItemHovered()) Tooltip(FormatExactBytes(*bytes));
}

void NumberCell(std::string_view text, bool strong) {
  ImGui::TableNextColumn();
  PutRight(strong ? StrongWords() : Numbers(), text);
}

void BarCell(double share, Color color) {
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x - Px(4);
  const float middle = at.y + ImGui::GetTextLineHeight() / 2;
  const float half = Px(4);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled({at.x, middle - half}, {at.x + width, middle + half}, U32(Colors().raised), half);
  const float filled = width * static_cast<float>(std::clamp(share, 0.0, 1.0));
  if (filled >= 1) {
    list->AddRectFilled({at.x, middle - half}, {at.x + std::max(filled, 2 * half), middle + half}, U32(color),
                        half);
  }
  ImGui::Dummy({width, ImGui::GetTextLineHeight()});
}

}  // namespace tidemark::gui
