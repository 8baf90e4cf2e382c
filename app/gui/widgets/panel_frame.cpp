#include "app/gui/widgets/panel_frame.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>

#include "app/gui/widgets/labels.h"
#include "app/gui/widgets/terms.h"

namespace tidemark::gui {

void PanelTitle(std::string_view title, std::string_view aside, std::string_view exact) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  Put(TitleWords(), title);
  if (!aside.empty()) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float width = ImGui::GetContentRegionAvail().x;
    const float room = width - Measure(TitleWords(), title).x - Px(16);
    const TextStyle style = SmallMuted();
    const std::string shown = Fitted(style, aside, room);
    DrawText(list, {at.x + width, at.y + Px(2)}, style, shown, Align::kRight);
    const ImVec2 from(at.x + width - Measure(style, shown).x, at.y + Px(2));
    MarkTerms(from, style, shown);
    if (!exact.empty()) TooltipOver(from, {at.x + width, from.y + Px(kSmallTextSize)}, exact);
  }
  ImGui::Dummy({0, Px(2)});
}

void TellExactly(int64_t bytes) {
  if (ImGui::IsItemHovered()) Tooltip(FormatExactBytes(bytes));
}

void TellExactly(std::string_view exact) {
  if (ImGui::IsItemHovered()) Tooltip(exact);
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

bool BeginScrolled(const char* id, ImVec2 size, Scrolled scrolled) {
  ImGuiStorage* seen = ImGui::GetStateStorage();
  const ImGuiID key = ImGui::GetID(id);
  const float width = size.x > 0 ? size.x : ImGui::GetContentRegionAvail().x;
  if (scrolled == Scrolled::kNever)
    return ImGui::BeginChild(id, size, ImGuiChildFlags_NavFlattened,
                             ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  if (seen->GetBool(key))
    ImGui::SetNextWindowContentSize({width - ImGui::GetStyle().ScrollbarSize - Px(6), 0});
  ImGuiChildFlags flags = ImGuiChildFlags_NavFlattened;
  if (scrolled == Scrolled::kFromHeight) {
    ImGui::SetNextWindowSizeConstraints({0, 0}, {FLT_MAX, size.y});
    flags |= ImGuiChildFlags_AutoResizeY;
    size.y = 0;
  }
  const bool visible = ImGui::BeginChild(id, size, flags);
  seen->SetBool(key, ImGui::GetCurrentWindow()->ScrollbarY);
  return visible;
}

namespace {

constexpr float kFading = 40;  // a row: where one is cut nothing of it is left to read

std::string FittedHeader(std::string_view text, std::string_view shorter, float room) {
  if (!shorter.empty() && Measure(SmallMuted(), text).x > room) text = shorter;
  // A column that is as wide as what is in it would shrink with what is cut.
  const bool is_given = (ImGui::TableGetColumnFlags() & ImGuiTableColumnFlags_WidthStretch) != 0;
  return is_given ? Fitted(SmallMuted(), text, room) : std::string(text);
}

bool GoesOnBelow(const ImGuiWindow& window) {
  return window.ScrollbarY && window.Scroll.y < window.ScrollMax.y - 1;
}

}  // namespace

double LeftByFading(float y) {
  const ImGuiWindow& window = *ImGui::GetCurrentWindow();
  if (!GoesOnBelow(window)) return 1;
  return std::clamp((window.InnerRect.Max.y - y) / Px(kFading), 0.0F, 1.0F);
}

void EndScrolled() {
  const ImGuiWindow* window = ImGui::GetCurrentWindow();
  if (GoesOnBelow(*window)) {
    const float height = Px(kFading);
    const ImRect inner = window->InnerRect;
    const bool is_in_dialog = (window->RootWindow->Flags & ImGuiWindowFlags_Popup) != 0;
    const Color color = is_in_dialog && Colors().dark ? Colors().sunken : Colors().panel;  // behind it
    const ImU32 clear = U32(color.WithAlpha(0));
    // A window of its own, for what is in this one may have some, and they lie above it.
    ImGui::SetCursorScreenPos({inner.Min.x, inner.Max.y - height});
    ImGui::BeginChild("fade", {inner.GetWidth(), height}, 0, ImGuiWindowFlags_NoInputs);
    ImGui::GetWindowDrawList()->AddRectFilledMultiColor({inner.Min.x, inner.Max.y - height}, inner.Max, clear,
                                                        clear, U32(color), U32(color));
    ImGui::EndChild();
  }
  ImGui::EndChild();
}

bool SelectableRow(const char* id, bool lit) {
  const ImVec2 at = ImGui::GetCursorPos();
  const ImGuiStyle& style = ImGui::GetStyle();
  // As high as the row: it takes in the room between items, which here is the cells' padding.
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(style.ItemSpacing.x, 2 * style.CellPadding.y));
  ImGui::PushID(id);
  const bool clicked =
      ImGui::Selectable("##row", lit,
                        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap |
                            ImGuiSelectableFlags_AllowDoubleClick);
  ImGui::PopID();
  ImGui::PopStyleVar();
  ImGui::SetCursorPos(at);
  return clicked;
}

void HeaderCell(std::string_view text, Align align, std::string_view label, std::string_view shorter) {
  ImGui::TableNextColumn();
  PutLabel(SmallMuted(), FittedHeader(text, shorter, ImGui::GetContentRegionAvail().x), align,
           label.empty() ? text : label);
}

bool SortableHeaderCell(std::string_view text, std::optional<bool> descending, Align align,
                        std::string_view label, std::string_view shorter, std::string_view press) {
  ImGui::TableNextColumn();
  const std::string_view arrow = !descending ? "" : *descending ? " ↓" : " ↑";
  const TextStyle style = descending ? Colored(SmallMuted(), Colors().text) : SmallMuted();
  const ImVec2 at = ImGui::GetCursorPos();
  const float room = ImGui::GetContentRegionAvail().x;
  const std::string shown = FittedHeader(text, shorter, room - Measure(style, arrow).x).append(arrow);
  if (align == Align::kRight) {
    PutRight(style, shown);
  } else {
    Put(style, shown);
  }
  MarkTerms(ImGui::GetItemRectMin(), style, shown, TermHint::kNone);
  ImGui::SetCursorPos(at);
  const std::string id(label.empty() ? text : label);
  const bool pressed = ImGui::InvisibleButton(id.c_str(), {std::max(1.0F, room), Px(kSmallTextSize + 4)},
                                              ImGuiButtonFlags_EnableNav);
  Tooltip(fmt::format("{}\nClick, or press Enter, {}.", MeaningOfLabel(id), press));
  return pressed;
}

void BytesCell(std::optional<int64_t> bytes, ByteUnit unit, bool strong) {
  ImGui::TableNextColumn();
  if (!bytes) {
    PutRight(MutedNumbers(), "–");
    return;
  }
  PutRight(strong ? Colored(StrongWords(), Colors().text) : Numbers(), FormatInUnit(*bytes, unit));
  TellExactly(*bytes);
}

void NumberCell(std::string_view text, bool strong) {
  ImGui::TableNextColumn();
  PutRight(strong ? StrongWords() : Numbers(), text);
}

void BarCell(double share, Color color, std::string_view text) {
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x - Px(4);
  const float width = std::max(Px(10), room - Measure(MutedNumbers(), "100.0 %").x - Px(8));
  const float middle = at.y + ImGui::GetTextLineHeight() / 2;
  const float half = Px(4);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled({at.x, middle - half}, {at.x + width, middle + half}, U32(Colors().raised), half);
  const float filled = width * static_cast<float>(std::clamp(share, 0.0, 1.0));
  if (filled >= 1) {
    list->AddRectFilled({at.x, middle - half}, {at.x + std::max(filled, 2 * half), middle + half}, U32(color),
                        half);
  }
  DrawText(list, {at.x + room, at.y}, MutedNumbers(), text, Align::kRight);
  ImGui::Dummy({room, ImGui::GetTextLineHeight()});
}

}  // namespace tidemark::gui
