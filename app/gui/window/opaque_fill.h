// Large rectangles of one opaque colour. OpenGL clears them, without a shader and without mixing with what
// lies under them: painted in software that is most of a frame's time. UI thread only.
#pragma once

#include <imgui_internal.h>

#include "app/gui/window/palette.h"

namespace tidemark::gui {

// Within the clip rectangle in force. Costs a draw command, so for rectangles of many thousand pixels.
void FillOpaque(ImDrawList* list, const ImRect& rect, Color color);

}  // namespace tidemark::gui
