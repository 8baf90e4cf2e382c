#include "app/gui/shell/pick_list.h"

#include <imgui.h>

#include <algorithm>

#include "app/gui/widgets/text.h"

namespace tidemark::gui {
namespace {

constexpr float kRowHeight = 30;
constexpr float kMostListHeight = 480;

bool DrawPickRow(const PickRow& row, int index, bool selected) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::BeginDisabled(!row.enabled);
  ImGui::PushID(index);
  const bool clicked =
      ImGui::Selectable("##row", selected, ImGuiSelectableFlags_NoAutoClosePopups, {width, Px(kRowHeight)});
  ImGui::PopID();
  Tooltip(row.help);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float y = at.y + (Px(kRowHeight) - Px(kTextSize)) / 2 - Px(1);
  const TextStyle style = Colored(Words(), row.enabled ? Colors().text : Colors().muted.WithAlpha(0.6));
  const float aside = std::min(Measure(SmallMuted(), row.aside).x, width * 0.5F);
  DrawText(list, {at.x + Px(20), y}, MutedWords(), row.icon, Align::kCenter);
  DrawText(list, {at.x + Px(42), y}, style, Fitted(style, row.title, width - Px(42) - aside - Px(24)));
  DrawText(list, {at.x + width - Px(8), y + Px(1)}, SmallMuted(), Fitted(SmallMuted(), row.aside, aside + 1),
           Align::kRight);
  ImGui::EndDisabled();
  return clicked && row.enabled;
}

}  // namespace

bool BeginTopPopup(const char* id, float design_width, bool* shown) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const float width = std::min(Px(design_width), viewport->Size.x - Px(40));
  if (!*shown) ImGui::OpenPopup(id);
  *shown = true;
  ImGui::SetNextWindowPos({viewport->GetCenter().x - width / 2, viewport->Pos.y + Px(60)});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(Px(12), Px(12)));
  const bool open = ImGui::BeginPopup(id, ImGuiWindowFlags_NoMove);
  ImGui::PopStyleVar();
  return open;
}

int DrawPickList(const std::vector<PickRow>& rows, bool entered, const std::string& nothing, int* selected) {
  if (rows.empty()) {
    PutWrapped(MutedWords(), nothing);
    return -1;
  }
  const int count = static_cast<int>(rows.size());
  const bool down = ImGui::IsKeyPressed(ImGuiKey_DownArrow);
  const bool up = ImGui::IsKeyPressed(ImGuiKey_UpArrow);
  *selected = std::clamp(*selected + (down ? 1 : 0) - (up ? 1 : 0), 0, count - 1);
  int picked = entered && rows[static_cast<size_t>(*selected)].enabled ? *selected : -1;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const float left = viewport->Pos.y + viewport->Size.y - ImGui::GetCursorScreenPos().y - Px(40);
  const float most = std::clamp(left, Px(kRowHeight), Px(kMostListHeight));
  const float height = std::min(Px(kRowHeight) * static_cast<float>(count), most);
  // The arrows move the selection, not ImGui's focus, which stays in the field that is typed into.
  if (ImGui::BeginChild("rows", {0, height + Px(8)}, 0, ImGuiWindowFlags_NoNav)) {
    ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    for (int i = 0; i < count; ++i) {
      if (DrawPickRow(rows[static_cast<size_t>(i)], i, i == *selected)) picked = i;
      if ((down || up) && i == *selected) ImGui::SetScrollHereY();
    }
    ImGui::PopStyleVar();
    ImGui::PopItemFlag();
  }
  ImGui::EndChild();
  const PickRow& chosen = rows[static_cast<size_t>(*selected)];
  if (!chosen.enabled) PutWrapped(SmallMuted(), chosen.why_not);
  return picked;
}

}  // namespace tidemark::gui
