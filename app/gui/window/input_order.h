// The order in which input reaches Dear ImGui. UI thread.
#pragma once

#include <imgui_internal.h>

#include <vector>

namespace tidemark::gui {

// What is to wait for the next frame. Dear ImGui takes as many events into a frame as do not contradict each
// other, and looks at keys only then: Ctrl that has been down for a frame, a K, and Ctrl let go again is a K
// without Ctrl. So of a queue the first release of a modifier behind the press of a key is taken out, with
// all that follows it. And so is the press of a mouse's button behind its move: what may lie under others, as
// a tab or a table's row, is pressed only where the mouse was over it a frame before.
std::vector<ImGuiInputEvent> TakeWhatWaits(ImVector<ImGuiInputEvent>& queue);

}  // namespace tidemark::gui
