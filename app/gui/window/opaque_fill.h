// Large rectangles of one opaque colour. OpenGL clears them, without a shader and without mixing with what
// lies under them: painted in software that is most of a frame's time. UI thread only.
#pragma once

#include <imgui_internal.h>

#include "app/gui/window/palette.h"

namespace tidemark::gui {

// Within the clip rectangle in force. Costs a draw command.
void FillOpaque(ImDrawList* list, const ImRect& rect, Color color);

// From how many pixels on that is worth its command.
inline constexpr float kWorthClearing = 16'000;

// What is drawn from the one to the other is opaque and has no smoothed edges: OpenGL writes it without
// reading what lies under it. A draw command each.
void BeginOpaque(ImDrawList* list);
void EndOpaque(ImDrawList* list);

// With round corners, of any size and opacity: cleared between them where that is worth it.
void FillRounded(ImDrawList* list, const ImRect& rect, Color color, float rounding);

}  // namespace tidemark::gui
