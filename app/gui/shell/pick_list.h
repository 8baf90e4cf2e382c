// What commands and what is found have in common: a popup at the top of the window, and in it a list to pick
// from by arrows, Enter or a click. UI thread, inside a frame.
#pragma once

#include <string>
#include <vector>

namespace tidemark::gui {

struct PickRow {
  std::string icon;
  std::string title;
  std::string aside;  // at the row's end
  std::string help;
  bool enabled = true;
  std::string why_not = {};  // where it is not enabled: told while it is selected
};

// Opens it where it is not `shown` yet; true while it is there, and ImGui::EndPopup() belongs to it.
bool BeginTopPopup(const char* id, float design_width, bool* shown);

// Moves `selected` with the arrows. Returns what was picked, -1 = nothing. `entered`: Enter was pressed where
// people type. `nothing`: why there are no rows.
int DrawPickList(const std::vector<PickRow>& rows, bool entered, const std::string& nothing, int* selected);

}  // namespace tidemark::gui
