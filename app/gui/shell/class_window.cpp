// What a class may change: each control free, locked or hidden; a session code takes that along.
#include <algorithm>
#include <array>

#include "app/gui/panels/run_controls.h"
#include "app/gui/shell/shell_parts.h"
#include "app/gui/widgets/controls.h"
#include "profiler/lessons/situation.h"

namespace tidemark::gui {
namespace {

bool Holds(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

void ControlRow(const std::string& name, const ControlAccess& access, CommandQueue& queue) {
  static constexpr std::array kLabels = {"free", "locked", "hidden"};
  static const std::string kHints[] = {"Can be changed.", "Is shown, and stays as it is.", "Is not shown."};
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  Put(Words(), TitleOfControl(name));
  ImGui::TableNextColumn();
  int selected = Holds(access.hidden, name) ? 2 : Holds(access.locked, name) ? 1 : 0;
  if (!Segmented(name.c_str(), kLabels, kHints, &selected)) return;
  LockControls changed{access.locked, access.hidden};
  std::erase(changed.locked, name);
  std::erase(changed.hidden, name);
  if (selected == 1) changed.locked.push_back(name);
  if (selected == 2) changed.hidden.push_back(name);
  queue.Push(std::move(changed));
}

}  // namespace

void DrawClassWindow(const ControlAccess& access, bool* open, CommandQueue& queue) {
  if (BeginOwnWindow("For a class", {460, 560}, open)) {
    PutWrapped(MutedWords(), "Whoever uses the code finds the settings as they are now, and these controls:");
    if (ImGui::BeginTable("controls", 2)) {
      ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed);
      ImGui::TableSetupColumn("access", ImGuiTableColumnFlags_WidthStretch);
      for (const std::string& name : lessons::ControlNames()) {
        if (name != "seed") ControlRow(name, access, queue);  // in one row with the learning rate
      }
      ImGui::EndTable();
    }
    if (PrimaryButton("Copy the session code", {ImGui::GetContentRegionAvail().x, Px(34)})) {
      queue.Push(ActionId::kCopyCode);
    }
  }
  ImGui::End();
}

}  // namespace tidemark::gui
