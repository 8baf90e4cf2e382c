#include "app/gui/shell/command_palette.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "app/gui/panels/panels.h"
#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/text.h"

namespace tidemark::gui {
namespace {

struct Entry {
  std::string label;
  std::string icon;
  std::string keys;
  std::string help;
  bool enabled = true;
  Command command;
  int score = 0;
};

std::vector<Entry> Matching(std::string_view query, const std::function<bool(ActionId)>& enabled,
                            const ViewState& view) {
  std::vector<Entry> entries;
  for (const Action& action : Actions()) {
    if (action.id == ActionId::kPalette) continue;
    entries.push_back(
        {action.label, action.icon, action.keys, action.help, enabled(action.id), DoAction{action.id}, 0});
  }
  for (size_t i = 0; i < Panels().size(); ++i) {
    const Panel& panel = Panels()[i];
    const bool shown = view.shown[i];
    entries.push_back({std::string(shown ? "Hide panel: " : "Show panel: ") + panel.label, panel.icon, "",
                       panel.help, true, ShowPanel{i, !shown}, 0});
  }
  for (Entry& entry : entries) entry.score = MatchScore(query, entry.label);
  std::erase_if(entries, [](const Entry& entry) { return entry.score < 0; });
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.score < b.score; });
  return entries;
}

bool DrawEntry(const Entry& entry, bool selected, float width) {
  ImGui::BeginDisabled(!entry.enabled);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::Selectable(("##" + entry.label).c_str(), selected,
                                         ImGuiSelectableFlags_NoAutoClosePopups, {width, Px(30)});
  Tooltip(entry.help);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float y = at.y + (Px(30) - Px(kTextSize)) / 2 - Px(1);
  const Color color = entry.enabled ? Colors().text : Colors().muted.WithAlpha(0.6);
  DrawText(list, {at.x + Px(20), y}, MutedWords(), entry.icon, Align::kCenter);
  DrawText(list, {at.x + Px(42), y}, Colored(Words(), color), entry.label);
  DrawText(list, {at.x + width - Px(8), y}, SmallMuted(), entry.keys, Align::kRight);
  ImGui::EndDisabled();
  return clicked && entry.enabled;
}

}  // namespace

int MatchScore(std::string_view query, std::string_view text) {
  int score = 0;
  size_t at = 0;
  for (const char wanted : query) {
    if (wanted == ' ') continue;
    const size_t from = at;
    while (at < text.size() && std::tolower(static_cast<unsigned char>(text[at])) !=
                                   std::tolower(static_cast<unsigned char>(wanted)))
      ++at;
    if (at == text.size()) return -1;
    // Letters that follow each other, and beginnings of words, are what people type.
    const bool begins_word = at == 0 || text[at - 1] == ' ';
    score += begins_word ? 0 : static_cast<int>(at - from) + (at == from && from > 0 ? 0 : 2);
    ++at;
  }
  return score;
}

void DrawCommandPalette(const std::function<bool(ActionId)>& enabled, const ViewState& view,
                        CommandPaletteState& state, CommandQueue& queue) {
  if (!state.open) return;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const float width = std::min(Px(560), viewport->Size.x - Px(40));
  if (!state.shown) {
    ImGui::OpenPopup("palette");
    state = {};
    state.open = state.shown = state.focus = true;
  }
  ImGui::SetNextWindowPos({viewport->GetCenter().x - width / 2, viewport->Pos.y + Px(60)});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(Px(12), Px(12)));
  if (ImGui::BeginPopup("palette", ImGuiWindowFlags_NoMove)) {
    if (state.focus) ImGui::SetKeyboardFocusHere();
    state.focus = false;
    ImGui::SetNextItemWidth(-1);
    const bool entered = ImGui::InputTextWithHint("##query", "Type a part of a command", state.text.data(),
                                                  state.text.size(), ImGuiInputTextFlags_EnterReturnsTrue);
    const bool edited = ImGui::IsItemEdited();
    const std::vector<Entry> entries = Matching(state.text.data(), enabled, view);
    const int count = static_cast<int>(entries.size());
    if (edited) state.selected = 0;
    if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++state.selected;
    if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) --state.selected;
    state.selected = std::clamp(state.selected, 0, std::max(0, count - 1));
    int chosen =
        entered && count > 0 && entries[static_cast<size_t>(state.selected)].enabled ? state.selected : -1;
    if (ImGui::BeginChild("entries", {0, std::min(Px(32) * static_cast<float>(count) + Px(8), Px(420))}, 0)) {
      ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
      for (int i = 0; i < count; ++i) {
        if (DrawEntry(entries[static_cast<size_t>(i)], i == state.selected, ImGui::GetContentRegionAvail().x))
          chosen = i;
        if (i == state.selected &&
            (ImGui::IsKeyPressed(ImGuiKey_DownArrow) || ImGui::IsKeyPressed(ImGuiKey_UpArrow)))
          ImGui::SetScrollHereY();
      }
      ImGui::PopStyleVar();
      if (count == 0) Put(MutedWords(), "No command has these letters in this order.");
    }
    ImGui::EndChild();
    if (chosen >= 0) queue.Push(entries[static_cast<size_t>(chosen)].command);
    // The text field would take the first Escape for itself.
    if (chosen >= 0 || ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  state.open = state.shown = ImGui::IsPopupOpen("palette");
  ImGui::PopStyleVar();
}

}  // namespace tidemark::gui
