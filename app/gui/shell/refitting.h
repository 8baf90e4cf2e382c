// Docked panels in a window of another size or with other text. Used by the shell's own sources only. UI
// thread, with Dear ImGui's context.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include <map>

#include "app/gui/view/view_state.h"

namespace tidemark::gui {

// Docked panels keep their pixels whatever happens around them. Here those at the sides follow their text
// (another screen, Ctrl+=), the widest beside them giving or taking the room, and those on top of each other
// share a new height as they shared the old. What a side would like beyond its share is remembered, so that
// smaller text finds it as it was. `factor`: by how much text and height have grown; `width`: of all of it.
void Refit(const ImGuiDockNode& node, ImVec2 factor, float width, std::map<unsigned, CutWidth>* cut_widths);

}  // namespace tidemark::gui
