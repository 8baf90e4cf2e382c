// The order in which keys reach Dear ImGui. UI thread.
#pragma once

#include <imgui_internal.h>

#include <vector>

namespace tidemark::gui {

// What is to wait for the next frame. Dear ImGui takes as many events into a frame as do not contradict each
// other, and looks at keys only then: Ctrl that has been down for a frame, a K, and Ctrl let go again is a K
// without Ctrl. So of a queue the first release of a modifier behind the press of a key is taken out, with
// all that follows it.
std::vector<ImGuiInputEvent> TakeReleasesBehindPresses(ImVector<ImGuiInputEvent>& queue);

}  // namespace tidemark::gui
